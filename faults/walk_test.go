package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
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
		len(w.calls) == 2 && (step != "inject" || !slices.Contains(w.failed, "inject")) {
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
