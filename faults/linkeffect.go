package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kafkachaos/harness/topology"
)

// Patience is how long a probe waits for an answer that should not come, and
// Hearing how long for one that should.
const (
	Patience = time.Second
	Hearing  = 5 * time.Second
)

// linkEffect is one use of a LinkFault.
type linkEffect struct {
	*actions
	fault LinkFault
	label string          // of its toxics
	aimed []topology.Link // found ahead, for a trigger
	links []topology.Link // once it touched them

	mu     sync.Mutex
	before map[topology.Link]Echo // the fault, where that matters
	late   error                  // of the jitter
	stop   func()                 // ends the jitter
}

func (e *linkEffect) start(ctx context.Context) error {
	if e.aimed == nil {
		if err := e.aim(ctx); err != nil {
			return err
		}
	}
	links := e.aimed
	if err := e.claim(e.fault.claims(links)...); err != nil {
		return err
	}
	if err := e.listen(ctx, links); err != nil {
		return err
	}
	e.links = links
	if e.fault.toxic == "" {
		return setEnabled(ctx, e.rig.Links, links, false)
	}
	for _, toxic := range e.fault.toxics(e.label) {
		if err := addToxic(ctx, e.rig.Links, links, toxic); err != nil {
			return err
		}
	}
	if e.fault.wobble != nil {
		e.wobble(ctx)
	}
	return nil
}

func (e *linkEffect) aim(ctx context.Context) (err error) {
	e.aimed, err = e.fault.route.Resolve(ctx, e.rig)
	return err
}

// listen probes the links as they are without the fault, where the proof has to
// compare.
func (e *linkEffect) listen(ctx context.Context, links []topology.Link) error {
	if e.fault.shows != slower && e.fault.shows != lost {
		return nil
	}
	e.before = map[topology.Link]Echo{}
	return each(links, func(link topology.Link) error {
		echo, err := e.fastest(ctx, link)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.before[link] = echo
		return named(fmt.Sprintf("probe %v", link), err)
	})
}

// fastest probes a link. Where the proof is by time, an answer that is late for
// another reason, such as a busy machine, would hide what the fault adds: the fastest
// of three counts then, unless the first is fast.
func (e *linkEffect) fastest(ctx context.Context, link topology.Link) (Echo, error) {
	best, err := e.rig.Links.Probe(ctx, link, Hearing)
	for again := 0; again < 2 && err == nil && e.fault.shows == slower && best.Answered && best.Took > faintest; again++ {
		var echo Echo
		if echo, err = e.rig.Links.Probe(ctx, link, Hearing); echo.Answered && echo.Took < best.Took {
			best = echo
		}
	}
	return best, err
}

func (e *linkEffect) undo(ctx context.Context) error {
	if e.stop != nil {
		e.stop()
	}
	if e.fault.toxic == "" {
		return setEnabled(ctx, e.rig.Links, e.links, true)
	}
	var errs []error
	for _, toxic := range e.fault.toxics(e.label) {
		errs = append(errs, removeToxic(ctx, e.rig.Links, e.links, toxic.Name))
	}
	return errors.Join(errs...)
}

// each runs the work for every link, some at a time, and joins the errors.
func each(links []topology.Link, work func(topology.Link) error) error {
	errs := make([]error, len(links))
	turns := make(chan struct{}, 16)
	var group sync.WaitGroup
	for i, link := range links {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			errs[i] = work(link)
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func addToxic(ctx context.Context, tool Links, links []topology.Link, toxic Toxic) error {
	if batch, ok := tool.(LinkBatch); ok && len(links) > 1 {
		return named("add "+toxic.Type, batch.AddToxics(ctx, links, toxic))
	}
	return each(links, func(link topology.Link) error {
		return named(fmt.Sprintf("add %s to %v", toxic.Type, link), tool.AddToxic(ctx, link, toxic))
	})
}

func removeToxic(ctx context.Context, tool Links, links []topology.Link, name string) error {
	if batch, ok := tool.(LinkBatch); ok && len(links) > 1 {
		return named("remove "+name, batch.RemoveToxics(ctx, links, name))
	}
	return each(links, func(link topology.Link) error {
		return named(fmt.Sprintf("remove %s from %v", name, link), tool.RemoveToxic(ctx, link, name))
	})
}

func setEnabled(ctx context.Context, tool Links, links []topology.Link, enabled bool) error {
	if batch, ok := tool.(LinkBatch); ok && len(links) > 1 {
		return named("open or cut", batch.SetAllEnabled(ctx, links, enabled))
	}
	verb := map[bool]string{true: "open", false: "cut"}[enabled]
	return each(links, func(link topology.Link) error {
		return named(fmt.Sprintf("%s %v", verb, link), tool.SetEnabled(ctx, link, enabled))
	})
}

// named puts what was tried before the error, if there is one.
func named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
