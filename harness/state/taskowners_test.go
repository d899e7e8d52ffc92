package state

import (
	"slices"
	"strings"
	"testing"

	"kafkachaos/harness/topology"
)

const taskRun = "org.apache.kafka.connect.runtime.WorkerTask.doRun"

// threadsOf is a dump of threads with these names, all of which run a task.
func threadsOf(names ...string) ThreadDump {
	dump := ThreadDump{Complete: true}
	for _, name := range names {
		dump.Threads = append(dump.Threads, Thread{Name: name, Frames: []Frame{{taskRun, "WorkerTask.java:1"}}})
	}
	return dump
}

func memberWith(n int, tasks ...TaskID) Member {
	return Member{ID: topology.WorkerNode(n).String(), URL: "http://" + topology.WorkerNode(n).String() + ":8083/", Tasks: tasks}
}

func TestTaskThreads(t *testing.T) {
	dump := threadsOf("task-thread-a-b-12", "WorkerSinkTask-sink-0", "WorkerSourceTask-source-1", "pool-1-thread-2", "task-thread-nonumber")
	dump.Threads = append(dump.Threads, Thread{Name: "task-thread-a-b-13", Frames: []Frame{{"java.lang.Thread.run", ""}}}) // has ended its task
	named, unnamed := TaskThreads(dump)
	want := []TaskID{{"a-b", 12}, {"sink", 0}, {"source", 1}}
	if !slices.Equal(named, want) || unnamed != 2 {
		t.Errorf("found %v and %d more", named, unnamed)
	}
}

func TestParseTaskID(t *testing.T) {
	for text, want := range map[string]TaskID{"a-0": {"a", 0}, "a-b-12": {"a-b", 12}} {
		if got, ok := ParseTaskID(text); !ok || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "a", "-1", "a-", "a-b"} {
		if got, ok := ParseTaskID(text); ok {
			t.Errorf("%q is task %v", text, got)
		}
	}
}

// Incident C: REST says RUNNING of tasks that no worker has a thread for.
func TestTaskOwnersByNames(t *testing.T) {
	one, two := topology.WorkerNode(1), topology.WorkerNode(2)
	tasks := []TaskID{{"sink", 0}, {"sink", 1}, {"sink", 2}}
	group := GroupView{Members: []Member{memberWith(1, tasks[0], tasks[2]), memberWith(2, tasks[2], TaskID{"other", 0})}}
	status := ConnectorView{Tasks: []TaskView{{ID: tasks[1], State: "RUNNING", Worker: "worker-3:8083"}}}
	dumps := map[topology.Node]ThreadDump{
		two: threadsOf("task-thread-sink-2", "task-thread-other-0", "task-thread-sink-9"),
		one: threadsOf("task-thread-sink-0", "task-thread-sink-0"),
	}
	o := NewTaskOwners("sink", tasks, dumps, group, status)
	if len(o.Unnamed) > 0 || !slices.Equal(o.Workers, []topology.Node{one, two}) || len(o.Tasks) != 4 {
		t.Fatalf("read %v", o)
	}
	for i, want := range []struct{ ran, assigned []topology.Node }{
		{[]topology.Node{one, one}, []topology.Node{one}}, {nil, nil}, {[]topology.Node{two}, []topology.Node{one, two}}, {[]topology.Node{two}, nil},
	} {
		if got := o.Tasks[i]; !slices.Equal(got.RunBy, want.ran) || !slices.Equal(got.Assigned, want.assigned) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if o.Tasks[3].ID != (TaskID{"sink", 9}) { // nobody has configured it, and it runs
		t.Errorf("the last task is %v", o.Tasks[3])
	}
	if text := o.String(); o.Subject() != "connector sink" ||
		!strings.Contains(text, "task 1 has threads on [], is assigned to [], and by REST RUNNING on worker-3:8083") {
		t.Errorf("prints as %q", text)
	}
}

// Releases whose threads have no names: as many as tasks are these.
func TestTaskOwnersByCount(t *testing.T) {
	one := topology.WorkerNode(1)
	task := TaskID{"sink", 0}
	group := GroupView{Members: []Member{memberWith(1, task, TaskID{"other", 0})}}
	o := NewTaskOwners("sink", []TaskID{task}, map[topology.Node]ThreadDump{one: threadsOf("pool-1-thread-1", "pool-1-thread-2")}, group, ConnectorView{})
	if len(o.Unnamed) > 0 || len(o.Tasks) != 1 || !slices.Equal(o.Tasks[0].RunBy, []topology.Node{one}) {
		t.Errorf("read %v", o)
	}
	for threads, dump := range map[int]ThreadDump{1: threadsOf("pool-1-thread-1"), 3: threadsOf("a", "b", "c")} {
		o := NewTaskOwners("sink", []TaskID{task}, map[topology.Node]ThreadDump{one: dump}, group, ConnectorView{})
		if len(o.Unnamed) != 1 || o.Unnamed[0] != (UnnamedThreads{one, threads, 2}) || len(o.Tasks[0].RunBy) > 0 {
			t.Errorf("%d threads: read %v", threads, o)
		}
	}
}
