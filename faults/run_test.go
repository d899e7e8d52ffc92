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

func parsed(t *testing.T, steps ...string) Plan {
	t.Helper()
	plan, err := ParsePlan([]byte("plan format=1 seed=0\n" + strings.Join(steps, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestAPlanRunsAtItsTimesAndIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, record := newWorld(), &tape{}
		rig := world.rig()
		plan := parsed(t, "at=3s hold=2s kill node=broker-2", "at=1s hold=4s cut links=broker-1→zk-1", "at=10s expire node=broker-1")
		done, err := Run(t.Context(), rig, plan, record)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range done.Entries {
			if entry.Did == "inject" || entry.Did == "heal" {
				got = append(got, strings.Join([]string{entry.Intended.String(), entry.Actual.String(), entry.Did, entry.Fault}, " "))
			}
		}
		want := []string{"1s 1s inject cut links=broker-1→zk-1", "3s 3s inject kill node=broker-2", "5s 5s heal kill node=broker-2",
			"5s 5s heal cut links=broker-1→zk-1", "10s 10s inject expire node=broker-1", "10s 10s heal expire node=broker-1"}
		slices.Sort(got[2:4])
		slices.Sort(want[2:4])
		if !slices.Equal(got, want) {
			t.Errorf("executed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if len(record.entries) != 3+len(done.Entries) || len(done.Entries) != 13 {
			t.Errorf("%d entries recorded, %d kept, want an intention and 4 of each step, and who was killed", len(record.entries), len(done.Entries))
		}
		if late := done.ScheduleError(0.99); late != 0 {
			t.Errorf("schedule error %v", late)
		}
		world.clean(t)
		if err := Audit(t.Context(), rig); err != nil {
			t.Error(err)
		}
	})
}

func TestTheScheduleErrorIsMeasured(t *testing.T) {
	done := Execution{}
	for i := range 100 {
		at := time.Duration(i) * time.Second
		done.Entries = append(done.Entries, Entry{Step: 1, Did: "inject", Intended: at, Actual: at + time.Duration(i)*time.Millisecond},
			Entry{Step: 1, Did: "prove", Actual: time.Hour}, Entry{Did: "heal", Actual: time.Hour})
	}
	for part, want := range map[float64]time.Duration{0.5: 50 * time.Millisecond, 0.99: 99 * time.Millisecond, 1: 99 * time.Millisecond, 0: 0} {
		if got := done.ScheduleError(part); got != want {
			t.Errorf("ScheduleError(%v) = %v, want %v", part, got, want)
		}
	}
}

func TestADrawnPlanOfFiftyStepsRunsAndLeavesNothing(t *testing.T) {
	plan := drawn50(t)
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		prepared(world)
		rig := world.rig()
		done, err := Run(t.Context(), rig, plan, nil)
		if err != nil {
			t.Errorf("%v\n%s", err, done)
		}
		if err := Audit(t.Context(), rig); err != nil {
			t.Error(err)
		}
		world.clean(t)
	})
}

func drawn50(t *testing.T) Plan {
	t.Helper()
	plan, err := Draw(50, Budget{Steps: 50, Length: 6 * time.Minute, Connectors: []string{"sink"}, Topics: []string{"orders"}}, ground())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// prepared has what drawn plans ask for.
func prepared(world *world) {
	world.rtt = 3 * time.Millisecond
	member(world)
	orders(world)
	world.configs["sink"] = map[string]string{"name": "sink"}
}

func TestAnInterruptedPlanLeavesNothing(t *testing.T) {
	plan := drawn50(t)
	moments := Random(1, "interrupts")
	for range 60 {
		moment := time.Duration(moments.Int64N(int64(plan.Length())))
		synctest.Test(t, func(t *testing.T) {
			world := newWorld()
			prepared(world)
			rig := world.rig()
			ctx, cancel := context.WithTimeout(t.Context(), moment)
			defer cancel()
			began := time.Now()
			_, err := Run(ctx, rig, plan, nil)
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrInconclusive) || errors.Is(err, ErrNotHealed) {
				t.Errorf("interrupted at %v: %v", moment, err)
			}
			if late := time.Since(began) - moment; late > time.Second {
				t.Errorf("interrupted at %v: over %v later", moment, late)
			}
			if err := Audit(t.Context(), rig); err != nil {
				t.Errorf("interrupted at %v: %v", moment, err)
			}
			world.clean(t)
		})
	}
}

func TestAPlanGoesOnAfterAStepThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.fail = func(call string) error {
			if call == "kill broker-2" {
				return errFake
			}
			world.deaf = strings.Contains(call, "pause")
			return nil
		}
		done, err := Run(t.Context(), world.rig(), parsed(t, "at=1s hold=2s kill node=broker-2", "at=5s hold=9s pause node=broker-3",
			"at=20s hold=1s cut links=broker-1→zk-1"), nil)
		if !errors.Is(err, errFake) || !strings.Contains(err.Error(), "step 1: ") {
			t.Errorf("the failed step is not told: %v", err)
		}
		if !errors.Is(err, ErrInconclusive) || !strings.Contains(err.Error(), "step 2: ") {
			t.Errorf("the step without effect is not told: %v", err)
		}
		if strings.Contains(err.Error(), "step 3: ") || !slices.Contains(world.calls(), "enable broker-1→zk-1 true") {
			t.Errorf("the last step did not run: %v\n%s", err, done)
		}
		world.clean(t)
	})
}

func TestThePlanIsCheckedBeforeAnythingIsInjected(t *testing.T) {
	world := newWorld()
	_, err := Run(t.Context(), world.rig(), parsed(t, "at=0s hold=1s kill node=broker-1", "at=9s hold=1s kill node=broker-9"), nil)
	if err == nil || !strings.Contains(err.Error(), "step 2") || len(world.calls()) > 0 {
		t.Errorf("%v after %q", err, world.calls())
	}
}

func TestAPlanThatTakesTooManyBrokersIsRefusedOnAGuardedRig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		rig := world.rig()
		plan := parsed(t, "at=1s hold=2s kill node=broker-1", "at=2s hold=2s cut links=broker-2→zk-1", "at=2s hold=9s cut links=worker-1→broker-3")
		_, err := Run(t.Context(), rig.Guarded(1), plan, nil)
		if !errors.Is(err, ErrGuarded) || !strings.Contains(err.Error(), "step 2") || strings.Contains(err.Error(), "step 3") || len(world.calls()) > 0 {
			t.Errorf("guarded: %v after %q", err, world.calls())
		}
		if _, err := Run(t.Context(), rig.Guarded(2), plan, nil); err != nil {
			t.Errorf("two may be down: %v", err)
		}
		if _, err := Run(t.Context(), rig.Guarded(1), parsed(t, "at=1s hold=3s kill node=broker-1", "at=2s hold=1s pause node=controller"), nil); !errors.Is(err, ErrConflict) {
			t.Errorf("the controller is the one that is down: %v", err)
		}
	})
}

func TestTheAuditFindsWhatIsLeft(t *testing.T) {
	left := map[string]func(*world, *Rig){
		"broker-1 is paused":         func(w *world, _ *Rig) { w.procs[b1] = Process{State: Paused} },
		"broker-1 is limited to 0.5": func(w *world, _ *Rig) { w.procs[b1] = Process{State: Running, Cores: 0.5} },
		"broker-1→zk-1 is cut":       func(w *world, _ *Rig) { w.cut[b1zk1] = true },
		"broker-1→zk-1 has leftover": func(w *world, _ *Rig) {
			w.toxics[b1zk1] = []Toxic{{Name: "leftover", Type: "latency", Attributes: map[string]any{"latency": int64(1)}}}
		},
		"cut links=broker-1→zk-1 is inje": func(_ *world, r *Rig) { i, _ := r.Prepare(Cut(b1zk1)); _ = i.Inject(context.Background()) },
		"read process of broker-2":        func(w *world, _ *Rig) { w.fail = failing("process broker-2") },
		"read broker-1→zk-1: forced":      func(w *world, _ *Rig) { w.fail = failing("read broker-1→zk-1") },
		"probe broker-1→zk-1: forced":     func(w *world, _ *Rig) { w.fail = failing("probe broker-1→zk-1") },
	}
	for want, leave := range left {
		world := newWorld()
		rig := world.rig()
		rig.Links = readable{world}
		if err := Audit(t.Context(), rig); err != nil {
			t.Fatalf("before: %v", err)
		}
		leave(world, rig)
		if err := Audit(t.Context(), rig); !errors.Is(err, ErrNotHealed) || !strings.Contains(err.Error(), want) {
			t.Errorf("Audit = %v, want %q", err, want)
		}
	}
	world := newWorld()
	down2(world)
	if err := Audit(t.Context(), world.rig()); err != nil {
		t.Errorf("a worker that has ended: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.toxics[b1zk1] = []Toxic{{Name: "leftover", Type: "timeout"}} // seen by the probe alone
		if err := Audit(t.Context(), world.rig()); !errors.Is(err, ErrNotHealed) || !strings.Contains(err.Error(), "probe broker-1→zk-1") {
			t.Errorf("Audit = %v", err)
		}
	})
}

func failing(call string) func(string) error {
	return func(made string) error {
		if made == call {
			return errFake
		}
		return nil
	}
}
