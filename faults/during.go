package faults

import (
	"context"
	"errors"
)

// During has the fault in effect while the body runs: it injects and proves the
// fault, runs the body, heals the fault, and proves it healed. Healing happens
// for certain: after an error, a panic, a Goexit, and when the context is over.
//
// A nil body waits until the fault has run its course, if it is one that does:
// a counted flapping, a sequence, a rolling restart.
//
// The error joins what went wrong. It is ErrInconclusive if the fault was not
// seen in effect (the body does not run then) and ErrNotHealed if it may still
// be there.
func During(ctx context.Context, rig *Rig, fault Fault, body func(context.Context) error) (err error) {
	injection, err := rig.Prepare(fault)
	if err != nil {
		return err
	}
	if err := injection.Inject(ctx); err != nil {
		return err
	}
	finished := false // not so in a panic: then only heal
	defer func() {
		healErr := injection.Heal(ctx)
		if healErr == nil && finished && ctx.Err() == nil {
			healErr = injection.ProveHealed(ctx)
		}
		err = errors.Join(err, healErr)
	}()
	if err = injection.Prove(ctx); err == nil {
		err = injection.spend(ctx, body)
	}
	finished = true
	return err
}

// spend passes the time while the fault is in effect.
func (i *Injection) spend(ctx context.Context, body func(context.Context) error) error {
	if body != nil {
		return body(ctx)
	}
	if waiter, ok := i.effect.(Waiter); ok {
		return waiter.Wait(ctx)
	}
	return nil
}
