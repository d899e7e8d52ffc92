package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// When arms a trigger: the fault is injected the moment the witness sees the
// condition come true, and is healed with the trigger. The trigger is injected
// and proved once the watch stands; one that never fired, or whose fault could
// not be proved, is inconclusive in the end.
//
// Who plays a role is found when the trigger is armed, so that nothing is asked
// while it counts. Where the condition is itself a move of a part (another
// controller, leader, generation, owner of a task), it is found when it fires.
//
// The recorder is told when the condition came true and how long it took from
// there to the fault in effect ("fire").
func When(condition Condition, fault Fault) Fault { return trigger{condition, fault} }

type trigger struct {
	condition Condition
	fault     Fault
}

func (t trigger) String() string {
	return Spec{"when", map[string]string{"condition": t.condition.String(), "of": t.fault.String()}}.String()
}

func (t trigger) Check(rig *Rig) error {
	if rig.Watch == nil {
		return fmt.Errorf("%w: no Watch", ErrUnsupported)
	}
	return errors.Join(t.condition.check(), t.fault.Check(rig))
}

func (t trigger) Claims(layout Layout) []Claim { return t.fault.Claims(layout) }

func (t trigger) Prepare(rig *Rig) Effect {
	return &armed{trigger: t, rig: rig, part: nested(rig, t.fault), done: make(chan struct{})}
}

// armed is one use of a trigger.
type armed struct {
	trigger
	rig  *Rig
	part *Injection
	stop func()
	done chan struct{} // closed when it fired and the fault has run its course

	mu    sync.Mutex // guards what follows
	fired bool
	err   error // what firing came to
}

func (a *armed) Inject(ctx context.Context) error {
	if err := a.takeAim(ctx); err != nil {
		return err
	}
	standing := make(chan error, 1)
	a.stop = background(ctx, func(ctx context.Context) {
		events, err := a.rig.Watch.Arm(ctx, a.condition)
		standing <- named(fmt.Sprintf("watch %v", a.condition), err)
		if err != nil {
			return
		}
		select {
		case event, open := <-events:
			if !open {
				event.Err = errors.New("the watch ended")
			}
			a.fire(ctx, event)
		case <-ctx.Done():
		}
	})
	select {
	case err := <-standing:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// takeAim finds the targets of faults of links; other faults have some to find
// in any case.
func (a *armed) takeAim(ctx context.Context) error {
	effect, can := a.part.effect.(interface{ Aim(context.Context) error })
	if !can || a.condition.movesRoles() {
		return nil
	}
	return effect.Aim(ctx)
}

// fire injects the fault at once; everything else comes after.
func (a *armed) fire(ctx context.Context, event Event) {
	defer close(a.done)
	err := event.Err
	if err == nil {
		err = a.part.Inject(ctx)
	}
	a.rig.record(Entry{Did: "fire", Fault: a.String(), Phase: a.part.Phase(), Begun: event.At, Took: time.Since(event.At), Err: event.Err})
	a.note(event.Err == nil, err)
	if err != nil {
		return
	}
	if err := a.part.Prove(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.Join(errors.New("it was healed before it was proved"), err)
		}
		a.note(true, err)
	}
	_ = a.part.spend(ctx, nil) // it ends with the context only
}

func (a *armed) note(fired bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fired, a.err = fired, err
}

func (a *armed) Prove(context.Context) error { return nil }

func (a *armed) Heal(ctx context.Context) error {
	if a.stop != nil {
		a.stop()
	}
	if a.part.Phase() == Ready {
		return nil
	}
	return a.part.Heal(ctx)
}

// ProveHealed finds a trigger that did not do its work inconclusive.
func (a *armed) ProveHealed(ctx context.Context) error {
	a.mu.Lock()
	fired, err := a.fired, a.err
	a.mu.Unlock()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrInconclusive, err)
	case !fired:
		return fmt.Errorf("%w: %v did not come true", ErrInconclusive, a.condition)
	}
	return a.part.ProveHealed(ctx)
}

// Wait waits until the trigger has fired, the fault was proved, and it ran its
// course, if it is one that does.
func (a *armed) Wait(ctx context.Context) error {
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
