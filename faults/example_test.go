package faults_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

var (
	broker1 = topology.BrokerNode(1)
	toZK    = topology.Link{From: broker1, To: topology.ZK(1)}
	layout  = faults.NewLayout(topology.ZK(1), broker1, topology.BrokerNode(2), topology.BrokerNode(3))
)

// The rig of a real cluster is made by the harness; this one can do nothing.
var (
	ctx = context.Background()
	rig = faults.NewRig(faults.Tools{Layout: layout})
)

func ExampleDuring() {
	waitForExpiry := func(context.Context) error { return nil }
	err := faults.During(ctx, rig, faults.Blackhole(toZK), func(ctx context.Context) error {
		return waitForExpiry(ctx)
	})
	if errors.Is(err, faults.ErrInconclusive) {
		fmt.Println("the link was never silent: this run says nothing")
	}
	fmt.Println(err)
	// Output: check blackhole links=broker-1→zk-1: unsupported: no Links
}

func ExampleFlap() {
	blips := faults.Flap(faults.Blackhole(toZK), faults.Drawn(2*time.Second, 5, 300*time.Millisecond, 42))
	fmt.Println(blips)
	// Output: flap count=5 duty=0.5 jitter=300ms of="blackhole links=broker-1→zk-1" period=2s seed=42
}

// The moment the reassignment is done, cut the controller off from ZooKeeper
// for twelve seconds.
func ExampleWhen() {
	cut := faults.Cut().On(faults.Towards(faults.Controller, topology.ZooKeeper))
	fmt.Println(faults.When(faults.Gone("/admin/reassign_partitions"), faults.For(12*time.Second, cut)))
	// Output: when condition=znode-gone(/admin/reassign_partitions) of="for hold=12s of=\"cut links=controller→zk-*\""
}

// A storm of rebalances.
func ExampleAtRandomTimes() {
	fmt.Println(faults.AtRandomTimes(7, 20, time.Minute,
		faults.RestartConnector("sink"), faults.Evict("", faults.ConnectLeader), faults.TouchConfig("sink")))
	// Output: at-random-times 01="restart-connector connector=sink" 02="evict node=connect-leader" 03="change-config connector=sink key=kafkachaos.touched value=yes" seed=7 times=20 within=1m0s
}

func ExampleDraw() {
	plan, err := faults.Draw(42, faults.Budget{Steps: 3, Kinds: []string{"cut", "kill", "delay"}}, layout)
	fmt.Print(plan)
	fmt.Println(err)
	// Output:
	// plan format=1 seed=42
	// at=5.96s hold=5.29s cut links=broker-3→zk-1
	// at=10.85s hold=3.91s delay by=400ms links=broker-1→broker-3
	// at=10.94s hold=3.47s cut links=broker-3→broker-1
	// <nil>
}

func ExampleParsePlan() {
	plan, err := faults.ParsePlan([]byte(`
plan format=1 seed=0
# the controller loses ZooKeeper twice
at=1s  hold=8s starve node=controller
at=30s expire node=controller
`))
	fmt.Println(len(plan.Steps), plan.Steps[1], err)
	// Output: 2 at=30s expire node=controller <nil>
}

// Clock is a fault of one's own: a node whose clock is set forward. A Fault is a
// value, each of its uses an Effect.
type Clock struct {
	Node topology.Node
	By   time.Duration
	Set  func(topology.Node, time.Duration) error
	Read func(topology.Node) (time.Duration, error)
}

func (c Clock) String() string { return fmt.Sprintf("set clock of %v by %v", c.Node, c.By) }

func (c Clock) Check(rig *faults.Rig) error {
	if !rig.Layout.HasNode(c.Node) {
		return fmt.Errorf("there is no node %v", c.Node)
	}
	return nil
}

func (c Clock) Claims(faults.Layout) []faults.Claim {
	return []faults.Claim{{Node: c.Node, Thing: "clock"}}
}

func (c Clock) Prepare(rig *faults.Rig) faults.Effect { return &skewed{Clock: c, rig: rig} }

type skewed struct {
	Clock
	rig     *faults.Rig
	touched bool // a claim that is refused leaves nothing to heal
}

func (s *skewed) Inject(context.Context) error {
	if err := s.rig.Claim(s, s.Claims(s.rig.Layout)...); err != nil {
		return err
	}
	s.touched = true
	return s.Set(s.Node, s.By)
}

func (s *skewed) Prove(context.Context) error { return s.isOff(s.By) }

func (s *skewed) Heal(context.Context) error {
	if !s.touched {
		return nil
	}
	if err := s.Set(s.Node, 0); err != nil {
		return err
	}
	s.rig.Release(s)
	return nil
}

func (s *skewed) ProveHealed(context.Context) error { return s.isOff(0) }

func (s *skewed) isOff(want time.Duration) error {
	off, err := s.Read(s.Node)
	if err == nil && off != want {
		err = fmt.Errorf("the clock of %v is off by %v, want %v", s.Node, off, want)
	}
	return err
}

func ExampleFault() {
	clocks := map[topology.Node]time.Duration{}
	fault := Clock{broker1, time.Hour,
		func(node topology.Node, by time.Duration) error { clocks[node] = by; return nil },
		func(node topology.Node) (time.Duration, error) { return clocks[node], nil },
	}
	err := faults.During(ctx, rig, faults.Flap(fault, faults.Square(20*time.Millisecond, 2)), nil)
	fmt.Println(err, clocks[broker1])
	// Output: <nil> 0s
}
