package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// puppet is an effect that does what it is told, and counts what it is asked.
type puppet struct {
	there bool // the fault is in effect, at least in half
	next  func(step string) error
}

func (p *puppet) String() string        { return "puppet" }
func (p *puppet) Check(*Rig) error      { return p.next("check") }
func (p *puppet) Claims(Layout) []Claim { return nil }
func (p *puppet) Prepare(*Rig) Effect   { return p }

func (p *puppet) Inject(context.Context) error {
	p.there = true // a failed injection leaves half of it
	return p.next("inject")
}

func (p *puppet) Prove(context.Context) error { return p.next("prove") }

func (p *puppet) Heal(context.Context) error {
	if err := p.next("heal"); err != nil {
		return err
	}
	p.there = false
	return nil
}

func (p *puppet) ProveHealed(context.Context) error { return p.next("prove healed") }

// oracle says what an injection should do, written apart from it: for each
// phase and step, the phase after success and after failure.
var oracle = map[Phase]map[string][2]Phase{
	Ready:    {"inject": {Injected, Healed}},
	Injected: {"prove": {Proved, Injected}, "heal": {Healed, Stuck}},
	Proved:   {"prove": {Proved, Proved}, "heal": {Healed, Stuck}},
	Stuck:    {"heal": {Healed, Stuck}},
	Healed:   {"heal": {Healed, Healed}, "prove healed": {Restored, Healed}},
	Restored: {"heal": {Restored, Restored}, "prove healed": {Restored, Restored}},
}

// idle are the steps that do nothing: to heal what is healed.
func idle(phase Phase, step string) bool {
	return step == "heal" && (phase == Healed || phase == Restored)
}

type walk struct {
	t      *testing.T
	random *rand.Rand
	rig    *Rig
	puppet *puppet
	inj    *Injection
	calls  []string
	failed []string // of the calls since the last step
}

func (w *walk) fresh() {
	w.puppet = &puppet{next: func(step string) error {
		w.calls = append(w.calls, step)
		switch n := w.random.IntN(8); {
		case step == "check" || n > 1:
			return nil
		case n == 1:
			w.failed = append(w.failed, step)
			panic(errFake)
		}
		w.failed = append(w.failed, step)
		return errFake
	}}
	var err error
	if w.inj, err = w.rig.Prepare(w.puppet); err != nil {
		w.t.Fatal(err)
	}
}

func (w *walk) perform(ctx context.Context, step string) error {
	switch step {
	case "inject":
		return w.inj.Inject(ctx)
	case "prove":
		return w.inj.Prove(ctx)
	case "heal":
		return w.inj.Heal(ctx)
	}
	return w.inj.ProveHealed(ctx)
}

// step takes one step at random and compares all that can be seen of it with
// the oracle.
func (w *walk) step(ctx context.Context) {
	steps := []string{"inject", "prove", "heal", "prove healed"}
	step, before := steps[w.random.IntN(len(steps))], w.inj.Phase()
	w.calls, w.failed = nil, nil
	err := w.perform(ctx, step)
	what := fmt.Sprintf("%s when %s, calls %q, failed %q: %v", step, before, w.calls, w.failed, err)

	next, legal := oracle[before][step]
	want := before
	switch {
	case !legal:
		if !errors.Is(err, ErrOrder) || len(w.calls) > 0 {
			w.t.Errorf("%s; want it refused", what)
		}
	case idle(before, step):
		if err != nil || len(w.calls) > 0 {
			w.t.Errorf("%s; want nothing done", what)
		}
	default:
		want = next[0]
		if slices.Contains(w.failed, step) {
			want = next[1]
		}
		if step == "inject" && slices.Contains(w.failed, "heal") {
			want = Stuck
		}
		w.judge(step, what, err)
	}
	if got := w.inj.Phase(); got != want {
		w.t.Errorf("%s; it is %s, want %s", what, got, want)
	}
	w.invariants(what)
}

// judge compares the error of a legal step with the calls that failed.
func (w *walk) judge(step, what string, err error) {
	class := map[string]error{"prove": ErrInconclusive, "heal": ErrNotHealed, "prove healed": ErrNotHealed}
	for _, failed := range w.failed {
		if err == nil || class[failed] != nil && !errors.Is(err, class[failed]) {
			w.t.Errorf("%s; want the failure of %s told", what, failed)
		}
	}
	if len(w.failed) == 0 && err != nil {
		w.t.Errorf("%s; want no error", what)
	}
	if calls := []string{step, "heal"}; !slices.Equal(w.calls, calls[:len(w.calls)]) ||
		len(w.calls) == 2 && !(step == "inject" && slices.Contains(w.failed, "inject")) {
		w.t.Errorf("%s; want %s, and a heal only after a failed injection", what, step)
	}
}

// invariants are what holds after every step.
func (w *walk) invariants(what string) {
	phase := w.inj.Phase()
	active := slices.Contains(w.rig.Active(), w.inj)
	if over := phase == Ready || phase == Healed || phase == Restored; active == over {
		w.t.Errorf("%s; it is %s and active: %t", what, phase, active)
	}
	if w.puppet.there && !active {
		w.t.Errorf("%s; it is there, and not active", what)
	}
}

func TestRandomWalkThroughTheLifeCycleAgreesWithTheOracle(t *testing.T) {
	const transitions = 20_000
	w := &walk{t: t, random: Random(4, "walk"), rig: newWorld().rig()}
	seen := map[string]int{}
	for n := range transitions {
		if n == 0 || w.inj.Phase() == Restored && w.random.IntN(4) == 0 {
			w.fresh()
		}
		before := w.inj.Phase()
		w.step(t.Context())
		seen[fmt.Sprintf("%s→%s", before, w.inj.Phase())]++
		if t.Failed() {
			t.Fatalf("after %d transitions", n+1)
		}
	}
	for _, want := range []string{"ready→injected", "ready→healed", "ready→stuck", "injected→proved", "injected→healed",
		"injected→stuck", "proved→healed", "proved→stuck", "stuck→stuck", "stuck→healed", "healed→restored"} {
		if seen[want] < 20 {
			t.Errorf("%s was walked %d times: %v", want, seen[want], seen)
		}
	}
}

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
		go third.Prove(t.Context()) // would wait for a minute
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
