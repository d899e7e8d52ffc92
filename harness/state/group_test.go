package state

import (
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

// What coordinators told of real workers: eager ones of 0.9.0.0, and
// incremental ones of 3.9.2 when the connector was new, and when its tasks were.
const (
	eagerMetadata   = "00000017687474703a2f2f3132372e302e302e313a32323030362f0000000000000012"
	eagerAssignment = "00000000002e636f6e6e6563742d312d38653136366230322d363838382d346566312d616236612d62316235386562663565323600" +
		"17687474703a2f2f3132372e302e302e313a32323030362f0000000000000012" +
		"00000002000373726300000002ffffffff00000000000473696e6b00000003ffffffff0000000000000001"

	connectorHeld = "00020000003c636f6e6e6563742d3132372e302e302e313a32313030372d66353934396637612d336231382d343533342d" +
		"626663612d6534343139383736303030660017687474703a2f2f3132372e302e302e313a32313030372f0000000000000019" +
		"00000001000473696e6b00000001ffffffff0000000000000000"
	incrementalMetadata   = "00020017687474703a2f2f3132372e302e302e313a32313030372f000000000000001c0000007d" + connectorHeld
	incrementalAssignment = "00020000003c636f6e6e6563742d3132372e302e302e313a32313030372d66353934396637612d336231382d343533342d" +
		"626663612d6534343139383736303030660017687474703a2f2f3132372e302e302e313a32313030372f000000000000001c" +
		"00000001000473696e6b0000000200000000000000010000000000000000"
)

func raw(t *testing.T, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func tasks(connector string, numbers ...int) []TaskID {
	var all []TaskID
	for _, number := range numbers {
		all = append(all, TaskID{connector, number})
	}
	return all
}

func TestDecodeEagerWorker(t *testing.T) {
	var m Member
	if err := m.DecodeWorker(raw(t, eagerMetadata), raw(t, eagerAssignment)); err != nil {
		t.Fatal(err)
	}
	const url = "http://127.0.0.1:22006/"
	all := append(tasks("src", 0), tasks("sink", 0, 1)...)
	want := Member{URL: url, Connectors: []string{"src", "sink"}, Tasks: all, Assignment: Assignment{
		Leader: "connect-1-8e166b02-6888-4ef1-ab6a-b1b58ebf5e26", LeaderURL: url, ConfigOffset: 0x12,
		Connectors: []string{"src", "sink"}, Tasks: all}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("read %+v, want %+v", m, want)
	}
}

// An incremental leader gives what is new; the worker told what it held.
func TestDecodeIncrementalWorker(t *testing.T) {
	var m Member
	if err := m.DecodeWorker(raw(t, incrementalMetadata), raw(t, incrementalAssignment)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Connectors, []string{"sink"}) || !slices.Equal(m.Tasks, tasks("sink", 0, 1)) {
		t.Errorf("the worker has %v and %v", m.Connectors, m.Tasks)
	}
	if a := m.Assignment; a.Version != 2 || len(a.Connectors) != 0 || !slices.Equal(a.Tasks, tasks("sink", 0, 1)) || a.ConfigOffset != 0x1c {
		t.Errorf("it was given %+v", a)
	}
}

func TestRevokedWorkIsNoLongerAssigned(t *testing.T) {
	head := strings.Split(connectorHeld, "00000001000473696e6b")[0]
	revokes := head + "00000000" + "00000001000473696e6b00000001ffffffff" + "000007d0"
	var m Member
	if err := m.DecodeWorker(raw(t, incrementalMetadata), raw(t, revokes)); err != nil {
		t.Fatal(err)
	}
	if len(m.Connectors) != 0 || !slices.Equal(m.Assignment.RevokedConnectors, []string{"sink"}) || m.Assignment.Delay != 2*time.Second {
		t.Errorf("read %+v", m)
	}
	nothing := head + "ffffffff" + "ffffffff" + "00000000" // null arrays
	if a, err := DecodeAssignment(raw(t, nothing)); err != nil || len(a.Tasks)+len(a.RevokedTasks) != 0 {
		t.Errorf("read %+v, %v", a, err)
	}
}

func TestARebalancingMemberHasNothing(t *testing.T) {
	var m Member
	if err := m.DecodeWorker(nil, nil); err != nil || !reflect.DeepEqual(m, Member{}) {
		t.Errorf("read %+v, %v", m, err)
	}
}

func TestEncodeWorker(t *testing.T) {
	for version := range int16(3) {
		var m Member
		err := m.DecodeWorker(EncodeWorker(version, "http://worker-1:8083/"), nil)
		if err != nil || m.URL != "http://worker-1:8083/" || len(m.Tasks) != 0 {
			t.Errorf("version %d: read %+v, %v", version, m, err)
		}
	}
}

func TestDecodeWorkerRefuses(t *testing.T) {
	for name, text := range map[string]string{"eager": eagerAssignment, "incremental": incrementalAssignment} {
		whole := raw(t, text)
		for cut := range len(whole) {
			if a, err := DecodeAssignment(whole[:cut]); err == nil {
				t.Errorf("%s, cut after %d of %d bytes: read %+v", name, cut, len(whole), a)
			}
		}
		if a, err := DecodeAssignment(append(slices.Clone(whole), 0)); err == nil {
			t.Errorf("%s, with a byte behind: read %+v", name, a)
		}
	}
	for _, text := range []string{eagerMetadata, incrementalMetadata} {
		whole := raw(t, text)
		for cut := 1; cut < len(whole); cut++ {
			if err := new(Member).DecodeWorker(whole[:cut], nil); err == nil {
				t.Errorf("cut after %d of %d bytes: no error", cut, len(whole))
			}
		}
	}
}

func FuzzDecodeAssignment(f *testing.F) {
	for _, text := range []string{eagerAssignment, incrementalAssignment, incrementalMetadata} {
		data, _ := hex.DecodeString(text)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := DecodeAssignment(data); err == nil && len(a.Tasks)+len(a.RevokedTasks) > len(data) {
			t.Errorf("%x came to %+v", data, a)
		}
		new(Member).DecodeWorker(data, data)
	})
}

func worker(id, leader string, n int, work ...TaskID) Member {
	return Member{ID: id, URL: "http://" + topology.WorkerNode(n).String() + ":8083/", Tasks: work, Assignment: Assignment{Leader: leader}}
}

func TestGroupView(t *testing.T) {
	task := TaskID{"sink", 0}
	view := GroupView{Source: Source{By: "broker-2", At: at}, Group: "g", Coordinator: 2, State: "Stable", Generation: 7,
		Members: []Member{worker("a", "b", 1, task), worker("b", "b", 2)}}
	if leader, ok := view.Leader(); !ok || leader.ID != "b" {
		t.Errorf("the leader is %v, %v", leader, ok)
	}
	if m, ok := view.Member(topology.WorkerNode(1)); !ok || m.ID != "a" {
		t.Errorf("worker-1 is %v, %v", m, ok)
	}
	if _, ok := view.Member(topology.WorkerNode(3)); ok {
		t.Error("worker-3 is in the group")
	}
	if owners := view.OwnersOf(task); len(owners) != 1 || owners[0].ID != "a" {
		t.Errorf("%v is owned by %v", task, owners)
	}
	if owners := view.OwnersOf(TaskID{"sink", 1}); len(owners) != 0 {
		t.Errorf("owned by %v", owners)
	}
	const line = "group g is Stable in generation 7 at broker-2, 2 members: worker-1 [sink-0], worker-2 []; leader worker-2 (read by broker-2 at 03:04:05.678)"
	if view.String() != line {
		t.Errorf("prints as %q", view)
	}
	for name, members := range map[string][]Member{
		"nobody":           nil,
		"a leader gone":    {worker("a", "c", 1)},
		"two leaders":      {worker("a", "a", 1), worker("b", "b", 2)},
		"one that is lost": {worker("a", "a", 1), worker("b", "", 2)},
	} {
		if leader, ok := (GroupView{Members: members}).Leader(); ok {
			t.Errorf("%s: the leader is %v", name, leader)
		}
	}
}

func TestMembersThatAreNoWorkersOfOurs(t *testing.T) {
	for _, url := range []string{"", "http://10.0.0.1:8083/", "worker-1:8083", "http://worker-x/", "://"} {
		if node, ok := (Member{URL: url}).Node(); ok {
			t.Errorf("%q is %v", url, node)
		}
	}
}

// The hashes are Java's.
func TestGroupPartition(t *testing.T) {
	for _, test := range []struct {
		group    string
		hash     int32
		of5, o50 int
	}{
		{"connect-cluster", 1440343063, 3, 13},
		{"connect-sink", 1867811222, 2, 22},
		{"", 0, 0, 0},
		{"polygenelubricants", math.MinInt32, 0, 0},
		{"connect-é😀", 1724702889, 4, 39},
		{"connect-orders", -436250328, 3, 28},
		{"sink-group-x", -891955344, 4, 44},
	} {
		if got := javaHash(test.group); got != test.hash {
			t.Errorf("hash of %q is %d, want %d", test.group, got, test.hash)
		}
		if got := GroupPartition(test.group, 5); got != test.of5 {
			t.Errorf("%q lives on %d of 5, want %d", test.group, got, test.of5)
		}
		if got := GroupPartition(test.group, 50); got != test.o50 {
			t.Errorf("%q lives on %d of 50, want %d", test.group, got, test.o50)
		}
	}
}

func TestConnectorOnPartition(t *testing.T) {
	for _, partitions := range []int{1, 5, 50} {
		for wanted := range partitions {
			name, err := ConnectorOnPartition("sink", wanted, partitions)
			if err != nil || !strings.HasPrefix(name, "sink-") || GroupPartition(ConnectorGroup(name), partitions) != wanted {
				t.Errorf("%d of %d: got %q, %v", wanted, partitions, name, err)
			}
		}
	}
	for _, wanted := range []int{-1, 5} {
		if name, err := ConnectorOnPartition("sink", wanted, 5); err == nil {
			t.Errorf("%d of 5: got %q", wanted, name)
		}
	}
}
