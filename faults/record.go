package faults

import "time"

// Recorder keeps what happened to faults, for the history of a run. It may be
// called by several goroutines at once, and must not block.
type Recorder interface {
	Record(Entry)
}

// Entry says that an injection is about to begin, that it took a step of its
// life-cycle, or failed to, that the condition of a trigger came true, or that a
// node was killed.
type Entry struct {
	Did   string        // intend, inject, prove, heal, prove healed, fire or kill
	Fault string        // or, of a kill, the node that got it
	Phase Phase         // that it is in now
	Begun time.Time     // when it began
	Took  time.Duration // until it was over
	Err   error
	Part  bool // of another fault, which answers for it

	// Step, Intended and Actual are set in plans: the number of the step from 1,
	// and when its fault should and did begin to be injected or healed, since the
	// plan began, by the monotonic clock. What is not planned is intended when it
	// happens.
	Step             int
	Intended, Actual time.Duration
}

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
