package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"time"

	"kafkachaos/harness/topology"
)

// wobble makes a delay change all the time. Toxiproxy's own jitter comes from a
// generator that nobody can seed, so the drawing is done here: on top of a toxic
// with the shortest delay lies another, which is replaced at each turn.
type wobble struct {
	jitter, every time.Duration
	seed          uint64
}

// Jitter draws the delay anew for each link every so often, evenly between the
// delay less jitter and the delay plus jitter, from this seed.
func (f LinkFault) Jitter(jitter, every time.Duration, seed uint64) LinkFault {
	latency, _ := f.attrs["latency"].(int64)
	least := time.Duration(latency)*time.Millisecond - jitter
	switch {
	case f.kind != "delay":
		f.problem = errors.New("only a delay has a jitter")
		return f
	case jitter < time.Millisecond || least < 0:
		f.problem = fmt.Errorf("jitter=%v: want 1ms or more, and not more than the delay", jitter)
	case every < time.Millisecond:
		f.problem = fmt.Errorf("every=%v: want 1ms or more", every)
	}
	f.wobble = &wobble{jitter, every, seed}
	f.attrs = map[string]any{"latency": least.Milliseconds(), "jitter": 0}
	f.delay = func(Echo) time.Duration { return least }
	f.args = maps.Clone(f.args)
	f.args["jitter"], f.args["every"] = jitter.String(), every.String()
	f.args["seed"] = strconv.FormatUint(seed, 10)
	return f
}

// wobble starts the drawing; stop ends it.
func (e *linkEffect) wobble(ctx context.Context) {
	random := Random(e.fault.wobble.seed, "jitter")
	e.stop = background(ctx, func(ctx context.Context) {
		for turn := 0; ctx.Err() == nil; turn++ {
			if err := e.redraw(ctx, turn, random); err != nil && ctx.Err() == nil {
				e.mu.Lock()
				e.late = errors.Join(e.late, err)
				e.mu.Unlock()
				return
			}
			pause(ctx, e.fault.wobble.every)
		}
	})
}

// redraw adds this turn's toxic to each link, then takes the last one's away.
func (e *linkEffect) redraw(ctx context.Context, turn int, random *rand.Rand) error {
	drawn := map[topology.Link]int64{}
	for _, link := range e.links {
		drawn[link] = random.Int64N(2*e.fault.wobble.jitter.Milliseconds() + 1)
	}
	fresh, stale := e.fault.extra(e.label, turn%2), e.fault.extra(e.label, 1-turn%2)
	return each(e.links, func(link topology.Link) error {
		for i, toxic := range fresh {
			toxic.Attributes = map[string]any{"latency": drawn[link], "jitter": 0}
			if err := e.rig.Links.AddToxic(ctx, link, toxic); err != nil {
				return fmt.Errorf("add %s to %v: %w", toxic.Type, link, err)
			}
			if err := e.rig.Links.RemoveToxic(ctx, link, stale[i].Name); err != nil {
				return fmt.Errorf("remove %s from %v: %w", stale[i].Name, link, err)
			}
		}
		return nil
	})
}

// extra is what the jitter puts on a link at even or odd turns.
func (f LinkFault) extra(label string, parity int) []Toxic {
	return f.toxics(fmt.Sprintf("%s-jitter%d", label, parity))
}

// everyToxic is whatever may have come onto a link.
func (f LinkFault) everyToxic(label string) []Toxic {
	toxics := f.toxics(label)
	if f.wobble != nil {
		toxics = append(append(toxics, f.extra(label, 0)...), f.extra(label, 1)...)
	}
	return toxics
}
