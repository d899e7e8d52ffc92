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

// wobble makes a delay change all the time. The drawing is done here, because
// Toxiproxy's own jitter comes from a generator that nobody can seed.
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
		for ctx.Err() == nil {
			if err := e.redraw(ctx, random); err != nil && ctx.Err() == nil {
				e.mu.Lock()
				e.late = err
				e.mu.Unlock()
				return
			}
			pause(ctx, e.fault.wobble.every)
		}
	})
}

// redraw gives each link another delay.
func (e *linkEffect) redraw(ctx context.Context, random *rand.Rand) error {
	drawn := map[topology.Link]int64{}
	least, span := e.fault.delay(Echo{}).Milliseconds(), 2*e.fault.wobble.jitter.Milliseconds()
	for _, link := range e.links {
		drawn[link] = least + random.Int64N(span+1)
	}
	updater := e.rig.Links.(LinkUpdater) // checked before
	return each(e.links, func(link topology.Link) error {
		for _, toxic := range e.fault.toxics(e.label) {
			toxic.Attributes = map[string]any{"latency": drawn[link], "jitter": 0}
			if err := updater.UpdateToxic(ctx, link, toxic); err != nil {
				return fmt.Errorf("update %s on %v: %w", toxic.Name, link, err)
			}
		}
		return nil
	})
}
