package harness

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
)

// Sink takes what is observed; a *history.History is one. Both methods are
// called by several goroutines at once.
type Sink interface {
	Reading(history.Reading)
	Owners(history.Owners)
}

// Observe watches the cluster over the witness plane until the context ends or
// stop is called, and tells the sink what it finds first and every change after
// that: who is registered and who is the controller, by which session; leaders and
// in-sync sets of the topics that are not internal; whether processes run; the
// group of the Connect workers, and who owns its tasks each time that the group is
// found at rest. That a reading cannot be made is told once, too, until it can.
//
// What ZooKeeper holds is told within milliseconds, by its watches; processes and
// the group are asked every second and half second. Workers are asked nothing:
// those of 0.9 miss what their group gives them while they answer.
//
// Topics that are named are left out. Nothing is left of it when stop returns, which
// may be called again.
func (c *Cluster) Observe(ctx context.Context, into Sink, except ...string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	o := &observer{into: into, watch: c.witness.ZooKeeper.Watch}
	for _, subject := range c.subjects(into) {
		o.follow(ctx, subject)
	}
	o.all.Go(func() { o.discover(ctx, c.newPartitions(except)) })
	return func() {
		cancel()
		o.all.Wait()
	}
}

// reported is a reading that tells by whom and when it was made.
type reported interface {
	fmt.Stringer
	From() state.Source
}

// subject is one thing that is observed.
type subject struct {
	name  string
	paths []string      // in ZooKeeper, whose every change calls for a reading
	every time.Duration // and this time without one
	read  func(context.Context) (reported, error)
}

// observer observes subjects, each by goroutines of its own.
type observer struct {
	into  Sink
	watch func(ctx context.Context, path string) (<-chan state.ZNodeChange, error)
	all   sync.WaitGroup
}

func (o *observer) follow(ctx context.Context, s subject) {
	changed := make(chan struct{}, 1)
	for _, path := range s.paths {
		o.all.Go(func() { o.wake(ctx, path, changed) })
	}
	o.all.Go(func() {
		ticks := time.NewTicker(s.every)
		defer ticks.Stop()
		for last := ""; ; {
			last = o.look(ctx, s, last)
			select {
			case <-changed:
			case <-ticks.C:
			case <-ctx.Done():
				return
			}
		}
	})
}

// wake says so whenever a node of ZooKeeper changes. While the watch cannot be
// set, readings fail as well, and say why.
func (o *observer) wake(ctx context.Context, path string, changed chan<- struct{}) {
	for ctx.Err() == nil {
		changes, err := o.watch(ctx, path)
		if err != nil {
			pause(ctx, lookAgain)
			continue
		}
		for range changes {
			select {
			case changed <- struct{}{}:
			default: // it will be read anyway
			}
		}
		pause(ctx, lookAgain) // after the witness was closed
	}
}

// look makes a reading, tells it if it says something else than the last one, and
// returns what it says.
func (o *observer) look(ctx context.Context, s subject, last string) string {
	const unread = "could not read"
	reading, err := s.read(ctx)
	switch {
	case ctx.Err() != nil:
		return last
	case err != nil && last != unread:
		o.into.Reading(history.Reading{Of: s.name, By: "the witness", Text: unread + ": " + err.Error()})
		return unread
	case err != nil:
		return last
	}
	if now := says(reading); now != last {
		o.into.Reading(history.Reading{Of: s.name, By: reading.From().By, Text: reading.String()})
		return now
	}
	return last
}

// says is what a reading says, whoever made it and whenever.
func says(r reported) string { return strings.Replace(r.String(), r.From().String(), "", 1) }

// discover follows what is new, until the context ends.
func (o *observer) discover(ctx context.Context, news func(context.Context) []subject) {
	for ctx.Err() == nil {
		for _, subject := range news(ctx) {
			o.follow(ctx, subject)
		}
		pause(ctx, discoverEvery)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
