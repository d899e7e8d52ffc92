package faults

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kafkachaos/harness/topology"
)

// faintest is the slowing-down that a probe can tell from the noise of a busy
// machine.
const faintest = 5 * time.Millisecond

// seen probes every link for the fault's symptom.
func (e *linkEffect) seen(ctx context.Context) error {
	return each(e.links, func(link topology.Link) error { return e.prove(ctx, link) })
}

func (e *linkEffect) prove(ctx context.Context, link topology.Link) error {
	before, patience := e.before[link], patience(ctx)
	expected := e.fault.slowing(before)
	if e.fault.shows == slower {
		if expected < faintest {
			return e.listed(ctx, link, fmt.Sprintf("%v more cannot be seen", expected))
		}
		patience = before.Took + 2*expected + Hearing
	}
	echo, err := e.rig.Links.Probe(ctx, link, patience)
	if err != nil {
		return fmt.Errorf("probe %v: %w", link, err)
	}
	if e.fault.toxic == "limit_data" && echo.Answered {
		return e.listed(ctx, link, fmt.Sprintf("the probe's answer has only %d bytes", echo.Bytes))
	}
	if !e.fault.shows.in(echo, before, expected) {
		return fmt.Errorf("probe %v: %v; want %v", link, echo, e.fault.shows.wish(before, expected))
	}
	return nil
}

// listed proves by the proxy's own word that the fault is there, where a probe
// cannot see what it does, and why.
func (e *linkEffect) listed(ctx context.Context, link topology.Link, why string) error {
	reader, ok := e.rig.Links.(LinkReader)
	if !ok {
		return fmt.Errorf("probe %v: %s", link, why)
	}
	state, err := reader.ReadLink(ctx, link)
	if err != nil {
		return fmt.Errorf("read %v: %w", link, err)
	}
	for _, toxic := range e.fault.toxics(e.label) {
		if !slices.Contains(state.Toxics, toxic.Name) {
			return fmt.Errorf("read %v: %s is not on it", link, toxic.Name)
		}
	}
	return nil
}

// gone probes every link until it answers as it should. A link that another
// fault disturbs is left to the proof of that one.
func (e *linkEffect) gone(ctx context.Context) error {
	err := each(e.links, func(link topology.Link) error {
		return until(ctx, func(ctx context.Context) error { return e.quiet(ctx, link) })
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.late != nil && err == nil {
		return fmt.Errorf("%w: the jitter ended early: %w", ErrInconclusive, e.late)
	}
	return err
}

func (e *linkEffect) quiet(ctx context.Context, link topology.Link) error {
	if e.rig.disturbed(e.actions, link) {
		return nil
	}
	echo, err := e.rig.Links.Probe(ctx, link, Hearing)
	if err != nil {
		return fmt.Errorf("probe %v: %w", link, err)
	}
	slow := e.fault.slowing(e.before[link])
	if !echo.Answered || slow >= faintest && echo.Took >= slow+e.before[link].Took {
		return fmt.Errorf("probe %v: %v; want an answer as before", link, echo)
	}
	return nil
}

// slowing is how much longer an answer like that one should take.
func (f LinkFault) slowing(before Echo) time.Duration {
	switch {
	case f.shows != slower:
		return 0
	case f.byBytes: // what is asked is too short to be slowed down
		if slices.Equal(f.streams, []Stream{Upstream}) {
			return 0
		}
		return f.delay(before)
	}
	return f.delay(before) * time.Duration(len(f.toxics("")))
}

// in says whether the probe shows the symptom. It shows slower when the answer
// took as long as it should, less a tenth for coarse timers, and clearly longer
// than before.
func (s symptom) in(echo, before Echo, expected time.Duration) bool {
	switch s {
	case silent:
		return echo.Connected && !echo.Answered && !echo.Closed
	case refused:
		return !echo.Answered && (echo.Closed || !echo.Connected)
	case closed:
		return echo.Connected && echo.Closed && !echo.Answered
	case lost:
		return echo.Connected && !echo.Answered && before.Answered
	}
	return echo.Answered && echo.Took >= expected-expected/10 && echo.Took-before.Took >= expected/2
}

// wish says what would have shown the symptom.
func (s symptom) wish(before Echo, expected time.Duration) string {
	switch s {
	case silent:
		return "a connection without an answer"
	case refused:
		return "no connection"
	case closed:
		return "a connection that is closed before the answer"
	case lost:
		return fmt.Sprintf("no answer where before it %v", before)
	}
	return fmt.Sprintf("an answer later by %v than the %v of before", expected, before.Took)
}

func (e Echo) String() string {
	switch {
	case e.Answered:
		return fmt.Sprintf("answered with %d bytes after %v", e.Bytes, e.Took)
	case e.Closed:
		return fmt.Sprintf("closed without an answer after %v", e.Took)
	case e.Connected:
		return fmt.Sprintf("connected, no answer in %v", e.Took)
	}
	return fmt.Sprintf("not connected in %v", e.Took)
}

// patience is how long to wait for an answer that should not come: a second, or
// less where the context leaves less.
func patience(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(Patience, time.Until(deadline)*4/5)
	}
	return Patience
}
