package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// cases of every fault that is no link's: what the world has to be like, the
// changes that it makes and those that its heal makes.
var families = []struct {
	fault      Fault
	given      func(*world)
	made, back []string
	lastsFor   time.Duration // on the clock, without a body
}{
	{fault: Kill(Node(b1)), made: []string{"kill broker-1"}, back: []string{"start broker-1"}},
	{fault: Kill(Controller), given: func(w *world) { w.roles[Controller] = b2 }, made: []string{"kill broker-2"}, back: []string{"start broker-2"}},
	{fault: Terminate(Node(w1)), made: []string{"terminate worker-1"}, back: []string{"start worker-1"}},
	{fault: Restart(Node(b1)), made: []string{"terminate broker-1", "start broker-1"}},
	{fault: Bounce(Node(b1)), made: []string{"kill broker-1", "start broker-1"}},
	{fault: Pause(Node(zk1)), made: []string{"pause zk-1"}, back: []string{"resume zk-1"}},
	{fault: Start(Node(w2)), given: down2, made: []string{"start worker-2"}, back: []string{"terminate worker-2"}},
	{fault: LimitCPU(Node(b1), 0.2), made: []string{"limit broker-1 0.2"}, back: []string{"limit broker-1 0"}},
	{fault: CrashLoop(Node(b1), 2, time.Second, time.Second), lastsFor: 4 * time.Second,
		made: []string{"kill broker-1", "start broker-1", "kill broker-1", "start broker-1"}},
	{fault: RollingRestart(time.Second, b1, b2), lastsFor: 2 * time.Second,
		made: []string{"terminate broker-1", "start broker-1", "terminate broker-2", "start broker-2"}},
	{fault: Expire(Node(b1)), made: []string{"expire 0x101"}},
	{fault: ExpireRepeatedly(Node(b1), 2, time.Second), lastsFor: time.Second, given: lagging,
		made: []string{"expire 0x101", "expire 0x901"}},
	{fault: ExpireAll(), made: []string{"expire 0x101", "expire 0x102", "expire 0x103"}},
	{fault: ExpireWhileBlackholed(Node(b2)), made: []string{"add timeout upstream to broker-2→zk-1", "add timeout downstream to broker-2→zk-1", "expire 0x102"},
		back: []string{"remove from broker-2→zk-1", "remove from broker-2→zk-1"}, lastsFor: time.Second},
	{fault: Starve(Controller), lastsFor: time.Second, given: starving, made: []string{"add timeout upstream to broker-1→zk-1", "add timeout downstream to broker-1→zk-1"},
		back: []string{"remove from broker-1→zk-1", "remove from broker-1→zk-1"}},
	{fault: WorkerJoins(Node(w2)), given: down2, made: []string{"start worker-2"}, back: []string{"terminate worker-2"}},
	{fault: WorkerLeaves(Node(w1)), made: []string{"terminate worker-1"}, back: []string{"start worker-1"}},
	{fault: WorkerDies(Node(w1)), made: []string{"kill worker-1"}, back: []string{"start worker-1"}},
	{fault: Evict("", Node(w1)), given: member, made: []string{"leave workers m1"}},
	{fault: Rebalance("", Evict("", Node(w1))), given: member, made: []string{"leave workers m1"}},
	{fault: PhantomJoins(), made: []string{"join workers as connect, sync true"}, back: []string{"leave workers phantom-0"}},
	{fault: PhantomStalls(), made: []string{"join workers as connect, sync false"}, back: []string{"leave workers phantom-0"}},
	{fault: Rebalance("", TouchConfig("sink")), made: []string{"set config sink"}, back: []string{"set config sink"}},
	{fault: MoveCoordinator("g"), given: coordinated, made: []string{"reassign __consumer_offsets/3 to [2 3 1]", "elect __consumer_offsets/3"},
		back: []string{"reassign __consumer_offsets/3 to [1 2 3]", "elect __consumer_offsets/3"}},
	{fault: Reassign("orders", 0, 2, 3), given: orders, made: []string{"reassign orders/0 to [2 3]"}, back: []string{"reassign orders/0 to [1 2]"}},
	{fault: ElectPreferred("orders", 0), given: orders, made: []string{"elect orders/0"}},
	{fault: CreateTopic("more", 2, 2), made: []string{"create more"}, back: []string{"delete more"}},
	{fault: DeleteTopic("orders"), given: orders, made: []string{"delete orders"}, back: []string{"create orders"}},
	{fault: ChangeTopic("orders", "retention.ms", "1000"), given: orders, made: []string{"set orders retention.ms=1000"}, back: []string{"set orders retention.ms=7"}},
	{fault: OneWay(nodes(b1), nodes(b2)), made: []string{"add timeout upstream to broker-1→broker-2", "add timeout downstream to broker-2→broker-1"},
		back: []string{"remove from broker-2→broker-1", "remove from broker-1→broker-2"}, lastsFor: time.Second},
}

func down2(w *world) { w.procs[w2] = Process{State: Exited} }

// lagging makes the broker open a new session and never register by it.
func lagging(w *world) {
	w.then = func(call string) {
		if call == "expire 0x101" {
			w.sessions[b1], w.open[b1] = 0, []SessionID{0x901}
		}
	}
}

// starving loses the registration when the link to ZooKeeper is silent.
func starving(w *world) {
	w.then = func(call string) {
		if call == "add timeout downstream to broker-1→zk-1" {
			w.sessions[b1] = 0
		}
	}
}

func member(w *world) {
	w.groups["workers"] = Group{Members: []Member{{ID: "m2", Node: w2}, {ID: "m1", Node: w1}}}
}

func orders(w *world) {
	w.topics["orders"] = Topic{Name: "orders", Exists: true, Config: map[string]string{"retention.ms": "7"},
		Partitions: []Partition{{Leader: 2, Replicas: []int{1, 2}}}}
}

// coordinated has the coordinator of group g, on partition 3 of 5, follow the leader.
func coordinated(w *world) {
	w.topics[offsetsTopic] = Topic{Name: offsetsTopic, Exists: true,
		Partitions: slices.Repeat([]Partition{{Leader: 1, Replicas: []int{1, 2, 3}}}, 5)}
	w.roles[CoordinatorOf("g")] = b1
	w.then = func(call string) {
		if strings.HasPrefix(call, "elect") {
			w.roles[CoordinatorOf("g")] = nodes(b1, b2, b3)[w.topics[offsetsTopic].Partitions[3].Leader-1]
		}
	}
}

// changes leaves out the calls that only read.
func changes(calls []string) []string {
	return slices.DeleteFunc(calls, func(call string) bool {
		for _, read := range []string{"probe", "process", "owner", "open", "group", "config", "topic", "find", "read"} {
			if strings.HasPrefix(call, read+" ") {
				return true
			}
		}
		return false
	})
}

func TestEachFaultMakesItsChangesAndTakesThemBack(t *testing.T) {
	for _, c := range families {
		t.Run(c.fault.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := newWorld()
				if c.given != nil {
					c.given(world)
				}
				var made []string
				began := time.Now()
				rig := world.rig()
				injection, err := rig.Prepare(c.fault)
				if err == nil {
					err = errors.Join(injection.Inject(t.Context()), injection.Prove(t.Context()), injection.spend(t.Context(), nil))
				}
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				made = changes(world.calls())
				if err := errors.Join(injection.Heal(t.Context()), injection.ProveHealed(t.Context())); err != nil {
					t.Error(err)
				}
				back := changes(world.calls())[len(made):]
				if !slices.Equal(made, c.made) || !slices.Equal(back, c.back) {
					t.Errorf("made %q, want %q; back %q, want %q", made, c.made, back, c.back)
				}
				if took != c.lastsFor {
					t.Errorf("lasted %v, want %v", took, c.lastsFor)
				}
				if len(rig.held) > 0 {
					t.Errorf("still claimed: %v", rig.held)
				}
			})
		})
	}
}

// A fault that changes nothing must not pass for proved.
func TestEachFaultWithoutEffectIsInconclusive(t *testing.T) {
	for _, c := range families {
		t.Run(c.fault.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := newWorld()
				if c.given != nil {
					c.given(world)
				}
				world.deaf, world.then = true, nil
				rig := world.rig()
				err := During(t.Context(), rig, c.fault, nil)
				inInject := strings.HasPrefix(c.fault.String(), "restart") || strings.HasPrefix(c.fault.String(), "bounce") ||
					strings.HasPrefix(c.fault.String(), "move") || strings.HasPrefix(c.fault.String(), "expire-rep") || strings.HasPrefix(c.fault.String(), "rolling")
				if err == nil || !errors.Is(err, ErrInconclusive) && !inInject {
					t.Errorf("During = %v", err)
				}
			})
		})
	}
}

// Whatever call fails first, the fault is undone or says that it is not.
func TestEachFaultSurvivesAnErrorOfEachCall(t *testing.T) {
	for _, c := range families {
		t.Run(c.fault.String(), func(t *testing.T) {
			for n := 0; n < 60; n++ {
				if !failAt(t, c.fault, c.given, n) {
					return
				}
			}
		})
	}
}

// failAt lets the n-th call fail for good and says whether there was one.
func failAt(t *testing.T, fault Fault, given func(*world), n int) (more bool) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		if given != nil {
			given(world)
		}
		count, failing := 0, ""
		world.fail = func(call string) error {
			if count++; count == n+1 {
				failing = call
			}
			if call == failing {
				return errFake
			}
			return nil
		}
		rig := world.rig()
		err := During(t.Context(), rig, fault, nil)
		more = failing != ""
		if more && err == nil {
			t.Errorf("call %d, %q, failed and nobody said so", n, failing)
		}
		if len(rig.Active()) > 0 && !errors.Is(err, ErrNotHealed) {
			t.Errorf("call %d, %q: active %v, but %v", n, failing, rig.Active(), err)
		}
		world.mu.Lock()
		world.fail = nil
		world.mu.Unlock()
		if err := rig.HealAll(context.Background()); err != nil || len(rig.Active()) > 0 || len(rig.held) > 0 {
			t.Errorf("call %d, %q: HealAll = %v, active %v, held %v", n, failing, err, rig.Active(), rig.held)
		}
	})
	return more
}
