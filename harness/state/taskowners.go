package state

import (
	"fmt"
	"slices"
	"strings"

	"kafkachaos/harness/topology"
)

// TaskOwners tells of each task of a connector which workers run it, by the
// threads that they have, beside what the group and the REST interface say.
type TaskOwners struct {
	Source
	Connector string
	Workers   []topology.Node // whose threads were looked at
	Tasks     []TaskOwner     // in order
	// Unnamed are workers with threads that run tasks and whose names do not tell
	// which (0.10.0.0 to 2.2), where they are not as many as the worker's tasks.
	Unnamed []UnnamedThreads
}

// TaskOwner is one task of a connector.
type TaskOwner struct {
	ID TaskID
	// RunBy are the workers with a thread of the task, twice with two threads.
	RunBy []topology.Node
	// Assigned are the workers that the group has given the task to.
	Assigned []topology.Node
	// Status is what REST says; zero where it says nothing.
	Status TaskView
}

func (o TaskOwner) String() string {
	status := "unknown"
	if o.Status.State != "" {
		status = fmt.Sprintf("%s on %s", o.Status.State, o.Status.Worker)
	}
	return fmt.Sprintf("task %d has threads on %v, is assigned to %v, and by REST %s", o.ID.Task, o.RunBy, o.Assigned, status)
}

// UnnamedThreads counts the threads of tasks that cannot be told apart.
type UnnamedThreads struct {
	Worker   topology.Node
	Threads  int
	Assigned int // tasks of all connectors that the worker shall run
}

// Subject names what was read.
func (o TaskOwners) Subject() string { return "connector " + o.Connector }

func (o TaskOwners) String() string {
	var parts []string
	for _, task := range o.Tasks {
		parts = append(parts, task.String())
	}
	for _, unnamed := range o.Unnamed {
		parts = append(parts, unnamed.String())
	}
	return fmt.Sprintf("connector %s at workers %v: %s (read %v)", o.Connector, o.Workers, said(parts, "no tasks"), o.Source)
}

func (u UnnamedThreads) String() string {
	return fmt.Sprintf("%v has %d threads that run tasks, and %d tasks", u.Worker, u.Threads, u.Assigned)
}

// NewTaskOwners tells who runs the tasks of a connector: the configured ones, by
// the dumps of the workers that live, the group, and the status by REST, which
// may be zero.
func NewTaskOwners(connector string, configured []TaskID, dumps map[topology.Node]ThreadDump, group GroupView, status ConnectorView) TaskOwners {
	owners := TaskOwners{Connector: connector}
	for worker := range dumps {
		owners.Workers = append(owners.Workers, worker)
	}
	slices.SortFunc(owners.Workers, func(a, b topology.Node) int { return a.ID - b.ID })
	ran := map[TaskID][]topology.Node{}
	for _, worker := range owners.Workers {
		member, _ := group.Member(worker)
		named, unnamed := TaskThreads(dumps[worker])
		switch {
		case unnamed > 0 && unnamed == len(member.Tasks):
			named = append(named, member.Tasks...) // each of them has its thread
		case unnamed > 0:
			owners.Unnamed = append(owners.Unnamed, UnnamedThreads{worker, unnamed, len(member.Tasks)})
		}
		for _, task := range named {
			ran[task] = append(ran[task], worker)
		}
	}
	for _, id := range allTasks(connector, configured, ran, group) {
		owner := TaskOwner{ID: id, RunBy: ran[id]}
		owner.Status, _ = status.Task(id.Task)
		for _, member := range group.OwnersOf(id) {
			if node, ok := member.Node(); ok {
				owner.Assigned = append(owner.Assigned, node)
			}
		}
		owners.Tasks = append(owners.Tasks, owner)
	}
	return owners
}

// allTasks are the tasks of a connector that anything tells of, in order.
func allTasks(connector string, configured []TaskID, ran map[TaskID][]topology.Node, group GroupView) []TaskID {
	all := slices.Clone(configured)
	for id := range ran {
		all = append(all, id)
	}
	for _, member := range group.Members {
		all = append(all, member.Tasks...)
	}
	all = slices.DeleteFunc(all, func(id TaskID) bool { return id.Connector != connector })
	slices.SortFunc(all, func(a, b TaskID) int { return a.Task - b.Task })
	return slices.Compact(all)
}

// taskThreads are the beginnings of the names of threads that run tasks: those
// since 2.3.0 (WorkerTask.THREAD_NAME_PREFIX, KAFKA-7880), and those of 0.9
// (WorkerSinkTaskThread, WorkerSourceTaskThread).
var taskThreads = []string{"task-thread-", "WorkerSinkTask-", "WorkerSourceTask-"}

// taskFrames are on the stack of each thread that runs a task.
var taskFrames = []string{
	"org.apache.kafka.connect.runtime.WorkerTask.run",
	"org.apache.kafka.connect.runtime.WorkerTask.doRun",
	"org.apache.kafka.connect.runtime.WorkerSinkTaskThread",
	"org.apache.kafka.connect.runtime.WorkerSourceTask$WorkerSourceTaskThread",
}

// TaskThreads finds the tasks that a worker runs, one for each thread, and the
// number of threads that run a task and do not say which.
func TaskThreads(dump ThreadDump) (named []TaskID, unnamed int) {
	for _, thread := range dump.Threads {
		runs := func(prefix string) bool { _, found := thread.In(prefix); return found }
		if !slices.ContainsFunc(taskFrames, runs) {
			continue
		}
		if id, ok := taskOf(thread.Name); ok {
			named = append(named, id)
		} else {
			unnamed++
		}
	}
	return named, unnamed
}

// taskOf reads a thread's name: a prefix, the connector, and a number.
func taskOf(thread string) (TaskID, bool) {
	for _, prefix := range taskThreads {
		if name, found := strings.CutPrefix(thread, prefix); found {
			return ParseTaskID(name)
		}
	}
	return TaskID{}, false
}
