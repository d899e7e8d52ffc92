package assertions

import (
	"testing"
	"time"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

var one, two = topology.WorkerNode(1), topology.WorkerNode(2)

func view(broker, leader int) state.BrokerView {
	return state.BrokerView{Broker: broker, Controller: 1, Live: []int{1, 2}, Topics: []state.Topic{
		{Name: "probe", Partitions: []state.Partition{{Topic: "probe", Leader: leader, Replicas: []int{1, 2}, ISR: []int{1, 2}}}}}}
}

func served(change func(*state.ControllerService)) state.ControllerService {
	s := state.ControllerService{Topic: "probe", Partitions: 1, Views: []state.BrokerView{view(1, 1), view(2, 1)},
		Controller: state.ControllerView{Present: true, Broker: 1, Epoch: 5}}
	change(&s)
	return s
}

func alive(change func(*state.Liveness)) state.Liveness {
	l := state.Liveness{Worker: one, Process: state.ProcessView{Node: one, Running: true}, Answers: true,
		Group: state.GroupView{State: "Stable", Members: []state.Member{{URL: "http://worker-1:8083/"}}}}
	change(&l)
	return l
}

func owners(tasks ...state.TaskOwner) state.TaskOwners {
	return state.TaskOwners{Connector: "sink", Workers: []topology.Node{one, two}, Tasks: tasks}
}

func owner(task int, ran, assigned []topology.Node) state.TaskOwner {
	return state.TaskOwner{ID: state.TaskID{Connector: "sink", Task: task}, RunBy: ran, Assigned: assigned,
		Status: state.TaskView{State: "RUNNING", Worker: "worker-1:8083"}}
}

func TestMatchersOverReadings(t *testing.T) {
	nothing := func(*state.ControllerService) {}
	well := owner(0, []topology.Node{one}, []topology.Node{one})
	still := state.StuckThread{Thread: state.Thread{Name: "controller-event-thread"}, Waits: state.WaitsForLatch}
	unnamed := owners(well)
	unnamed.Unnamed = []state.UnnamedThreads{{Worker: one, Threads: 1, Assigned: 2}}
	tests := map[string]struct {
		matcher types.GomegaMatcher
		reading reading
		wrong   string // in the failure; empty for a match
	}{
		"serves":                   {Serve(), served(nothing), ""},
		"serves in a later epoch":  {Serve(SinceEpoch(state.ControllerView{Epoch: 4})), served(nothing), ""},
		"serves in the same epoch": {Serve(SinceEpoch(state.ControllerView{Epoch: 5})), served(nothing), ""},
		"an earlier epoch":         {Serve(SinceEpoch(state.ControllerView{Epoch: 6})), served(nothing), "its epoch was 6 before"},
		"no controller":            {Serve(), served(func(s *state.ControllerService) { s.Controller.Present = false }), "there is none"},
		"nobody was asked":         {Serve(), served(func(s *state.ControllerService) { s.Views = nil }), "no broker was asked"},
		"a rival":                  {Serve(), served(func(s *state.ControllerService) { s.Views[1].Controller = 2 }), "broker-2 takes broker-2 for the controller"},
		"in name only":             {Serve(), served(func(s *state.ControllerService) { s.Views[1] = view(2, -1) }), "broker-2 sees a leader for 0 of 1 partitions"},

		"in sync":               {BeInSync(), state.Replicas{Brokers: []int{1, 2}, Views: []state.BrokerView{view(1, 1), view(2, 1)}}, ""},
		"without a leader":      {BeInSync(), state.Replicas{Brokers: []int{1, 2}, Views: []state.BrokerView{view(1, 3)}}, "1 without leader"},
		"no partition is proof": {BeInSync(), state.Replicas{Brokers: []int{1}, Views: []state.BrokerView{{Broker: 1, Live: []int{1}}}}, "there is no partition"},
		"a broker is down":      {BeInSync(), state.Replicas{Down: []state.ProcessView{{Node: one, Paused: true}}}, "is paused"},

		"runs":          {BeRunning(), state.ProcessView{Node: one, Running: true}, ""},
		"has ended":     {BeRunning(), exited(1), "it ended, with exit code 1"},
		"does not move": {BeRunning(), state.ProcessView{Node: one, Running: true, Paused: true}, "it is frozen"},

		"alive":          {BeAlive(), alive(func(*state.Liveness) {}), ""},
		"gone":           {BeAlive(), alive(func(l *state.Liveness) { l.Process = exited(1) }), "ended with exit code 1"},
		"frozen":         {BeAlive(), alive(func(l *state.Liveness) { l.Process.Paused = true }), "does not run"},
		"silent":         {BeAlive(), alive(func(l *state.Liveness) { l.Answers = false }), "its herder does not answer"},
		"not yet stable": {BeAlive(), alive(func(l *state.Liveness) { l.Group.State = "PreparingRebalance" }), "its group is PreparingRebalance"},
		"not a member":   {BeAlive(), alive(func(l *state.Liveness) { l.Group.Members = nil }), "its group does not have it"},

		"each task once":    {RunEachTaskOnce(), owners(well, owner(1, []topology.Node{two}, []topology.Node{two})), ""},
		"no thread":         {RunEachTaskOnce(), owners(well, owner(1, nil, nil)), "task 1 has no thread anywhere"},
		"two threads":       {RunEachTaskOnce(), owners(owner(0, []topology.Node{one, two}, []topology.Node{one})), "task 0 has 2 threads"},
		"another one's":     {RunEachTaskOnce(), owners(owner(0, []topology.Node{one}, []topology.Node{two})), "runs on worker-1 and is assigned to [worker-2]"},
		"nobody's":          {RunEachTaskOnce(), owners(owner(0, []topology.Node{one}, nil)), "is assigned to []"},
		"no tasks":          {RunEachTaskOnce(), owners(), "it has no tasks"},
		"no workers":        {RunEachTaskOnce(), state.TaskOwners{Connector: "sink", Tasks: []state.TaskOwner{well}}, "no worker runs"},
		"unnamed, and less": {RunEachTaskOnce(), unnamed, "worker-1 has 1 threads that run tasks, and 2 tasks"},

		"work is shared":        {ShareTheWork(2, 2), sharing("compatible", []int{1, 1}, []int{1, 1}), ""},
		"work of an odd number": {ShareTheWork(2, 3), sharing("sessioned", []int{1, 0}, []int{2, 1}), ""},
		"one idles":             {ShareTheWork(2, 2), sharing("sessioned", []int{1, 1}, []int{2, 0}), "[2 0] tasks"},
		"one has no connector":  {ShareTheWork(2, 2), sharing("sessioned", []int{2, 0}, []int{1, 1}), "[2 0] connectors"},
		"eager, by the sum":     {ShareTheWork(2, 2), sharing("default", []int{2, 0}, []int{0, 2}), ""},
		"eager, one idles":      {ShareTheWork(2, 2), sharing("default", []int{1, 0}, []int{2, 0}), "[1 0] connectors"},
		"a task is missing":     {ShareTheWork(2, 3), sharing("sessioned", []int{1, 1}, []int{1, 1}), "2 tasks are given away"},
		"a task given twice":    {ShareTheWork(2, 2), twice(sharing("sessioned", []int{1, 1}, []int{1, 1})), "1 of them different"},
		"a worker is missing":   {ShareTheWork(3, 2), sharing("sessioned", []int{1, 1}, []int{1, 1}), "Stable with 2 members"},

		"no thread stuck":       {HaveNoThreadStuck(), state.Stuck{Node: one, Dumps: 3}, ""},
		"stuck":                 {HaveNoThreadStuck(), state.Stuck{Node: one, Dumps: 3, Threads: []state.StuckThread{still}}, "controller-event-thread waits for a latch"},
		"deadlock":              {HaveNoThreadStuck(), state.Stuck{Node: one, Dumps: 3, Deadlocks: []state.Deadlock{{{Thread: "a"}}}}, "found a deadlock"},
		"one dump shows nought": {HaveNoThreadStuck(), state.Stuck{Node: one, Dumps: 1}, "1 dumps show nothing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			message := tryMatcher(t, test.matcher, test.reading, test.wrong)
			if found, ok := ParseFinding(message); !ok || found.Subject != test.reading.Subject() {
				t.Errorf("its finding is %v, %v", found, ok)
			}
		})
	}
}

// sharing is a stable group whose members have so many connectors and tasks each.
func sharing(protocol string, connectors, tasks []int) state.GroupView {
	group := state.GroupView{Group: "workers", State: "Stable", Protocol: protocol}
	next := 0
	for i := range connectors {
		member := state.Member{Connectors: make([]string, connectors[i])}
		for range tasks[i] {
			member.Tasks = append(member.Tasks, state.TaskID{Connector: "sink", Task: next})
			next++
		}
		group.Members = append(group.Members, member)
	}
	return group
}

func twice(group state.GroupView) state.GroupView {
	group.Members[1].Tasks = group.Members[0].Tasks
	return group
}

func exited(code int) state.ProcessView {
	return state.ProcessView{Node: one, ExitCode: code, StartedAt: time.Unix(1, 0), EndedAt: time.Unix(2, 0)}
}
