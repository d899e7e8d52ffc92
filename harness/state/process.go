package state

import (
	"fmt"
	"time"

	"kafkachaos/harness/topology"
)

// ProcessView is how the process of one node is, as the engine that runs it
// says. That it is up says nothing of whether it serves.
type ProcessView struct {
	Source
	Node      topology.Node
	Running   bool // also while paused
	Paused    bool
	ExitCode  int  // of the last end
	OutOfMem  bool // the kernel killed it for want of memory
	Pid       int  // on the engine's machine; 0 if it does not run
	StartedAt time.Time
	EndedAt   time.Time // zero if it never ended
}

// Runs says that the process is there and not frozen.
func (p ProcessView) Runs() bool { return p.Running && !p.Paused }

// Exited says that the process was started and has ended.
func (p ProcessView) Exited() bool { return !p.Running && !p.StartedAt.IsZero() }

// Subject names what was read.
func (p ProcessView) Subject() string { return p.Node.String() }

func (p ProcessView) String() string {
	condition := "never started"
	switch {
	case p.Paused:
		condition = fmt.Sprintf("paused, pid %d, since %s", p.Pid, clock(p.StartedAt))
	case p.Running:
		condition = fmt.Sprintf("running, pid %d, since %s", p.Pid, clock(p.StartedAt))
	case p.OutOfMem:
		condition = fmt.Sprintf("killed for want of memory at %s, exit code %d", clock(p.EndedAt), p.ExitCode)
	case p.Exited():
		condition = fmt.Sprintf("gone, it ended at %s with exit code %d", clock(p.EndedAt), p.ExitCode)
	}
	return fmt.Sprintf("%v is %s (read %v)", p.Node, condition, p.Source)
}
