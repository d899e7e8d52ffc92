package diagnosis

import (
	"strings"
	"testing"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// Of runs of 2.4.1 that ran into them, the threads that tell.
func TestWorkersThatWaitForConnectors(t *testing.T) {
	for jira, want := range map[string]struct {
		cured string
		told  []string
	}{
		"KAFKA-9374":  {"2.6.0", []string{"worker-1 runs, DistributedHerder-connect-1 has waited at least 2 s in DistributedHerder.startAndStop"}},
		"KAFKA-10340": {"2.6.2", nil},
	} {
		w := worker(1, "2.4.1")
		w.Dumps = recorded(t, "testdata/worker-2.4.1-"+strings.ToLower(jira)+".log", asItIs).Dumps
		expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{w}}), append(want.told, "worker-1 looks like "+jira)...)
		w.Version = topology.MustVersion(want.cured)
		expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{w}}), want.told...)
		w.Version, w.Dumps = topology.MustVersion("2.4.1"), w.Dumps[:1] // a thread may be anywhere once
		expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{w}}))
	}
}

func TestGroupsOfSinksThatDoNotSettle(t *testing.T) {
	in := func(how string) state.GroupView {
		return state.GroupView{Source: by, Group: "connect-sink", State: how, Generation: 2, Members: make([]state.Member, 3)}
	}
	expect(t, Of(state.Symptoms{Consumers: []state.GroupView{in("Stable"), in("PreparingRebalance"), in("Empty")}}),
		"group connect-sink is PreparingRebalance, after generation 2, with 3 members")
}
