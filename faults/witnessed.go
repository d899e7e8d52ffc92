package faults

import (
	"context"
	"errors"
	"time"
)

// witnessed is a fault that has to be seen elsewhere, too: before reads a state
// ahead of the injection, after waits until it has changed.
type witnessed struct {
	spec  Spec
	inner Fault
	check func(*Rig) error
	watch func(*Rig) (before, after func(context.Context) error)
}

func (w witnessed) String() string               { return w.spec.String() }
func (w witnessed) Claims(layout Layout) []Claim { return w.inner.Claims(layout) }
func (w witnessed) Once() bool                   { return once(w.inner) }
func (w witnessed) Lasts() time.Duration         { return length(w.inner) }
func (w witnessed) Check(rig *Rig) error         { return errors.Join(w.check(rig), w.inner.Check(rig)) }

func (w witnessed) Prepare(rig *Rig) Effect {
	before, after := w.watch(rig)
	return &witnessing{Effect: w.inner.Prepare(rig), before: before, after: after}
}

type witnessing struct {
	Effect
	began         bool
	before, after func(context.Context) error
}

func (w *witnessing) Inject(ctx context.Context) error {
	if err := w.before(ctx); err != nil {
		return err
	}
	w.began = true
	return w.Effect.Inject(ctx)
}

func (w *witnessing) Prove(ctx context.Context) error {
	if err := w.Effect.Prove(ctx); err != nil {
		return err
	}
	return w.after(ctx)
}

// Heal leaves alone what was never begun.
func (w *witnessing) Heal(ctx context.Context) error {
	if !w.began {
		return nil
	}
	return w.Effect.Heal(ctx)
}

// Wait waits for a fault that comes to an end by itself.
func (w *witnessing) Wait(ctx context.Context) error {
	if waiter, ok := w.Effect.(Waiter); ok {
		return waiter.Wait(ctx)
	}
	return nil
}
