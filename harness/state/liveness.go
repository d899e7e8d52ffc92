package state

import (
	"fmt"

	"kafkachaos/harness/topology"
)

// Liveness is how far a Connect worker is alive. Neither its process nor its
// REST server says that its herder lives. That records flow is not in it.
type Liveness struct {
	Source
	Worker  topology.Node
	Process ProcessView
	// The rest is read only while the process runs.
	Group     GroupView // that the workers are in
	Answers   bool      // its herder answered a question
	Silence   string    // what came instead
	LastWords Trace     // the last exception in its log: a label, nothing to be judged by
}

// Subject names what was read.
func (l Liveness) Subject() string { return l.Worker.String() }

// Runs says that the process is there and not frozen.
func (l Liveness) Runs() bool { return l.Process.Runs() }

// Member says that its group has the worker.
func (l Liveness) Member() bool {
	_, found := l.Group.Member(l.Worker)
	return found
}

func (l Liveness) String() string {
	text := l.Process.String()
	if l.Runs() {
		herder := "its herder answers"
		if !l.Answers {
			herder = "its herder does not answer: " + l.Silence
		}
		text = fmt.Sprintf("%s; %s; %v", text, herder, l.Group)
	}
	if !l.LastWords.IsZero() {
		text += fmt.Sprintf("; the last exception in its log: %v", l.LastWords)
	}
	return text
}
