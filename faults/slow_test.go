package faults

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/topology"
)

// slowToEnd is a world whose processes shut down in so long.
type slowToEnd struct {
	*world
	takes time.Duration
	told  time.Time
}

func (w *slowToEnd) Signal(ctx context.Context, node topology.Node, signal Signal) error {
	w.told = time.Now()
	return w.world.Signal(ctx, node, signal)
}

func (w *slowToEnd) Process(ctx context.Context, node topology.Node) (Process, error) {
	now, err := w.world.Process(ctx, node)
	if now.State == Exited && time.Since(w.told) < w.takes {
		now.State = Running
	}
	return now, err
}

func TestOnlyAPoliteEndMayTakeLongerThanItsHold(t *testing.T) {
	for kind, want := range map[string]error{"terminate": nil, "kill": ErrInconclusive} {
		synctest.Test(t, func(t *testing.T) {
			world := &slowToEnd{world: newWorld(), takes: 3 * time.Second}
			rig := world.rig()
			rig.Nodes = world
			execution, err := Run(t.Context(), rig, parsed(t, "at=1s hold=1s "+kind+" node=broker-1"), nil)
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", kind, err, want)
			}
			if late := execution.ScheduleError(1); late > 100*time.Millisecond {
				t.Errorf("%s: %v behind its schedule", kind, late)
			}
			world.clean(t)
		})
	}
}

// busyAtFirst is a world whose first probes of a link are late, for want of a
// processor.
type busyAtFirst struct {
	*world
	late int
}

func (w *busyAtFirst) Probe(ctx context.Context, link topology.Link, patience time.Duration) (Echo, error) {
	echo, err := w.world.Probe(ctx, link, patience)
	if w.late--; w.late >= 0 {
		echo.Took += time.Second
	}
	return echo, err
}

func TestAMachineThatIsBusyBeforeADelayDoesNotHideIt(t *testing.T) {
	for late, want := range map[int]error{0: nil, 2: nil, 3: ErrInconclusive} {
		world := &busyAtFirst{world: newWorld(), late: late}
		rig := world.rig()
		rig.Links = world
		if err := During(t.Context(), rig, Delay(100*time.Millisecond, b1zk1), nil); !errors.Is(err, want) {
			t.Errorf("%d late probes: %v, want %v", late, err, want)
		}
		world.clean(t)
	}
}

// TestPhantomWaitsAWhileForACoordinator: it comes once there is one, and goes; that it
// takes longer than the hold is no fault.
func TestPhantomWaitsAWhileForACoordinator(t *testing.T) {
	away := errors.New("the coordinator is away")
	for name, c := range map[string]struct {
		call string
		from time.Duration
		to   time.Duration
		want error
	}{
		"to join":         {"join", 0, 6 * time.Second, nil},
		"to leave":        {"leave", 2 * time.Second, 8 * time.Second, nil},
		"that stays away": {"join", 0, time.Hour, away},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world, began := newWorld(), time.Now()
				world.fail = func(call string) error {
					if since := time.Since(began); strings.HasPrefix(call, c.call) && since >= c.from && since < c.to {
						return away
					}
					return nil
				}
				if _, err := Run(t.Context(), world.rig(), parsed(t, "at=1s hold=2s phantom-joins"), nil); !errors.Is(err, c.want) {
					t.Error(err)
				}
				if took := time.Since(began); c.want != nil && took < comeBack {
					t.Errorf("it gave up after %v", took)
				}
			})
		})
	}
}
