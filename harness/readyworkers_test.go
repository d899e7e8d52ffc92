package harness

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

func TestWorkersHaveJoinedWhenTheStableGroupHasAll(t *testing.T) {
	both := []topology.Node{topology.WorkerNode(1), topology.WorkerNode(2)}
	one, two := state.Member{URL: "http://worker-1:18083/"}, state.Member{URL: "http://worker-2:18084/"}
	for name, test := range map[string]struct {
		group state.GroupView
		want  string // in the error; empty for none
	}{
		"both":        {state.GroupView{State: "Stable", Members: []state.Member{one, two}}, ""},
		"one":         {state.GroupView{State: "Stable", Members: []state.Member{one}}, "worker-2 is not in"},
		"none":        {state.GroupView{State: "Dead"}, "worker-1 is not in"},
		"rebalancing": {state.GroupView{State: "PreparingRebalance", Members: []state.Member{one, two}}, "worker-1 is not in a stable group"},
	} {
		err := joined(test.group, both)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	if err := joined(state.GroupView{State: "Stable", Members: []state.Member{one}}, both[:1]); err != nil {
		t.Errorf("the only worker that is asked for: %v", err)
	}
}

func TestEachAsksAllAndFails(t *testing.T) {
	var asked atomic.Int32
	silent := errors.New("silent")
	err := each(t.Context(), []topology.Node{topology.WorkerNode(1), topology.WorkerNode(2)}, func(ctx context.Context, node topology.Node) error {
		asked.Add(1)
		if node.ID == 1 {
			return silent
		}
		return ctx.Err()
	})
	if !errors.Is(err, silent) || asked.Load() != 2 {
		t.Errorf("asked %d, error %v", asked.Load(), err)
	}
}
