package faults

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestFaultsOfNodesRefuseTheWrongStateAndLeaveItAlone(t *testing.T) {
	cases := map[string]struct {
		fault Fault
		state ProcessState
	}{
		"kill":    {Kill(Node(b1)), Exited},
		"restart": {Restart(Node(b1)), Exited},
		"pause":   {Pause(Node(b1)), Exited},
		"thaw":    {Kill(Node(b1)), Paused},
		"start":   {Start(Node(b1)), Running},
		"limit":   {LimitCPU(Node(b1), 1), Exited},
	}
	for name, c := range cases {
		world := newWorld()
		world.procs[b1] = Process{State: c.state}
		err := During(t.Context(), world.rig(), c.fault, nothing)
		if made := changes(world.calls()); err == nil || !strings.Contains(err.Error(), string(c.state)) || len(made) > 0 {
			t.Errorf("%s: %v after %q", name, err, made)
		}
	}
}

func TestARestartNeedsAnotherProcessAndARollingOneAReadyOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.then = func(call string) {
			if call == "start broker-1" {
				world.procs[b1] = Process{State: Running, Started: time.Unix(1, 0)} // the one of before
			}
		}
		if err := During(t.Context(), world.rig(), Restart(Node(b1)), nothing); !errors.Is(err, ErrInconclusive) {
			t.Errorf("the same process: %v", err)
		}
		world.then = func(call string) {
			if call == "start broker-2" {
				world.procs[b2] = Process{State: Running, Started: time.Unix(9, 0)} // and never ready
			}
		}
		if err := During(t.Context(), world.rig(), RollingRestart(0, b2, b3), nil); !errors.Is(err, ErrInconclusive) {
			t.Errorf("a broker that never plays its part: %v", err)
		}
	})
}

func TestAProcessThatDoesNotEndIsKilledByTheHeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.then = func(call string) {
			if call == "terminate worker-1" {
				world.procs[w1] = Process{State: Running, Started: time.Unix(1, 0)} // it hangs in its shutdown
			}
		}
		err := During(t.Context(), world.rig(), Terminate(Node(w1)), nothing)
		if got := strings.Join(changes(world.calls()), ", "); !errors.Is(err, ErrInconclusive) || got != "terminate worker-1, kill worker-1, start worker-1" {
			t.Errorf("%v after %s", err, got)
		}
		world.clean(t)
	})
}

func TestChangesToWhatIsAlreadySoAreRefused(t *testing.T) {
	world := newWorld()
	orders(world)
	world.configs["sink"] = map[string]string{"a": "1"}
	for _, fault := range []Fault{ChangeConfig("sink", "a", "1"), Reassign("orders", 0, 1, 2), ChangeTopic("orders", "retention.ms", "7")} {
		if err := During(t.Context(), world.rig(), fault, nothing); err == nil || len(changes(world.calls())) > 0 {
			t.Errorf("%v: %v after %q", fault, err, changes(world.calls()))
		}
	}
	world.topics["orders"].Partitions[0] = Partition{Leader: 1, Replicas: []int{1, 2}}
	if err := During(t.Context(), world.rig(), ElectPreferred("orders", 0), nothing); !errors.Is(err, ErrInconclusive) {
		t.Errorf("the election of the leader: %v", err)
	}
}

func TestABrokerThatRegistersInBetweenMakesRepeatedExpiryInconclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld() // its brokers register at once
		err := During(t.Context(), world.rig(), ExpireRepeatedly(Node(b1), 2, 0), nothing)
		if !errors.Is(err, ErrInconclusive) {
			t.Errorf("During = %v", err)
		}
	})
}

func TestARoleThatIsLookedAtTwiceIsResolvedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		starving(world)
		world.fail = func(call string) error {
			if strings.HasPrefix(call, "add") {
				world.roles[Controller] = b3 // another is elected meanwhile
			}
			return nil
		}
		for _, fault := range []Fault{Starve(Controller), ExpireWhileBlackholed(Controller)} {
			world.roles[Controller], world.sessions[b1] = b1, 0x101
			before := len(world.calls())
			if err := During(t.Context(), world.rig(), fault, nothing); err != nil && !strings.Contains(err.Error(), "not registered") {
				t.Errorf("%v: %v", fault, err)
			}
			if n := strings.Count(strings.Join(world.calls()[before:], "\n"), "find controller"); n != 1 {
				t.Errorf("%v resolved its role %d times", fault, n)
			}
		}
	})
}

func TestARebalanceThatCannotBeWatchedLeavesItsFaultAlone(t *testing.T) {
	world, calls := newWorld(), 0
	world.fail = failing("group workers")
	inner := &puppet{next: func(step string) error {
		if step != "check" {
			calls++
		}
		return nil
	}}
	if err := During(t.Context(), world.rig(), Rebalance("", inner), nothing); !errors.Is(err, errFake) || calls > 0 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestAFaultThatForcesNoRebalanceIsInconclusiveWhereOneIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := During(t.Context(), newWorld().rig(), Rebalance("", RestartTask("sink", 0)), nothing)
		if !errors.Is(err, ErrInconclusive) || !strings.Contains(err.Error(), "generation") {
			t.Errorf("During = %v", err)
		}
	})
}

func TestAHealLeavesAloneWhatSomebodyElseTookBack(t *testing.T) {
	cases := map[string]struct {
		fault Fault
		took  func(*world)
	}{
		"resume": {Pause(Node(b1)), func(w *world) { w.procs[b1] = Process{State: Running} }},
		"delete": {CreateTopic("more", 1, 1), func(w *world) { delete(w.topics, "more") }},
		"start":  {Kill(Node(b1)), func(w *world) { w.procs[b1] = Process{State: Running, Started: time.Unix(99, 0)} }},
	}
	for change, c := range cases {
		world := newWorld()
		err := During(t.Context(), world.rig(), c.fault, func(context.Context) error { c.took(world); return nil })
		if made := changes(world.calls()); err != nil || len(made) != 1 || strings.HasPrefix(made[0], change) {
			t.Errorf("%v: %v after %q", c.fault, err, made)
		}
	}
}

func TestExpiryWaitsAWhileForABrokerThatIsComingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.sessions[b1] = 0
		time.AfterFunc(2*time.Second, func() {
			world.mu.Lock()
			defer world.mu.Unlock()
			world.sessions[b1] = world.session(b1)
		})
		if err := During(t.Context(), world.rig(), Expire(Node(b1)), nothing); err != nil {
			t.Error(err)
		}
		world.sessions[b1] = 0
		began := time.Now()
		err := During(t.Context(), world.rig(), Expire(Node(b1)), nothing)
		if err == nil || !strings.Contains(err.Error(), "not registered") || time.Since(began) != comeBack {
			t.Errorf("a broker that stays away: %v after %v", err, time.Since(began))
		}
	})
}
