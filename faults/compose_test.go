package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/topology"
)

func nothing(context.Context) error { return nil }

func TestTogetherInjectsInOrderAndHealsInReverse(t *testing.T) {
	world := newWorld()
	err := During(t.Context(), world.rig(), Together(Cut(b1zk1), Kill(Node(b2)), Cut(b1b2.Back())), nothing)
	// The last link is dialled by a broker that is down, and can be cut all the same.
	want := []string{"enable broker-1→zk-1 false", "kill broker-2", "enable broker-2→broker-1 false",
		"enable broker-2→broker-1 true", "start broker-2", "enable broker-1→zk-1 true"}
	if got := changes(world.calls()); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
}

func TestTogetherUndoesWhatWasInjectedBeforeAFailure(t *testing.T) {
	world := newWorld()
	world.fail = func(call string) error {
		if call == "kill broker-2" {
			return errFake
		}
		return nil
	}
	rig := world.rig()
	synctest.Test(t, func(t *testing.T) {
		if err := During(t.Context(), rig, Together(Cut(b1zk1), Kill(Node(b2)), Cut(b2zk1)), nothing); !errors.Is(err, errFake) {
			t.Errorf("During = %v", err)
		}
	})
	world.clean(t)
	if slices.Contains(world.calls(), "enable broker-2→zk-1 false") {
		t.Error("the fault after the failed one was injected")
	}
}

func TestASequenceTakesOneFaultAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		began := time.Now()
		err := During(t.Context(), world.rig(), Sequence(For(2*time.Second, Cut(b1zk1)), Expire(Node(b1)), For(time.Second, Cut(b2zk1))), nil)
		want := []string{"enable broker-1→zk-1 false", "enable broker-1→zk-1 true", "expire 0x101",
			"enable broker-2→zk-1 false", "enable broker-2→zk-1 true"}
		if got := changes(world.calls()); err != nil || !slices.Equal(got, want) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v: %q, want %q", err, time.Since(began), got, want)
		}
	})
}

func TestASequenceWithALaterFaultThatCannotBeProvedIsInconclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.fail = func(call string) error {
			if strings.HasPrefix(call, "expire") {
				world.deaf = true
			}
			return nil
		}
		err := During(t.Context(), world.rig(), Sequence(For(2*time.Second, Cut(b1zk1)), Expire(Node(b1))), nil)
		if !errors.Is(err, ErrInconclusive) {
			t.Errorf("During = %v", err)
		}
	})
}

func TestRepeatKeepsItsBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		var at []time.Duration
		began := time.Now()
		world.then = func(string) { at = append(at, time.Since(began)) }
		err := During(t.Context(), world.rig(), Repeat(3, 5*time.Second, Expire(Node(b1))), nil)
		if want := ms(0, 5000, 10000); err != nil || !slices.Equal(at, want) {
			t.Errorf("%v: at %v, want %v", err, at, want)
		}
	})
}

func TestRandomTimesHangOnTheSeedAlone(t *testing.T) {
	storm := func(seed uint64) (calls []string, at []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			world := newWorld()
			began := time.Now()
			world.then = func(string) { at = append(at, time.Since(began)) }
			err := During(t.Context(), world.rig(), AtRandomTimes(seed, 20, time.Minute, Expire(Node(b1)), Expire(Node(b2))), nil)
			if err != nil {
				t.Error(err)
			}
			calls = changes(world.calls())
		})
		return calls, at
	}
	calls, at := storm(1)
	again, atAgain := storm(1)
	other, _ := storm(2)
	if !slices.Equal(calls, again) || !slices.Equal(at, atAgain) || slices.Equal(calls, other) {
		t.Errorf("drawn %q, then %q, then with another seed %q", calls, again, other)
	}
	if len(at) != 20 || !slices.IsSorted(at) || at[19] > time.Minute || at[19] < 30*time.Second {
		t.Errorf("drawn times %v", at)
	}
}

func TestForHealsByItselfWhileTheBodyGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		err := During(t.Context(), world.rig(), For(5*time.Second, Cut(b1zk1)), func(context.Context) error {
			time.Sleep(5*time.Second - time.Millisecond)
			if synctest.Wait(); !world.isCut(b1zk1) {
				t.Error("healed too early")
			}
			time.Sleep(time.Millisecond)
			if synctest.Wait(); world.isCut(b1zk1) {
				t.Error("not healed in time")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestGuardsCountBrokers(t *testing.T) {
	b1b3 := topology.Link{From: b1, To: b3}
	cases := []struct {
		fault Fault
		down  int
	}{
		{Kill(Node(b1)), 1},
		{Kill(Node(w1)), 0},
		{Kill(Node(zk1)), 0},
		{LimitCPU(Node(b1), 1), 0},
		{Delay(time.Second, b1zk1), 0},
		{Cut(w1b2), 0},
		{Cut(b1zk1), 1},
		{Hold(b1b2, b1b3), 1},
		{Isolate(Node(b1)), 1},
		{Split(nodes(b1), nodes(b2, b3)), 1},
		{Cut(b1b2, topology.Link{From: b2, To: b3}, b1b3), 2},
		{Cut(b1zk1, b2zk1), 2},
		{Together(Cut(b1zk1), Kill(Node(b1)), Expire(Node(b1))), 1},
		{Cut().On(ByRole(topology.Broker, topology.ZooKeeper)), 3},
		{ExpireAll(), 3},
		{MajoritiesRing(topology.Broker), 2},
	}
	for _, c := range cases {
		if got := down(c.fault.Claims(ground())); got != c.down {
			t.Errorf("%v leaves %d brokers down, want %d", c.fault, got, c.down)
		}
	}
}

func TestAGuardRefusesTheBrokerTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		rig := world.rig()
		err := During(t.Context(), rig, Kill(Node(b1)), func(ctx context.Context) error {
			world.roles[Controller] = b2
			if err := During(ctx, rig, Guarded(1, Kill(Controller)), nothing); !errors.Is(err, ErrGuarded) {
				t.Errorf("a second broker: %v", err)
			}
			if err := During(ctx, rig, Guarded(1, Cut(b1zk1)), func(context.Context) error { return nil }); errors.Is(err, ErrGuarded) {
				t.Errorf("the same broker: %v", err)
			}
			return During(ctx, rig, Kill(Controller), nothing)
		})
		if err != nil {
			t.Error(err)
		}
		world.clean(t)
	})
	if err := Guarded(2, ExpireAll()).Check(newWorld().rig()); !errors.Is(err, ErrGuarded) {
		t.Errorf("three brokers at once: %v", err)
	}
}

func TestCompositionsThatCannotBeAreRefused(t *testing.T) {
	cases := map[string]Fault{
		"hold=0s":                    For(0, Cut(b1zk1)),
		"times=0":                    Repeat(0, time.Second, Cut(b1zk1)),
		"every=-1s":                  Repeat(1, -time.Second, Cut(b1zk1)),
		"within=0s":                  AtRandomTimes(1, 1, 0, Cut(b1zk1)),
		"no fault given":             Sequence(),
		"no fault":                   Together(),
		"most=0":                     Guarded(0, Cut(b1zk1)),
		"is held by":                 Together(Cut(b1zk1), Cut(b1zk1)),
		"there is no link":           Sequence(Cut(b1zk1), Cut(b1zk1.Back())),
		"crashes=0":                  CrashLoop(Node(b1), 0, time.Second, time.Second),
		"down=0s":                    CrashLoop(Node(b1), 1, 0, time.Second),
		"rest=-1s":                   RollingRestart(-1*time.Second, b1),
		"there is no node":           Kill(Node(zk3)),
		"client is no":               Kill(Node(topology.TheClient)),
		"zk-1 is no":                 Expire(Node(zk1)),
		"cores=0":                    LimitCPU(Node(b1), 0),
		"times=1":                    ExpireRepeatedly(Node(b1), 1, 0),
		"task=-1":                    RestartTask("sink", -1),
		"connector":                  RestartConnector(""),
		"topic: want a name":         DeleteTopic(""),
		"replication=4: want 1 to 3": CreateTopic("t", 1, 4),
		"partitions=0":               CreateTopic("t", 0, 1),
		"broker-9":                   Reassign("t", 0, 9),
		"given twice":                Reassign("t", 0, 1, 1),
		"unknown condition":          When(Condition{Kind: "x"}, Cut(b1zk1)),
		"there is no such link":      Cut().On(ByRole(topology.Worker, topology.ZooKeeper)),
		"no target":                  Kill(nil),
	}
	for want, fault := range cases {
		world := newWorld()
		err := During(t.Context(), world.rig(), fault, nil)
		if err == nil || !strings.Contains(err.Error(), want) || len(world.calls()) > 0 {
			t.Errorf("%v: %v after %q, want an error with %q", fault, err, world.calls(), want)
		}
	}
}

func TestShapesChooseTheirLinks(t *testing.T) {
	five := NewLayout(zk1, b1, b2, b3, topology.BrokerNode(4), topology.BrokerNode(5))
	cases := []struct {
		route  Route
		layout Layout
		want   string
	}{
		{Around(Node(w1)), ground(), "worker-1→broker-1,worker-1→broker-2,worker-1→broker-3,worker-1→worker-2,worker-2→worker-1,client→worker-1"},
		{Across(nodes(b1), nodes(b2, b3)), ground(), "broker-1→broker-2,broker-1→broker-3,broker-2→broker-1,broker-3→broker-1"},
		{Across(nodes(b1), nodes(zk1)), ground(), "broker-1→zk-1"},
		{Bridged(b3), ground(), "broker-1→broker-2,broker-2→broker-1"},
		{ByRole(topology.Broker, topology.ZooKeeper), ground(), "broker-1→zk-1,broker-2→zk-1,broker-3→zk-1"},
		{Towards(Node(w1), topology.Broker), ground(), "worker-1→broker-1,worker-1→broker-2,worker-1→broker-3"},
		{Ring(topology.Broker), ground(), "broker-1→broker-2,broker-2→broker-3,broker-3→broker-1"},
		{Ring(topology.Broker), five, "broker-1→broker-2,broker-1→broker-3,broker-2→broker-3,broker-2→broker-4,broker-3→broker-4," +
			"broker-3→broker-5,broker-4→broker-1,broker-4→broker-5,broker-5→broker-1,broker-5→broker-2"},
	}
	for _, c := range cases {
		if got := Fixed(c.route.Known(c.layout)...).String(); got != c.want {
			t.Errorf("%v is %s, want %s", c.route, got, c.want)
		}
	}
}
