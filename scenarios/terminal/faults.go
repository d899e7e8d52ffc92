package terminal

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kafkachaos/faults"
)

// Faults remembers which faults were active when. It is a recorder of a rig and
// may be used by several goroutines at once; its zero value has seen none.
type Faults struct {
	mu    sync.Mutex
	spans []span
}

// span is one use of a fault; its end is zero while it is active.
type span struct {
	name     string
	step     int
	from, to time.Time
}

var _ faults.Recorder = (*Faults)(nil)

// Record implements faults.Recorder. The parts of a fault are told by the whole.
func (f *Faults) Record(e faults.Entry) {
	if e.Err != nil || e.Part {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch over := e.Begun.Add(e.Took); e.Did {
	case "inject":
		f.spans = append(f.spans, span{name: e.Fault, step: e.Step, from: e.Begun})
	case "heal":
		for i, s := range slices.Backward(f.spans) {
			if s.name == e.Fault && s.step == e.Step && s.to.IsZero() {
				f.spans[i].to = over
				break
			}
		}
	}
}

// At tells which faults were active at that time, and the last one that was over
// before.
func (f *Faults) At(t time.Time) (active []string, last string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var late span
	for _, s := range f.spans {
		switch {
		case s.from.After(t):
		case s.to.IsZero() || s.to.After(t):
			active = append(active, s.name)
		case !s.to.Before(late.to):
			late = s
		}
	}
	if late.name != "" {
		last = fmt.Sprintf("%s, for %.1f s until %.1f s before", late.name, late.to.Sub(late.from).Seconds(), t.Sub(late.to).Seconds())
	}
	return active, last
}
