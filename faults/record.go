package faults

import "time"

// Recorder keeps what happened to faults, for the history of a run. It may be
// called by several goroutines at once, and must not block.
type Recorder interface {
	Record(Entry)
}

// Entry says that an injection took a step of its life-cycle, or failed to.
type Entry struct {
	Fault string
	Phase Phase         // that it is in now
	Begun time.Time     // when the step began
	Took  time.Duration // until the step was over
	Err   error

	// Step, Intended and Actual are set in plans: the number of the step from 1,
	// and when its fault should and did begin to be injected or healed, since the
	// plan began, by the monotonic clock.
	Step             int
	Intended, Actual time.Duration
}

// Fired is the phase of the entry that says when the condition of a trigger
// came true.
const Fired Phase = "fired"

// record hands the entry to the recorder, if there is one.
func (r *Rig) record(entry Entry) {
	if r.Recorder != nil {
		r.Recorder.Record(entry)
	}
}

// recordedBy is the same rig with another recorder.
func (r *Rig) recordedBy(recorder Recorder) *Rig {
	tools := r.Tools
	tools.Recorder = recorder
	return &Rig{Tools: tools, register: r.register, limit: r.limit}
}
