package diagnosis

import (
	"os"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// by is where every reading here comes from.
var by = state.Source{By: "zk-1", At: now}

func running(node topology.Node) state.ProcessView {
	return state.ProcessView{Source: by, Node: node, Running: true, Pid: 7, StartedAt: now}
}

func ended(node topology.Node, code int) state.ProcessView {
	return state.ProcessView{Source: by, Node: node, ExitCode: code, StartedAt: now, EndedAt: now.Add(time.Second)}
}

func broker(n int, release string) state.NodeSymptoms {
	node := topology.BrokerNode(n)
	return state.NodeSymptoms{Node: node, Version: topology.MustVersion(release), Process: running(node),
		Registration: state.Registration{Source: by, Broker: n, Present: true}}
}

// Topics without a leader, and with one that no view has heard of.
var (
	unled   = []state.TopicView{{Name: "probe", Present: true, Partitions: []state.Partition{{Topic: "probe", Leader: -1}}}}
	unheard = []state.TopicView{{Name: "t", Present: true, Partitions: []state.Partition{{Topic: "t", Leader: 1}}},
		{Name: "probe", Present: true, Partitions: []state.Partition{{Topic: "probe", Leader: 1}}}, {Name: "deleted"}}
)

func worker(n int, release string) state.NodeSymptoms {
	node := topology.WorkerNode(n)
	return state.NodeSymptoms{Node: node, Version: topology.MustVersion(release), Process: running(node),
		Liveness: state.Liveness{Source: by, Worker: node, Process: running(node), Answers: true,
			Group: state.GroupView{State: "Stable", Members: []state.Member{{ID: "a", URL: "http://" + node.String() + ":8083"}}}}}
}

// symptomsOfB are those of broker-2, a 2.1.0 that ran into the incident: the log
// is of that run, with some twenty of its threads left in the dumps.
func symptomsOfB(t *testing.T) state.NodeSymptoms {
	t.Helper()
	log, err := os.ReadFile("testdata/broker-2.1.0-incident-b.log")
	if err != nil {
		t.Fatal(err)
	}
	b := broker(2, "2.1.0")
	b.Registration.Present = false
	b.Dumps = state.ParseThreadDumps(b.Node, string(log))
	b.Traces = state.Traces(string(log))
	b.LastWords = state.LastTrace(string(log), "")
	return b
}

// expect looks for parts of sentences, in this order, one in each at most, and
// for no more sentences than that.
func expect(t *testing.T, told []string, parts ...string) {
	t.Helper()
	for i, sentence := range told {
		if i >= len(parts) || !strings.Contains(sentence, parts[i]) {
			t.Fatalf("sentence %d is %q; all of them:\n%s\nwant %q", i, sentence, strings.Join(told, "\n"), parts)
		}
	}
	if len(told) != len(parts) {
		t.Fatalf("told %q, want %q", told, parts)
	}
}

func TestTheBrokerThatNeverComesBack(t *testing.T) {
	b := symptomsOfB(t)
	told := Of(state.Symptoms{Nodes: []state.NodeSymptoms{b, broker(1, "2.1.0")}})
	expect(t, told, "broker-2 is not registered, its process runs, "+
		"controller-event-thread has waited at least 2 s in ZooKeeperClient.handleRequests for an answer of ZooKeeper, "+
		"zk-session-expiry-handler0 waits for controller-event-thread in KafkaController$Expire.waitUntilProcessingStarted, "+
		"3 dumps agree",
		"broker-2 looks like a known bug without a JIRA of its own (the controller waits for ever")
	if !strings.Contains(told[1], "releases from 2.1.0; first without it: 2.2.0") {
		t.Errorf("told %q", told[1])
	}

	b.Version = topology.MustVersion("2.2.0") // does not have that bug
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{b}}), "broker-2 is not registered")
	b.Version, b.Dumps = topology.MustVersion("2.1.0"), b.Dumps[:1] // shows nothing stuck
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{b}}), "broker-2 is not registered, its process runs")
}

func TestTheWorkerThatARebalanceKills(t *testing.T) {
	log, err := os.ReadFile("testdata/worker-0.9.0.0-incident-a.log") // of a run that ran into the incident
	if err != nil {
		t.Fatal(err)
	}
	a := worker(1, "0.9.0.0")
	a.Process = ended(a.Node, 1)
	a.LastWords = state.LastTrace(string(log), "erder")
	s := state.Symptoms{Nodes: []state.NodeSymptoms{a}}
	expect(t, Of(s), "worker-1 exited with code 1, the herder's last exception: java.util.ConcurrentModificationException: "+
		"KafkaConsumer is not safe for multi-threaded access at org.apache.kafka.clients.consumer.KafkaConsumer.acquire",
		"worker-1 looks like a known bug without a JIRA of its own (a rebalance kills the worker")
	if bugs := Bugs(s); len(bugs) != 1 || bugs[0].JIRA != "" {
		t.Errorf("it looks like %v", bugs)
	}

	s.Nodes[0].Process = ended(a.Node, 137) // somebody else's doing
	expect(t, Of(s), "worker-1 was ended by signal 9")
	s.Nodes[0].Process, s.Nodes[0].LastWords = ended(a.Node, 1), state.Trace{}
	expect(t, Of(s), "worker-1 exited with code 1, and its log has no exception")
}

func TestNothingIsToldOfAClusterThatIsWell(t *testing.T) {
	s := state.Symptoms{Controller: state.ControllerView{Source: by, Present: true, Broker: 1},
		Nodes: []state.NodeSymptoms{broker(1, "2.1.0"), worker(1, "3.6.0")},
		Views: []state.BrokerView{view(1, 3)}}
	expect(t, Of(s))
	expect(t, Of(state.Symptoms{}))
}

func view(of, partitions int) state.BrokerView {
	v := state.BrokerView{Source: by, Broker: of, Live: []int{1}}
	topic := state.Topic{Name: "t"}
	for n := range partitions {
		topic.Partitions = append(topic.Partitions, state.Partition{Topic: "t", Partition: n, Leader: 1})
	}
	v.Topics = []state.Topic{topic}
	return v
}

// The other incidents, each by the general symptom that it shows, on the release
// that has it, and without the bug's name on the one that has not.
func TestWhatBugsLookLike(t *testing.T) {
	idle := state.TaskOwners{Source: by, Connector: "sink", Workers: []topology.Node{topology.WorkerNode(1)},
		Tasks: []state.TaskOwner{{ID: state.TaskID{Connector: "sink", Task: 2},
			Status: state.TaskView{State: "RUNNING", Worker: "worker-2:8083"}}}}
	metric := state.Trace{Exception: "java.lang.IllegalArgumentException: A metric named 'x' already exists",
		Frames: []state.Frame{{Method: "org.apache.kafka.common.metrics.Metrics.registerMetric"}}}
	feature := state.Trace{Exception: "org.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired for /feature",
		Frames: []state.Frame{{Method: "kafka.server.FinalizedFeatureChangeListener$ChangeNotificationProcessorThread.doWork"}}}
	expired := state.Trace{Exception: "org.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired",
		Frames: []state.Frame{{Method: "kafka.zk.KafkaZkClient$CheckedEphemeral.create"}}}
	of := func(n state.NodeSymptoms, change func(*state.Symptoms)) state.Symptoms {
		s := state.Symptoms{Nodes: []state.NodeSymptoms{n}}
		change(&s)
		return s
	}
	early := state.Trace{Exception: "java.lang.IllegalStateException: Epoch 3147 larger than current broker epoch 2382",
		Frames: []state.Frame{{Method: "kafka.server.KafkaApis.isBrokerEpochStale"}}}
	both := state.TaskOwners{Source: by, Connector: "sink", Workers: []topology.Node{topology.WorkerNode(1)},
		Tasks: []state.TaskOwner{{ID: state.TaskID{Connector: "sink"}, RunBy: []topology.Node{topology.WorkerNode(1)},
			Assigned: []topology.Node{topology.WorkerNode(1), topology.WorkerNode(2)}}}}
	tests := map[string]struct {
		jira, affected, cured string
		node                  func(int, string) state.NodeSymptoms
		change                func(*state.Symptoms)
		told                  []string
	}{
		"C": {"KAFKA-15693", "3.6.0", "3.6.1", worker, func(s *state.Symptoms) { s.Connectors = []state.TaskOwners{idle} },
			[]string{"task sink-2 has no thread anywhere, and by REST it is RUNNING on worker-2:8083"}},
		"D": {"KAFKA-7235", "2.1.1", "2.2.0", broker, func(s *state.Symptoms) { s.Views = []state.BrokerView{view(1, 0), view(2, 7)} },
			[]string{"broker-1 is registered, and knows none of the 7 partitions that it should by what others know"}},
		"D, when it heard of what it does not lead": {"KAFKA-7235", "2.1.1", "2.2.0", broker, func(s *state.Symptoms) {
			one, two := view(1, 2), view(2, 7)
			for n := range 2 {
				one.Topics[0].Partitions[n].Leader, two.Topics[0].Partitions[n].Leader = 2, 2
			}
			s.Views = []state.BrokerView{one, two}
		}, []string{"broker-1 is registered, and knows none of the 5 partitions that it should by what others know"}},
		"orders that come too early": {"KAFKA-9839", "2.4.1", "2.6.0", broker, func(s *state.Symptoms) { s.Nodes[0].Traces = []state.Trace{early} }, nil},
		"a task that two have":       {"KAFKA-9841", "2.4.1", "2.5.1", worker, func(s *state.Symptoms) { s.Connectors = []state.TaskOwners{both} }, nil},
		"E":                          {"KAFKA-6252", "1.0.0", "1.0.1", worker, func(s *state.Symptoms) { s.Nodes[0].Traces = []state.Trace{metric} }, nil},
		"H": {"KAFKA-14887", "2.8.2", "3.6.0", broker, func(s *state.Symptoms) {
			s.Nodes[0].Process, s.Nodes[0].LastWords = ended(s.Nodes[0].Node, 1), expired
			s.Nodes[0].Traces = []state.Trace{feature, expired}
		}, []string{"broker-1 exited with code 1, the last exception in its log: " + expired.String()}},
		"F": {"KAFKA-4229", "0.10.1.1", "0.10.2.0", broker, func(s *state.Symptoms) {
			s.Topics, s.Controller = unled, state.ControllerView{Source: by, Present: true, Broker: 1}
		}, []string{"topic probe has no leader or is known to no broker, though broker-1 is the controller"}},
		"F, when it chose a leader and told nobody": {"KAFKA-4229", "0.10.1.1", "0.10.2.0", broker, func(s *state.Symptoms) {
			s.Topics, s.Controller = unheard, state.ControllerView{Source: by, Present: true, Broker: 1}
			s.Views = []state.BrokerView{view(1, 3)}
		}, []string{"topic probe has no leader or is known to no broker, though broker-1 is the controller"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, Of(of(test.node(1, test.cured), test.change)), test.told...)
			expect(t, Of(of(test.node(1, test.affected), test.change)), append(test.told, "looks like "+test.jira+" (")...)
		})
	}
}

func TestWhatIsToldOfNodes(t *testing.T) {
	frozen, gone, starved, silent, out := broker(1, "3.9.2"), broker(1, "3.9.2"), broker(1, "3.9.2"), worker(1, "3.9.2"), worker(1, "3.9.2")
	frozen.Process.Paused = true
	gone.Process = ended(gone.Node, 143)
	starved.Process = ended(starved.Node, 137)
	starved.Process.OutOfMem = true
	silent.Liveness.Answers = false
	out.Liveness.Group = state.GroupView{State: "PreparingRebalance"}
	headless := worker(1, "3.9.2")
	headless.Dumps = []state.ThreadDump{{Complete: true, Threads: []state.Thread{{Name: "main", State: "WAITING"}}}}
	locked := broker(1, "3.9.2")
	locked.Dumps = []state.ThreadDump{{Complete: true, Deadlocks: []state.Deadlock{{{Thread: "a", For: "waiting to lock", HeldBy: "b"}}}}}
	for name, test := range map[string]struct {
		node state.NodeSymptoms
		want string
	}{
		"frozen":         {frozen, "broker-1 is frozen"},
		"told to end":    {gone, "broker-1 was ended by signal 15"},
		"out of memory":  {starved, "broker-1 was killed for want of memory"},
		"silent herder":  {silent, "worker-1 runs, its herder does not answer"},
		"not a member":   {out, "worker-1 runs, its group (PreparingRebalance) does not have it"},
		"without herder": {headless, "worker-1 runs, it has no herder thread, and its log has no exception"},
		"deadlock":       {locked, `broker-1 runs, its JVM found a deadlock: "a" waiting to lock held by "b"`},
	} {
		t.Run(name, func(t *testing.T) { expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{test.node}}), test.want) })
	}
}
