package faults

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Wave is the course of a flapping: on, off, on, off.
type Wave struct {
	Period time.Duration // of one on and one off
	Duty   float64       // the part of the period that is on, between 0 and 1; 0 means a half
	Count  int           // of periods; 0 goes on until it is healed
	// Jitter makes each on and each off longer or shorter by up to so much, evenly
	// drawn from Seed; 0 is a square wave.
	Jitter time.Duration
	Seed   uint64
}

// Square is on for half of each period, off for the other half.
func Square(period time.Duration, count int) Wave { return Wave{Period: period, Count: count} }

// Drawn is a square wave whose edges are moved about by up to jitter.
func Drawn(period time.Duration, count int, jitter time.Duration, seed uint64) Wave {
	return Wave{Period: period, Count: count, Jitter: jitter, Seed: seed}
}

// Flap has the fault in effect on and off. It is proved when it was proved in
// one of its periods, with probes no more patient than the on.
func Flap(fault Fault, wave Wave) Fault {
	if wave.Duty == 0 {
		wave.Duty = 0.5
	}
	args := map[string]string{"of": fault.String(), "period": wave.Period.String(),
		"duty": strconv.FormatFloat(wave.Duty, 'g', -1, 64)}
	if wave.Count != 0 {
		args["count"] = strconv.Itoa(wave.Count)
	}
	if wave.Jitter != 0 {
		args["jitter"], args["seed"] = wave.Jitter.String(), strconv.FormatUint(wave.Seed, 10)
	}
	return courseFault{spec: Spec{"flap", args}, parts: []Fault{fault},
		check: func(*Rig) error { return wave.check() }, lasts: wave.lasts(),
		begin: func(context.Context, *Rig) (slots, error) { return wave.slots(fault), nil }}
}

func (w Wave) lasts() time.Duration {
	if w.Count == 0 {
		return endless
	}
	return manifold(w.Count, w.Period)
}

func (w Wave) on() time.Duration  { return time.Duration(w.Duty * float64(w.Period)) }
func (w Wave) off() time.Duration { return w.Period - w.on() }

func (w Wave) check() error {
	switch {
	case w.Period < time.Millisecond:
		return fmt.Errorf("period=%v: want 1ms or more", w.Period)
	case w.Duty < 0 || w.Duty >= 1:
		return fmt.Errorf("duty=%v: want more than 0 and less than 1", w.Duty)
	case w.Count < 0:
		return errors.New("count: want 0 or more")
	case w.Jitter < 0 || w.Jitter >= min(w.on(), w.off()):
		return fmt.Errorf("jitter=%v: want less than each on (%v) and off (%v)", w.Jitter, w.on(), w.off())
	}
	return nil
}

// slots draws the periods one after the other.
func (w Wave) slots(fault Fault) slots {
	random, n, at := Random(w.Seed, "flap"), 0, time.Duration(0)
	drawn := func(length time.Duration) time.Duration {
		if w.Jitter == 0 {
			return length
		}
		return length - w.Jitter + time.Duration(random.Int64N(int64(2*w.Jitter)+1))
	}
	return func() (slot, bool) {
		if n++; w.Count > 0 && n > w.Count {
			return slot{}, false
		}
		now := slot{fault: fault, at: at, hold: drawn(w.on())}
		at += now.hold + drawn(w.off())
		return now, true
	}
}
