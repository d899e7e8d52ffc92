// Package faultmarks writes what happens to faults into a history: it is the
// recorder of a rig or a plan. What a scenario expects of each fault — that the
// cluster stays available, in what time it recovers — it is told by a function.
package faultmarks

import (
	"errors"
	"fmt"
	"sync"

	"kafkachaos/faults"
	"kafkachaos/harness/history"
)

// Recorder marks faults in a history. It may be used by several goroutines.
type Recorder struct {
	h      *history.History
	expect func(fault string) history.Fault

	mu     sync.Mutex
	active map[use]history.Fault
}

// use is one use of a fault; at a time there is one alike.
type use struct {
	fault string
	step  int // of a plan
}

// New records in h. What is expected of a fault, by its text, is what expect
// returns of Instant, Available, Budget and Recovery; it may be nil for nothing.
func New(h *history.History, expect func(fault string) history.Fault) *Recorder {
	return &Recorder{h: h, expect: expect, active: map[use]history.Fault{}}
}

var _ faults.Recorder = (*Recorder)(nil)

// Record implements faults.Recorder.
//
// A fault is marked intended when its injection is about to begin, injected when
// that is over, in effect when it was proved, without effect when it could not be,
// also if that turned out after the heal, and healed when the heal is over. What
// could not be injected was only intended, and what could not be healed stays in
// effect. A node that was killed, by whichever fault, is marked as stopped uncleanly:
// what only it had in memory is gone.
func (r *Recorder) Record(e faults.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := use{e.Fault, e.Step}
	switch e.Did {
	case "intend":
		r.intend(key, e.Part)
	case "inject":
		if e.Err == nil {
			r.mark(key, history.Injected)
		}
	case "prove":
		if e.Err == nil {
			r.mark(key, history.InEffect)
		} else if errors.Is(e.Err, faults.ErrInconclusive) {
			r.mark(key, history.NoEffect)
		}
	case "heal":
		if e.Err == nil {
			r.mark(key, history.Healed)
		}
	case "kill":
		r.h.Stopped(e.Fault, false)
	case "prove healed":
		if errors.Is(e.Err, faults.ErrInconclusive) {
			r.mark(key, history.NoEffect)
		}
	}
	if e.Err != nil || e.Did == "fire" {
		r.h.Reading(history.Reading{Of: e.Fault, By: "the rig", Text: text(e)})
	}
}

// Recovered says that the system was read to be whole again after the fault.
// Of a fault in a plan, step is its number there, else 0.
func (r *Recorder) Recovered(fault string, step int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark(use{fault, step}, history.Recovered)
}

// Unrecovered says that the system was waited for until now, and what was read
// instead of it being whole.
func (r *Recorder) Unrecovered(fault string, step int, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, known := r.active[use{fault, step}]; known {
		r.h.Fault(history.Fault{Number: f.Number, Name: f.Name, Step: history.Unrecovered, Why: why})
	}
}

func (r *Recorder) intend(key use, part bool) {
	var f history.Fault
	if r.expect != nil {
		f = r.expect(key.fault)
	}
	f.Number, f.Name, f.Step, f.Part = 0, key.fault, history.Intended, part
	f.Number = r.h.Fault(f)
	r.active[key] = f
}

// mark marks a step; of a fault that was never injected here there is nothing to
// say.
func (r *Recorder) mark(key use, step history.Step) {
	if f, known := r.active[key]; known {
		r.h.Fault(history.Fault{Number: f.Number, Name: f.Name, Step: step})
	}
}

func text(e faults.Entry) string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Did, e.Err)
	}
	return e.Did
}
