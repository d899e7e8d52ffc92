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

func TestDuringHealsWhateverTheBodyDoes(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	bodies := map[string]func(context.Context) error{
		"returns":  func(context.Context) error { return nil },
		"fails":    func(context.Context) error { return errFake },
		"is ended": func(ctx context.Context) error { cancel(); return ctx.Err() },
		"panics":   func(context.Context) error { panic(errFake) },
	}
	for name, body := range bodies {
		world := newWorld()
		rig := world.rig()
		ctx := t.Context()
		if name == "is ended" {
			ctx = ended
		}
		func() {
			defer func() {
				if cause := recover(); (cause != nil) != (name == "panics") {
					t.Errorf("a body that %s: panic %v", name, cause)
				}
			}()
			err := During(ctx, rig, Cut(b1zk1), body)
			if (err != nil) != (name != "returns") {
				t.Errorf("a body that %s: %v", name, err)
			}
		}()
		world.clean(t)
		if active := rig.Active(); len(active) > 0 {
			t.Errorf("a body that %s: active %v", name, active)
		}
	}
}

func TestDuringWithAContextThatIsOverTouchesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	world := newWorld()
	if err := During(ctx, world.rig(), Cut(b1zk1), nil); !errors.Is(err, context.Canceled) || len(world.calls()) > 0 {
		t.Errorf("During = %v after %q", err, world.calls())
	}
}

func TestAHalfInjectedFaultIsUndone(t *testing.T) {
	world := newWorld()
	world.fail = func(call string) error {
		if call == "add hold downstream to broker-1→broker-2" {
			return errFake
		}
		return nil
	}
	rig := world.rig()
	err := During(t.Context(), rig, Hold(b1zk1, b1b2), func(context.Context) error {
		t.Error("the body ran")
		return nil
	})
	if !errors.Is(err, errFake) || !strings.Contains(err.Error(), "broker-1→broker-2") || errors.Is(err, ErrNotHealed) {
		t.Errorf("During = %v", err)
	}
	world.clean(t)
	if len(rig.Active()) > 0 || len(rig.held) > 0 {
		t.Errorf("left active %v, held %v", rig.Active(), rig.held)
	}
}

func TestAFailedHealStaysActiveAndCanBeRepeated(t *testing.T) {
	world := newWorld()
	rig := world.rig()
	err := During(t.Context(), rig, Cut(b1zk1), func(context.Context) error {
		world.fail = func(call string) error {
			if strings.HasPrefix(call, "enable") {
				return errFake
			}
			return nil
		}
		return nil
	})
	if !errors.Is(err, ErrNotHealed) || !errors.Is(err, errFake) || len(rig.Active()) != 1 {
		t.Fatalf("During = %v, active %v", err, rig.Active())
	}
	world.fail = nil
	if err := rig.HealAll(t.Context()); err != nil || len(rig.Active()) > 0 {
		t.Errorf("HealAll = %v, active %v", err, rig.Active())
	}
	world.clean(t)
}

func TestClosingTheRigHealsTheNewestFirstAndInterruptsProofs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		rig := world.rig()
		first, _ := rig.Prepare(Cut(b1zk1))
		second, _ := rig.Prepare(Cut(b2zk1))
		third, _ := rig.Prepare(stubborn{})
		for _, injection := range []*Injection{first, second, third} {
			if err := injection.Inject(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		go func() { _ = third.Prove(t.Context()) }() // would wait for a minute
		synctest.Wait()
		began := time.Now()
		if err := rig.Close(t.Context()); err != nil || time.Since(began) > 0 {
			t.Errorf("Close = %v after %v", err, time.Since(began))
		}
		want := []string{"enable broker-2→zk-1 true", "enable broker-1→zk-1 true"}
		if calls := world.calls(); !slices.Equal(calls[2:], want) {
			t.Errorf("after the injections: %q, want %q", calls[2:], want)
		}
		if third.Phase() != Healed {
			t.Errorf("the fault under proof is %s", third.Phase())
		}
		late, _ := rig.Prepare(Cut(b1zk1))
		if err := late.Inject(t.Context()); err == nil {
			t.Error("a closed rig took a fault")
		}
		world.clean(t)
	})
}

// stubborn is a fault whose proof never comes.
type stubborn struct{}

func (stubborn) String() string        { return "stubborn" }
func (stubborn) Check(*Rig) error      { return nil }
func (stubborn) Claims(Layout) []Claim { return nil }
func (stubborn) Prepare(rig *Rig) Effect {
	return &actions{rig: rig, name: "stubborn", prove: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}
}

func TestFaultsThatUndoEachOtherAreRefused(t *testing.T) {
	cases := []struct {
		first, second Fault
		refused       bool
	}{
		{Cut(b1zk1), Cut(b1zk1), true},
		{Cut(b1zk1), Cut(b2zk1), false},
		{Hold(b1zk1), Cut(b1zk1), true},
		{Blackhole(b1zk1), Hold(b1zk1), true},
		{Delay(time.Second, b1zk1), Cut(b1zk1), false},
		{Delay(time.Second, b1zk1), Hold(b1zk1), false},
		{Blackhole(b1zk1), Cut(b1zk1), false},
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			world := newWorld()
			rig := world.rig()
			err := During(t.Context(), rig, c.first, func(ctx context.Context) error {
				return During(ctx, rig, c.second, func(context.Context) error { return nil })
			})
			if errors.Is(err, ErrConflict) != c.refused || (err != nil) != c.refused {
				t.Errorf("%v during %v: %v, want refused %t", c.second, c.first, err, c.refused)
			}
			world.clean(t)
		})
	}
}
