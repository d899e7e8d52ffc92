package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Execution is what became of a plan: every step of every life-cycle, as it
// happened, and who was killed.
type Execution struct {
	Began   time.Time
	Entries []Entry
}

// Run checks the plan and, if nothing is wrong with it, runs it: each step on its
// own time, proved within its hold, healed for certain. It goes on after an
// error of one step, and joins them all, each naming its step: ErrInconclusive
// if a fault could not be proved, ErrNotHealed if one may still be there. When
// the context is over, what is in effect is healed and what is to come is left
// out.
//
// The recorder is told as it happens; it may be nil.
func Run(ctx context.Context, rig *Rig, plan Plan, recorder Recorder) (Execution, error) {
	parts, err := plan.build(rig)
	if err != nil {
		return Execution{}, fmt.Errorf("check plan: %w", err)
	}
	run := &run{recorder: recorder, Execution: Execution{Began: time.Now()}}
	rig = rig.recordedBy(run)
	errs := make([]error, len(parts))
	var group sync.WaitGroup
	for i, part := range parts {
		group.Go(func() { errs[i] = run.step(ctx, rig, part) })
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		errs = append(errs, fmt.Errorf("run plan: %w", err))
	}
	slices.SortStableFunc(run.Entries, func(a, b Entry) int { return int(a.Actual - b.Actual) })
	return run.Execution, errors.Join(errs...)
}

// run is a plan under way. It is the recorder of its rig.
type run struct {
	recorder Recorder
	mu       sync.Mutex
	Execution
}

// Record keeps the entry and passes it on.
func (r *run) Record(entry Entry) {
	if entry.Step == 0 { // of a fault within another, or of a node that was killed
		entry.Actual = entry.Begun.Sub(r.Began)
		entry.Intended = entry.Actual
	}
	if entry.Did != "intend" { // the plan tells that
		r.mu.Lock()
		r.Entries = append(r.Entries, entry)
		r.mu.Unlock()
	}
	if r.recorder != nil {
		r.recorder.Record(entry)
	}
}

// step takes one step of the plan through its life-cycle.
func (r *run) step(ctx context.Context, rig *Rig, part part) error {
	injection := &Injection{rig: rig, fault: part.fault, effect: part.fault.Prepare(rig), phase: Ready, note: func(e *Entry) {
		e.Step, e.Actual = part.number, e.Begun.Sub(r.Began)
		switch {
		case e.Did == "inject":
			e.Intended = part.At
		case e.Did == "heal" && part.Hold > 0 && slowness(part.fault) == 0:
			e.Intended = part.At + part.Hold
		default:
			e.Intended = e.Actual
		}
	}}
	pause(ctx, time.Until(r.Began.Add(part.At)))
	if ctx.Err() != nil {
		return nil //nolint:nilerr // Run tells that once for all steps
	}
	var proof error
	err := injection.use(ctx, part.Hold, func(error) {}, func(err error) { proof = err })
	if err == nil && ctx.Err() == nil {
		err = injection.ProveHealed(ctx)
	}
	return named(fmt.Sprintf("step %d", part.number), errors.Join(proof, err))
}

// ScheduleErrors lists by how much each injection and each heal of the plan
// began later than it should, in order of size.
func (e Execution) ScheduleErrors() (late []time.Duration) {
	for _, entry := range e.Entries {
		if entry.Step > 0 && (entry.Did == "inject" || entry.Did == "heal") {
			late = append(late, entry.Actual-entry.Intended)
		}
	}
	slices.Sort(late)
	return late
}

// ScheduleError is the one that so large a part of them, between 0 and 1, does
// not exceed; 0 if there are none.
func (e Execution) ScheduleError(part float64) time.Duration {
	late := e.ScheduleErrors()
	if len(late) == 0 {
		return 0
	}
	return late[min(int(part*float64(len(late))), len(late)-1)]
}

// String writes a line an entry: when it began, by how much that was late, which
// step, what was done to which fault, how long it took, and what went wrong.
func (e Execution) String() string {
	var text strings.Builder
	for _, entry := range e.Entries {
		fmt.Fprintf(&text, "%9.3fs %+6dms step %-3d %-12s %6dms %s", entry.Actual.Seconds(),
			(entry.Actual - entry.Intended).Milliseconds(), entry.Step, entry.Did, entry.Took.Milliseconds(), entry.Fault)
		if entry.Err != nil {
			fmt.Fprintf(&text, ": %v", entry.Err)
		}
		text.WriteByte('\n')
	}
	return text.String()
}
