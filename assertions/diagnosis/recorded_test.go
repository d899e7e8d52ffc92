package diagnosis

import (
	"os"
	"slices"
	"strings"
	"testing"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// recorded is a broker with the dumps of a log that a JVM printed.
func recorded(t *testing.T, file string, change func(log string) string) state.NodeSymptoms {
	t.Helper()
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b := broker(2, "2.1.0")
	b.Dumps = state.ParseThreadDumps(b.Node, change(string(log)))
	return b
}

func asItIs(log string) string { return log }

func TestADeadlockThatTheJVMReports(t *testing.T) {
	for _, file := range []string{"java11.log", "java17.log"} {
		told := Of(state.Symptoms{Nodes: []state.NodeSymptoms{recorded(t, "../../harness/state/testdata/"+file, asItIs)}})
		if len(told) != 1 || !strings.HasPrefix(told[0], `broker-2 runs, its JVM found a deadlock: "`) || !strings.Contains(told[0], `held by "`) {
			t.Errorf("%s: told %q", file, told)
		}
	}
}

// The request handlers of the broker of incident B wait for requests; with another
// frame in that one's place they are all busy.
func TestRequestHandlersOfARecordedBroker(t *testing.T) {
	const log = "testdata/broker-2.1.0-incident-b.log"
	said := func(change func(string) string) string {
		return strings.Join(Of(state.Symptoms{Nodes: []state.NodeSymptoms{recorded(t, log, change)}}), "\n")
	}
	if told := said(asItIs); strings.Contains(told, "request handlers") {
		t.Errorf("told %q", told)
	}
	busy := func(log string) string {
		return strings.ReplaceAll(log, "at "+handlerIdle+"(", "at kafka.server.ReplicaManager.appendRecords(")
	}
	if told := said(busy); !strings.Contains(told, "none of its 8 request handlers was free in 3 dumps, one is in ReplicaManager.appendRecords") {
		t.Errorf("told %q", told)
	}
	oneFree := func(log string) string {
		last := strings.LastIndex(log, "at "+handlerIdle+"(")
		return busy(log[:last]) + log[last:]
	}
	if told := said(oneFree); strings.Contains(told, "request handlers") {
		t.Errorf("told %q", told)
	}
}

// A worker that is idle has its herder; when that thread is gone from all dumps,
// though the process runs, the worker is dead.
func TestTheHerderOfARecordedWorker(t *testing.T) {
	said := func(change func(string) string) string {
		n := worker(1, "3.9.2")
		n.Dumps = recorded(t, "testdata/worker-3.9.2-idle.log", change).Dumps
		return strings.Join(Of(state.Symptoms{Nodes: []state.NodeSymptoms{n}}), "\n")
	}
	if told := said(asItIs); told != "" {
		t.Errorf("told %q", told)
	}
	without := func(log string, dumps int) string {
		for range dumps {
			from := strings.Index(log, `"DistributedHerder-`)
			log = log[:from] + log[from+strings.Index(log[from:], "\n\n")+2:]
		}
		return log
	}
	gone := func(log string) string { return without(log, 3) }
	if told := said(gone); told != "worker-1 runs, it has no herder thread, and its log has no exception" {
		t.Errorf("told %q", told)
	}
	once := func(log string) string { return without(log, 2) }
	if told := said(once); told != "" {
		t.Errorf("told %q", told)
	}
}

// Of runs that ran into them, some threads left.
func TestControllersThatWaitForTheirOwnThreads(t *testing.T) {
	for jira, test := range map[string]struct{ release, cured, told string }{
		"KAFKA-4360": {"0.9.0.0", "0.10.2.0", "kafka-scheduler-0 has waited at least 2 s in CoreUtils$.inLock for a lock, 3 dumps agree"},
		"KAFKA-6846": {"1.1.1", "2.1.1", "controller-event-thread has waited at least 2 s in ShutdownableThread.awaitShutdown for a latch, 3 dumps agree"},
	} {
		b := recorded(t, "testdata/broker-"+test.release+"-"+strings.ToLower(jira)+".log", asItIs)
		b.Version, b.Registration.Present = topology.MustVersion(test.release), false
		told := "broker-2 is not registered, its process runs, " + test.told
		expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{b}}), told, "broker-2 looks like "+jira)

		b.Version = topology.MustVersion(test.cured)
		for _, bug := range Bugs(state.Symptoms{Nodes: []state.NodeSymptoms{b}}) {
			t.Errorf("%s: looks like %v", test.cured, bug)
		}
	}
}

// Of a run on a broker that is registered, and does what no controller tells it.
func TestTheBrokerThatTakesNoOrders(t *testing.T) {
	b := recorded(t, "testdata/broker-0.11.0.3-kafka-6051.log", asItIs)
	b.Version = topology.MustVersion("0.11.0.3")
	s := state.Symptoms{Nodes: []state.NodeSymptoms{b}}
	expect(t, Of(s), "broker-2 runs, kafka-request-handler-4 waits for ReplicaFetcherThread in ShutdownableThread.awaitShutdown, 3 dumps agree",
		"broker-2 looks like KAFKA-6051")
	other := b
	other.Node = topology.BrokerNode(3)
	s.Nodes = append(s.Nodes, other)
	expect(t, Of(s), "broker-2 runs", "broker-3 runs", "broker-2 and broker-3 look like KAFKA-6051")
	for i, sentence := range Of(s) {
		if NamesBug(sentence) != (i == 2) {
			t.Errorf("names a bug, or does not: %s", sentence)
		}
	}

	s = state.Symptoms{Nodes: []state.NodeSymptoms{b}}
	s.Nodes[0].Version = topology.MustVersion("1.1.0")
	expect(t, Of(s), "broker-2 runs, kafka-request-handler-4 waits for")
}

// That no broker has heard of a topic is not the controller's doing when they take no
// orders; that it has no leader is.
func TestAControllerThatIsNotHeard(t *testing.T) {
	deaf, controller := recorded(t, "testdata/broker-0.11.0.3-kafka-6051.log", asItIs), broker(1, "0.9.0.0")
	deaf.Version = controller.Version
	inName := func(topics []state.TopicView, other state.NodeSymptoms) bool {
		bugs := Bugs(state.Symptoms{Nodes: []state.NodeSymptoms{controller, other}, Views: []state.BrokerView{view(1, 0)},
			Topics: topics, Controller: state.ControllerView{Source: by, Present: true, Broker: 1}})
		return slices.ContainsFunc(bugs, func(b Bug) bool { return b.JIRA == "KAFKA-4229" })
	}
	if inName(unheard, deaf) {
		t.Error("a controller that is not heard is taken for one in name only")
	}
	if !inName(unheard, broker(2, "0.9.0.0")) || !inName(unled, deaf) {
		t.Error("a controller in name only is not known")
	}
}
