package faults

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// The longest that each step of the life-cycle may take. Healing has its bound
// to itself: it is not cut short by the context of the scenario.
const (
	InjectBound      = 60 * time.Second
	ProveBound       = 60 * time.Second
	HealBound        = 30 * time.Second
	ProveHealedBound = 30 * time.Second
)

// Phase is where an injection is in its life-cycle.
type Phase string

// The phases of an injection.
const (
	Ready    Phase = "ready"    // nothing was done yet
	Injected Phase = "injected" // in effect, for all that is known
	Proved   Phase = "proved"   // seen to be in effect
	Healed   Phase = "healed"   // taken back, or undone after a failed injection
	Restored Phase = "restored" // seen to be gone
	Stuck    Phase = "stuck"    // neither in effect nor taken back for certain: heal again
)

// Injection takes one use of a fault through its life-cycle:
//
//	Ready ─Inject→ Injected ─Prove→ Proved ─Heal→ Healed ─ProveHealed→ Restored
//
// Heal may follow Inject directly, and every step but Inject may be repeated. A
// failed Inject is undone at once, a failed Heal leaves the injection Stuck and
// active. Any other order is refused with ErrOrder and does nothing. A panic in
// the effect is an error like any other. It may be used by several goroutines;
// Heal cuts short a step that another one is in.
type Injection struct {
	rig    *Rig
	fault  Fault
	effect Effect
	nested bool         // part of another injection, which answers for it
	note   func(*Entry) // adds what a plan knows; may be nil

	order sync.Mutex // held during a step

	mu        sync.Mutex // guards what follows
	phase     Phase
	interrupt context.CancelFunc
}

// Prepare checks the fault on this rig and makes an injection of it, Ready.
func (r *Rig) Prepare(fault Fault) (*Injection, error) {
	if err := fault.Check(r); err != nil {
		return nil, fmt.Errorf("check %v: %w", fault, err)
	}
	return &Injection{rig: r, fault: fault, effect: fault.Prepare(r), phase: Ready}, nil
}

func (i *Injection) String() string { return i.fault.String() }

// Phase is where the injection is.
func (i *Injection) Phase() Phase {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase
}

func (i *Injection) set(phase Phase) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.phase = phase
}

// expect refuses a step that does not follow from the phase.
func (i *Injection) expect(step string, phases ...Phase) error {
	if phase := i.Phase(); !slices.Contains(phases, phase) {
		return fmt.Errorf("%s %v: %w: it is %s", step, i.fault, ErrOrder, phase)
	}
	return nil
}

// Inject brings the fault about. From then on the rig counts it as active. If it
// fails, what was done is undone before it returns.
func (i *Injection) Inject(ctx context.Context) error {
	i.order.Lock()
	defer i.order.Unlock()
	if err := i.expect("inject", Ready); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("inject %v: %w", i.fault, err)
	}
	if !i.nested {
		if err := i.rig.add(i); err != nil {
			return fmt.Errorf("inject %v: %w", i.fault, err)
		}
	}
	began := time.Now()
	i.record("intend", began, nil)
	err := i.step(ctx, InjectBound, i.effect.Inject)
	if err == nil {
		i.set(Injected)
	} else {
		err = errors.Join(fmt.Errorf("inject %v: %w", i.fault, err), i.undo(ctx))
	}
	i.record("inject", began, err)
	return err
}

// Prove waits until the fault was seen to be in effect. If it was not, the
// error is ErrInconclusive; that of a cancelled context is not.
func (i *Injection) Prove(ctx context.Context) error {
	i.order.Lock()
	defer i.order.Unlock()
	if err := i.expect("prove", Injected, Proved); err != nil {
		return err
	}
	began := time.Now()
	err := i.step(ctx, ProveBound, i.effect.Prove)
	if err == nil {
		i.set(Proved)
	} else {
		err = i.unproved(ctx, "prove", ErrInconclusive, err)
	}
	i.record("prove", began, err)
	return err
}

// Heal takes the fault back, whatever the context has come to. To heal what is
// healed does nothing. An error is ErrNotHealed, and Heal may be tried again.
func (i *Injection) Heal(ctx context.Context) error {
	i.stop()
	i.order.Lock()
	defer i.order.Unlock()
	switch i.Phase() {
	case Healed, Restored:
		return nil
	}
	if err := i.expect("heal", Injected, Proved, Stuck); err != nil {
		return err
	}
	began := time.Now()
	err := i.undo(ctx)
	i.record("heal", began, err)
	return err
}

// undo heals, and nothing interrupts it; the order is held.
func (i *Injection) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), HealBound)
	defer cancel()
	if err := calmly(ctx, i.effect.Heal); err != nil {
		i.set(Stuck)
		return fmt.Errorf("heal %v: %w: %w", i.fault, ErrNotHealed, err)
	}
	i.set(Healed)
	i.rig.remove(i)
	return nil
}

// ProveHealed waits until the fault was seen to be gone. The error is
// ErrNotHealed, or ErrInconclusive if the fault turned out not to have gone as
// it should.
func (i *Injection) ProveHealed(ctx context.Context) error {
	i.order.Lock()
	defer i.order.Unlock()
	if err := i.expect("prove healed", Healed, Restored); err != nil {
		return err
	}
	began := time.Now()
	err := i.step(ctx, ProveHealedBound, i.effect.ProveHealed)
	switch {
	case err == nil:
		i.set(Restored)
	case errors.Is(err, ErrInconclusive):
		err = i.unproved(ctx, "prove healed", ErrInconclusive, err)
	default:
		err = i.unproved(ctx, "prove healed", ErrNotHealed, err)
	}
	i.record("prove healed", began, err)
	return err
}

func (i *Injection) record(did string, began time.Time, err error) {
	entry := Entry{Did: did, Fault: i.fault.String(), Phase: i.Phase(), Begun: began, Took: time.Since(began), Err: err, Part: i.nested}
	if i.note != nil {
		i.note(&entry)
	}
	i.rig.record(entry)
}

// unproved gives a failed proof its class, unless nobody waited for it any more.
func (i *Injection) unproved(ctx context.Context, step string, class, err error) error {
	if ctx.Err() == nil && !errors.Is(err, class) {
		err = fmt.Errorf("%w: %w", class, err)
	}
	return fmt.Errorf("%s %v: %w", step, i.fault, err)
}

// step runs one step of the effect within its bound, open to interruption.
func (i *Injection) step(ctx context.Context, bound time.Duration, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	i.interruptBy(cancel)
	defer i.interruptBy(nil)
	return calmly(ctx, run)
}

// calmly makes an error of a panic.
func calmly(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return run(ctx)
}

func (i *Injection) interruptBy(cancel context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.interrupt = cancel
}

// stop cuts short the step that is under way. A heal is left alone.
func (i *Injection) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.interrupt != nil {
		i.interrupt()
	}
}
