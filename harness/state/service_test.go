package state

import (
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

// sees is what a broker sees of topic probe: the leader of each of its
// partitions.
func sees(broker, controller int, live []int, leaders ...int) BrokerView {
	topic := Topic{Name: "probe"}
	for n, leader := range leaders {
		topic.Partitions = append(topic.Partitions, Partition{Topic: "probe", Partition: n, Leader: leader, Replicas: []int{1, 2}, ISR: []int{1, 2}})
	}
	return BrokerView{Broker: broker, Controller: controller, Live: live, Topics: []Topic{topic}}
}

func TestControllerService(t *testing.T) {
	live := []int{1, 2}
	s := ControllerService{Topic: "probe", Partitions: 2, Waited: 1500 * time.Millisecond,
		Controller: ControllerView{Present: true, Broker: 1, Epoch: 3},
		Views:      []BrokerView{sees(1, 1, live, 1, 2), sees(2, -1, live, 1, 2)}}
	if len(s.Unserved()) > 0 || len(s.Rivals()) > 0 {
		t.Errorf("%v is not well", s)
	}
	if text := s.String(); !strings.HasPrefix(text, "topic probe, made 1.5 s before: every broker sees a leader for each of its partitions; broker-1 is the controller") {
		t.Errorf("prints as %q", text)
	}
	for name, view := range map[string]BrokerView{
		"no leader":             sees(2, 1, live, -1, 2),
		"a leader that is gone": sees(2, 1, []int{2}, 1, 2),
		"a partition unknown":   sees(2, 1, live, 1),
		"the topic unknown":     {Broker: 2, Controller: 1, Live: live},
	} {
		s.Views[1] = view
		if missing := s.Unserved(); len(missing) != 1 || !strings.HasPrefix(missing[0], "broker-2 sees a leader for ") {
			t.Errorf("%s: %q", name, missing)
		}
	}
	s.Views[1] = sees(2, 2, live, 1, 2)
	if rivals := s.Rivals(); len(rivals) != 1 || rivals[0] != "broker-2 takes broker-2 for the controller" {
		t.Errorf("rivals are %q", rivals)
	}
}

func TestReplicas(t *testing.T) {
	live := []int{1, 2}
	r := Replicas{Brokers: live, Views: []BrokerView{sees(1, 1, live, 1, 2), sees(2, 1, live, 1)}}
	if len(r.Wrong()) > 0 || r.Partitions() != 2 || !strings.HasPrefix(r.String(), "2 of 2 brokers tell of 2 partitions: every replica is in sync") {
		t.Errorf("read %v", r)
	}
	behind := sees(2, 1, live, 1, 2)
	behind.Topics[0].Partitions[1].ISR = []int{2}
	for name, test := range map[string]struct {
		change func(*Replicas)
		want   string
	}{
		"a broker that is not seen": {func(r *Replicas) { r.Views[1] = sees(2, 1, []int{2}, 2) }, "broker-2 sees brokers [2] of [1 2]"},
		"no leader":                 {func(r *Replicas) { r.Views[1] = sees(2, 1, live, -1) }, "broker-2 sees 1 without leader (probe-0"},
		"not in sync":               {func(r *Replicas) { r.Views[1] = behind }, "broker-2 sees 1 under-replicated (probe-1"},
		"a broker that is down": {func(r *Replicas) {
			r.Views, r.Down = r.Views[:1], []ProcessView{{Node: topology.BrokerNode(2), Running: true, Paused: true}}
		}, "broker-2 is paused"},
	} {
		changed := r
		changed.Views = []BrokerView{r.Views[0], r.Views[1]}
		test.change(&changed)
		if wrong := changed.Wrong(); len(wrong) != 1 || !strings.HasPrefix(wrong[0], test.want) {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

func TestLiveness(t *testing.T) {
	worker := topology.WorkerNode(1)
	l := Liveness{Worker: worker, Process: ProcessView{Node: worker, Running: true, Pid: 7}, Answers: true,
		Group: GroupView{Group: "connect", State: "Stable", Members: []Member{memberWith(1)}}}
	if !l.Runs() || !l.Member() || !strings.Contains(l.String(), "; its herder answers; group connect is Stable") {
		t.Errorf("read %v", l)
	}
	l.Answers, l.Silence, l.LastWords = false, "500", Trace{Exception: "java.lang.X: y"}
	l.Group.Members = []Member{memberWith(2)}
	if text := l.String(); l.Member() || !strings.Contains(text, "does not answer: 500") ||
		!strings.HasSuffix(text, "; the last exception in its log: java.lang.X: y") {
		t.Errorf("prints as %q", text)
	}
	l.Process.Paused = true
	if l.Runs() || strings.Contains(l.String(), "herder does") {
		t.Errorf("frozen, it prints as %q", l)
	}
}
