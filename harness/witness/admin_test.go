package witness

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

func TestAdminWritesWhatControllersWatch(t *testing.T) {
	fake, z := fakeWitness(t)
	a := NewAdmin(z)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(a.CreateTopic(ctx, "t", [][]int{{1, 2}, {2, 3}}, map[string]string{"a": "1", "b": "2"}))
	must(a.SetTopicConfig(ctx, "t", "a", ""))
	must(a.SetTopicConfig(ctx, "t", "c", "3"))
	must(a.Reassign(ctx, "t", 0, []int{3, 1}))
	must(a.ElectPreferred(ctx, "t", 1))
	must(a.makePath(ctx, deletionsPath))
	must(a.DeleteTopic(ctx, "t"))
	must(a.DeleteTopic(ctx, "t")) // once more is no error

	for node, want := range map[string]string{
		"/brokers/topics/t":                 `{"partitions":{"0":[1,2],"1":[2,3]},"version":1}`,
		"/config/topics/t":                  `{"config":{"b":"2","c":"3"},"version":1}`,
		"/config/changes/config_change_":    `{"entity_name":"t","entity_type":"topics","version":1}`,
		"/admin/reassign_partitions":        `{"partitions":[{"partition":0,"replicas":[3,1],"topic":"t"}],"version":1}`,
		"/admin/preferred_replica_election": `{"partitions":[{"partition":1,"topic":"t"}],"version":1}`,
		"/admin/delete_topics/t":            "",
	} {
		if got, exists := fake.nodes[node]; !exists || string(got.data) != want {
			t.Errorf("%s holds %q (%v), want %q", node, got.data, exists, want)
		}
	}
}

func TestAdminReadsTopics(t *testing.T) {
	fake, z := fakeWitness(t)
	a := NewAdmin(z)
	if view, err := a.Topic(t.Context(), "t"); err != nil || view.Present {
		t.Errorf("read %v, %v", view, err)
	}
	fake.nodes["/brokers/topics/t"] = fakeNode{data: []byte(`{"partitions":{"0":[1,2],"1":[2]}}`)}
	fake.nodes["/brokers/topics/t/partitions/0/state"] = fakeNode{data: []byte(`{"leader":2,"isr":[2]}`)}
	fake.nodes["/config/topics/t"] = fakeNode{data: []byte(`{"config":{"a":"1"}}`)}
	view, err := a.Topic(t.Context(), "t")
	if err != nil || len(view.Partitions) != 2 || view.Partitions[0].Leader != 2 || view.Partitions[1].Leader != -1 ||
		!maps.Equal(view.Config, map[string]string{"a": "1"}) || view.By != "zk-1" {
		t.Errorf("read %v, %v", view, err)
	}
	fake.nodes["/config/topics/t"] = fakeNode{data: []byte(`nonsense`)}
	if view, err := a.Topic(t.Context(), "t"); err == nil {
		t.Errorf("read %v", view)
	}
}

func TestAdminRefuses(t *testing.T) {
	fake, z := fakeWitness(t)
	a := NewAdmin(z)
	ctx := t.Context()
	fake.do("create /brokers/topics/old", "create /admin/reassign_partitions", "create /admin/preferred_replica_election")
	fake.nodes["/config/topics/old"] = fakeNode{data: []byte("kept")}
	for _, test := range []struct {
		name string
		err  error
		is   error
		says string
	}{
		{"an old topic", a.CreateTopic(ctx, "old", [][]int{{1}}, nil), ErrNodeExists, "create topic old"},
		{"a wrong name", a.CreateTopic(ctx, "a/b", [][]int{{1}}, nil), nil, "not a name"},
		{"two dots", a.CreateTopic(ctx, "..", [][]int{{1}}, nil), nil, "not a name"},
		{"no partition", a.CreateTopic(ctx, "new", nil, nil), nil, "no partition"},
		{"no replica", a.CreateTopic(ctx, "new", [][]int{{1}, {}}, nil), nil, "no replica for partition 1"},
		{"deleting nothing", a.DeleteTopic(ctx, "new"), ErrNoNode, "delete topic new"},
		{"configuring nothing", a.SetTopicConfig(ctx, "new", "k", "v"), ErrNoNode, "set k of topic new"},
		{"a second reassignment", a.Reassign(ctx, "old", 3, []int{1}), ErrInProgress, "reassign old-3 to [1]"},
		{"a second election", a.ElectPreferred(ctx, "old", 3), ErrInProgress, "leader of old-3"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.says) || test.is != nil && !errors.Is(test.err, test.is) {
			t.Errorf("%s: got %v, want %q", test.name, test.err, test.says)
		}
	}
	if kept := fake.nodes["/config/topics/old"]; string(kept.data) != "kept" {
		t.Errorf("the old topic's configuration is now %q", kept.data)
	}
}
