package state

import (
	"fmt"
	"strings"

	"kafkachaos/harness/topology"
)

// WorkerView is what a Connect worker says of itself by REST. That it answers
// says nothing of its herder.
type WorkerView struct {
	Source
	Worker    topology.Node
	Version   string
	Commit    string
	ClusterID string // since 1.1.0
}

func (w WorkerView) String() string {
	return fmt.Sprintf("%v answers as Connect %s (read %v)", w.Worker, w.Version, w.Source)
}

// ConnectorView is what a worker says of a connector and its tasks by REST. It
// repeats what the workers last wrote to the status topic: a connector or task
// may be dead and RUNNING here.
type ConnectorView struct {
	Source
	Name    string
	Present bool   // there is such a connector; else the rest is zero
	Kind    string // source or sink, where the worker says so
	State   string // RUNNING, PAUSED, FAILED, UNASSIGNED, …
	Worker  string // the address of the worker that it last ran on
	Trace   string // of a failure
	Tasks   []TaskView
}

// TaskView is what a worker says of one task by REST.
type TaskView struct {
	ID     TaskID
	State  string
	Worker string
	Trace  string
}

func (t TaskView) String() string {
	return strings.TrimSuffix(fmt.Sprintf("task %d %s on %s: %s", t.ID.Task, t.State, t.Worker, firstLine(t.Trace)), ": ")
}

// Task finds a task by its number.
func (c ConnectorView) Task(number int) (TaskView, bool) {
	for _, task := range c.Tasks {
		if task.ID.Task == number {
			return task, true
		}
	}
	return TaskView{}, false
}

func (c ConnectorView) String() string {
	if !c.Present {
		return fmt.Sprintf("there is no connector %s (read %v)", c.Name, c.Source)
	}
	parts := []string{fmt.Sprintf("connector %s is %s on %s", c.Name, c.State, c.Worker)}
	if c.Trace != "" {
		parts[0] += ": " + firstLine(c.Trace)
	}
	for _, task := range c.Tasks {
		parts = append(parts, task.String())
	}
	return fmt.Sprintf("%s (read %v)", strings.Join(parts, "; "), c.Source)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
