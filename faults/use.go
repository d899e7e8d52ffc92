package faults

import (
	"context"
	"errors"
	"time"
)

// use takes a Ready injection through its life-cycle up to the heal: in effect
// for so long or, with a hold of 0, until it is proved and has run its course. A
// proof that takes longer than the hold has failed, unless the fault is one that
// takes its time. What injecting and proving came to is told as soon as it is
// known; the error is that of injecting or healing.
func (i *Injection) use(ctx context.Context, hold time.Duration, injected, proved func(error)) error {
	began := time.Now()
	err := i.Inject(ctx)
	injected(err)
	if err != nil {
		return err
	}
	proved(i.proveBefore(ctx, began.Add(max(hold, slowness(i.fault))), hold > 0))
	if hold > 0 {
		pause(ctx, time.Until(began.Add(hold)))
	} else {
		_ = i.spend(ctx, nil) // it ends with the context only
	}
	return i.Heal(ctx)
}

// proveBefore proves the fault before the deadline, if there is one.
func (i *Injection) proveBefore(ctx context.Context, deadline time.Time, has bool) error {
	within, cancel := ctx, context.CancelFunc(func() {})
	if has {
		within, cancel = context.WithDeadline(ctx, deadline)
	}
	defer cancel()
	err := i.Prove(within)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrInconclusive) {
		err = errors.Join(ErrInconclusive, err) // its own deadline came too early
	}
	return err
}
