package rig

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

func TestTheWorkerBehindAMember(t *testing.T) {
	groups := Groups{
		Workers: []topology.Node{topology.WorkerNode(1), topology.WorkerNode(2), topology.WorkerNode(3)},
		Egress: func(worker topology.Node) (string, error) {
			if worker.ID == 1 {
				return "", errors.New("it has none")
			}
			return "10.0.0." + map[int]string{2: "2", 3: "3"}[worker.ID], nil
		},
	}
	for name, c := range map[string]struct {
		member state.Member
		want   topology.Node
	}{
		"by its URL":            {state.Member{URL: "http://worker-1:8084/", Host: "/10.0.0.3"}, topology.WorkerNode(1)},
		"of a sink's group":     {state.Member{Host: "/10.0.0.2"}, topology.WorkerNode(2)},
		"a phantom":             {state.Member{URL: "http://phantom:8083/", Host: "/10.0.0.1"}, topology.Node{}},
		"a client from outside": {state.Member{Host: "/10.0.0.99"}, topology.Node{}},
		"from nowhere":          {state.Member{}, topology.Node{}},
	} {
		if got := groups.worker(c.member); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestTheFirstFollowerIsInSyncAndDoesNotLead(t *testing.T) {
	for _, c := range []struct {
		isr  []int
		want int
	}{{[]int{1, 2, 3}, 2}, {[]int{3, 1}, 3}, {[]int{1}, 0}, {nil, 0}} {
		if got := firstFollower(state.Partition{Leader: 1, ISR: c.isr}); got != c.want {
			t.Errorf("of %v: got %d, want %d", c.isr, got, c.want)
		}
	}
}

func TestAServerThatIsAloneLeads(t *testing.T) {
	roles := Roles{ZooKeeper: witness.NewZooKeeper(nil, []string{"zk-1:2181"})}
	if node, err := roles.Holder(t.Context(), faults.ZooKeeperLeader); err != nil || node != topology.ZK(1) {
		t.Errorf("got %v, %v", node, err)
	}
	if _, err := roles.Holder(t.Context(), faults.Role{Kind: "mascot"}); err == nil {
		t.Error("an unknown role has a holder")
	}
}

func TestAnOrderWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := 3
		order := func() error {
			if busy--; busy >= 0 {
				return witness.ErrInProgress
			}
			return nil
		}
		if err := inTurn(t.Context(), order); err != nil || busy != -1 {
			t.Errorf("got %v with %d left", err, busy)
		}
		began := time.Now()
		if err := inTurn(t.Context(), func() error { return witness.ErrInProgress }); !errors.Is(err, witness.ErrInProgress) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != turn {
			t.Errorf("it waited for %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := inTurn(ctx, func() error { return witness.ErrNoNode }); !errors.Is(err, witness.ErrNoNode) {
			t.Errorf("got %v", err)
		}
	})
}
