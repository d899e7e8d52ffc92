package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/topology"
)

// tape is a recorder that keeps everything.
type tape struct {
	mu      sync.Mutex
	entries []Entry
}

func (t *tape) Record(entry Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, entry)
}

func TestATriggerFiresWithinTenMillisecondsOfTheEvent(t *testing.T) {
	world, record := newWorld(), &tape{}
	rig := world.rig()
	rig.Recorder = record
	gone := Gone("/admin/reassign_partitions")
	err := During(t.Context(), rig, When(gone, Cut(b1zk1)), func(ctx context.Context) error {
		if world.isCut(b1zk1) {
			t.Error("cut before the event")
		}
		world.happen(gone, nil)
		return until(ctx, func(context.Context) error {
			if !world.isCut(b1zk1) {
				return errors.New("not cut")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	world.clean(t)
	for _, entry := range record.entries {
		if entry.Did == "fire" && (entry.Took > 10*time.Millisecond || entry.Begun.IsZero()) {
			t.Errorf("the fault was in effect %v after the event", entry.Took)
		}
		if entry.Did == "fire" {
			return
		}
	}
	t.Errorf("no entry says that it fired: %+v", record.entries)
}

func TestATriggerAimsWhenArmedUnlessItsConditionMovesTheRole(t *testing.T) {
	for condition, want := range map[Condition]topology.Link{
		Gone("/x"):        {From: b1, To: zk1},
		ControllerMoved(): {From: b2, To: zk1},
	} {
		world := newWorld()
		fault := When(condition, Cut().On(Between(Controller, Node(zk1))))
		err := During(t.Context(), world.rig(), fault, func(ctx context.Context) error {
			world.mu.Lock()
			world.roles[Controller] = b2
			world.mu.Unlock()
			world.happen(condition, nil)
			return until(ctx, func(context.Context) error {
				if !world.isCut(want) {
					return fmt.Errorf("%v is not cut", want)
				}
				return nil
			})
		})
		if err != nil {
			t.Errorf("%v: %v", condition, err)
		}
		world.clean(t)
	}
}

func TestTriggersThatDidNotDoTheirWorkAreInconclusive(t *testing.T) {
	gone := Gone("/x")
	bodies := map[string]func(*world){
		"never fired":         func(*world) {},
		"lost its watch":      func(w *world) { w.happen(gone, errFake) },
		"watch ended":         func(w *world) { close(w.events[gone]) },
		"could not inject":    func(w *world) { w.fail = func(string) error { return errFake }; w.happen(gone, nil) },
		"could not be proved": func(w *world) { w.deaf = true; w.happen(gone, nil) },
	}
	for name, body := range bodies {
		synctest.Test(t, func(t *testing.T) {
			world := newWorld()
			rig := world.rig()
			err := During(t.Context(), rig, When(gone, Cut(b1zk1)), func(context.Context) error {
				body(world)
				synctest.Wait()
				world.mu.Lock()
				defer world.mu.Unlock()
				world.fail, world.deaf = nil, false
				return nil
			})
			if !errors.Is(err, ErrInconclusive) || len(rig.Active()) > 0 {
				t.Errorf("a trigger that %s: %v, active %v", name, err, rig.Active())
			}
			world.clean(t)
		})
	}
}

func TestATriggerWhoseWatchCannotStandIsAnError(t *testing.T) {
	world := newWorld()
	world.fail = func(call string) error {
		if strings.HasPrefix(call, "arm") {
			return errFake
		}
		return nil
	}
	if err := During(t.Context(), world.rig(), When(Gone("/x"), Cut(b1zk1)), nothing); !errors.Is(err, errFake) {
		t.Errorf("During = %v", err)
	}
}

func TestATriggeredFaultCanHaveALengthOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		began := time.Now()
		time.AfterFunc(3*time.Second, func() { world.happen(Gone("/x"), nil) })
		err := During(t.Context(), world.rig(), When(Gone("/x"), For(12*time.Second, Cut(b1zk1))), nil)
		if took := time.Since(began); err != nil || took != 15*time.Second {
			t.Errorf("%v after %v, want 15s", err, took)
		}
		world.clean(t)
	})
}
