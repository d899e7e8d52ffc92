package state

import (
	"maps"
	"reflect"
	"strings"
	"testing"
)

func TestBrokerView(t *testing.T) {
	whole := Partition{"t", 0, 1, []int{1, 2}, []int{2, 1}}
	shrunk := Partition{"t", 1, 1, []int{1, 2}, []int{1}}
	orphan := Partition{"u", 0, -1, []int{3}, []int{3}}
	led := Partition{"u", 1, 3, []int{3}, []int{3}} // by a broker that is not alive
	view := BrokerView{Source: Source{By: "broker-1", At: at}, Broker: 1, Live: []int{1, 2}, Controller: 2,
		Topics: []Topic{{Name: "t", Partitions: []Partition{whole, shrunk}}, {Name: "u", Partitions: []Partition{orphan, led}}}}
	if got := view.UnderReplicated(); !reflect.DeepEqual(got, []Partition{shrunk}) {
		t.Errorf("under-replicated are %v", got)
	}
	if got := view.Leaderless(); !reflect.DeepEqual(got, []Partition{orphan, led}) {
		t.Errorf("leaderless are %v", got)
	}
	if got, found := view.Partition("u", 1); !found || !reflect.DeepEqual(got, led) {
		t.Errorf("u-1 is %v, %v", got, found)
	}
	for topic, number := range map[string]int{"u": 2, "v": 0} {
		if got, found := view.Partition(topic, number); found {
			t.Errorf("%s-%d is %v", topic, number, got)
		}
	}
	const line = "broker-1 sees brokers [1 2], controller 2, 4 partitions, 1 under-replicated (t-1 led by 1, in sync [1] of [1 2])," +
		" 2 without leader (u-0 led by -1, in sync [3] of [3]; u-1 led by 3, in sync [3] of [3]) (read by broker-1 at 03:04:05.678)"
	if view.String() != line {
		t.Errorf("prints as %q", view)
	}
	many := BrokerView{Topics: []Topic{{Partitions: []Partition{orphan, orphan, orphan, orphan}}}}
	if !strings.Contains(many.String(), "none under-replicated, 4 without leader") || strings.Count(many.String(), "u-0") != 3 {
		t.Errorf("prints as %q", many)
	}
}

func znode(data string) ZNode {
	return ZNode{Source: byZK, Path: "/x", Exists: true, Data: []byte(data)}
}

func TestTopicView(t *testing.T) {
	for release, data := range map[string]string{
		"0.9.0.0": `{"version":1,"partitions":{"10":[3],"2":[1,2]}}`,
		"3.9.2":   `{"removing_replicas":{},"partitions":{"10":[3],"2":[1,2]},"topic_id":"SBp5tmNzSGOk8j0SsM2rXw","adding_replicas":{},"version":3}`,
	} {
		view, err := NewTopicView("t", znode(data))
		want := []Partition{{Topic: "t", Partition: 2, Leader: -1, Replicas: []int{1, 2}}, {Topic: "t", Partition: 10, Leader: -1, Replicas: []int{3}}}
		if err != nil || !view.Present || !reflect.DeepEqual(view.Partitions, want) {
			t.Errorf("%s: read %v, %v", release, view, err)
		}
	}
	if view, err := NewTopicView("t", ZNode{}); err != nil || view.Present {
		t.Errorf("read %v, %v", view, err)
	}
	behind := Partition{Topic: "t", Partition: 1, Replicas: []int{1, 2}, ISR: []int{2}}
	unknown := Partition{Topic: "t", Partition: 2, Replicas: []int{1}}
	view := TopicView{Name: "t", Partitions: []Partition{{Topic: "t", Replicas: []int{1, 2}, ISR: []int{2, 1}}, behind, unknown}}
	if got := view.UnderReplicated(); !reflect.DeepEqual(got, []Partition{behind, unknown}) {
		t.Errorf("under-replicated are %v", got)
	}
	for _, data := range []string{"", "{}", `{"partitions":{}}`, `{"partitions":{"a":[1]}}`, `{"partitions":{"0":1}}`, `{"partitions":{"0":[1]}`} {
		if view, err := NewTopicView("t", znode(data)); err == nil {
			t.Errorf("%q was read as %v", data, view)
		}
	}
}

func TestPartitionState(t *testing.T) {
	p := Partition{Topic: "t", Leader: -1}
	if err := p.AddPartitionState(ZNode{}); err != nil || p.Leader != -1 {
		t.Errorf("read %v, %v", p, err)
	}
	if err := p.AddPartitionState(znode(`{"controller_epoch":1,"leader":2,"version":1,"leader_epoch":0,"isr":[2,1]}`)); err != nil ||
		p.Leader != 2 || !reflect.DeepEqual(p.ISR, []int{2, 1}) {
		t.Errorf("read %v, %v", p, err)
	}
	for _, data := range []string{"", "{}", `{"isr":[1]}`, `{"leader":"2"}`} {
		if err := p.AddPartitionState(znode(data)); err == nil || p.Leader != 2 {
			t.Errorf("%q was read as %v", data, p)
		}
	}
}

func TestParseConfig(t *testing.T) {
	for data, want := range map[string]map[string]string{
		`{"version":1,"config":{"retention.ms":"1"}}`: {"retention.ms": "1"},
		`{"version":1}`: {},
	} {
		if got, err := ParseConfig(znode(data)); err != nil || !maps.Equal(got, want) || got == nil {
			t.Errorf("%s: read %v, %v", data, got, err)
		}
	}
	if got, err := ParseConfig(ZNode{}); err != nil || got == nil {
		t.Errorf("read %v, %v", got, err)
	}
	for _, data := range []string{"", `{"config":[]}`} {
		if got, err := ParseConfig(znode(data)); err == nil {
			t.Errorf("%q was read as %v", data, got)
		}
	}
}

func TestSpread(t *testing.T) {
	got, err := Spread([]int{1, 2, 3}, 4, 2)
	if want := [][]int{{1, 2}, {2, 3}, {3, 1}, {1, 2}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("placed %v, %v", got, err)
	}
	for _, bad := range [][2]int{{1, 4}, {1, 0}, {0, 1}} {
		if got, err := Spread([]int{1, 2, 3}, bad[0], bad[1]); err == nil {
			t.Errorf("%v: placed %v", bad, got)
		}
	}
}

func TestConnectViewsPrintInOneLine(t *testing.T) {
	by := Source{By: "worker-1", At: at}
	for _, test := range []struct{ got, want string }{
		{ConnectorView{Source: by, Name: "s"}.String(), "there is no connector s (read by worker-1 at 03:04:05.678)"},
		{ConnectorView{Source: by, Name: "s", Present: true, State: "FAILED", Worker: "w", Trace: "X: a\n\tat b", Tasks: []TaskView{{State: "RUNNING", Worker: "w"}}}.String(),
			"connector s is FAILED on w: X: a; task 0 RUNNING on w (read by worker-1 at 03:04:05.678)"},
		{TopicView{Source: byZK, Name: "t"}.String(), "there is no topic t (read by zk-1 at 03:04:05.678)"},
		{Coordinator{Source: by, Group: "g", Broker: 3}.String(), "group g is coordinated by broker-3 (read by worker-1 at 03:04:05.678)"},
	} {
		if test.got != test.want {
			t.Errorf("prints as %q, want %q", test.got, test.want)
		}
	}
}
