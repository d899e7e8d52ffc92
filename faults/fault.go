package faults

import (
	"context"
	"errors"
	"fmt"
)

// Fault is a thing to be done to a cluster. It is a value: it does nothing by
// itself, may be used many times, and prints itself. The faults of this package
// print what ParseFault reads. A user's own fault implements the same methods.
type Fault interface {
	fmt.Stringer
	// Check says what is wrong with the fault on this rig: a link that does not
	// exist, a duration of zero, a tool that is missing. It touches nothing.
	Check(rig *Rig) error
	// Claims says what the fault will hold on to in such a cluster, as far as it is
	// known before the fault is injected. Plans are checked by it.
	Claims(layout Layout) []Claim
	// Prepare makes one use of the fault. It touches nothing.
	Prepare(rig *Rig) Effect
}

// Effect is one use of a fault. Injection calls its methods one at a time and
// in the order of the life-cycle, each with a context that has a deadline.
type Effect interface {
	// Inject brings the fault about. After an error Heal undoes what was done.
	Inject(ctx context.Context) error
	// Prove returns nil once the fault was seen to be in effect.
	Prove(ctx context.Context) error
	// Heal takes the fault back. It may be called again after an error, and after
	// an Inject that failed half-way.
	Heal(ctx context.Context) error
	// ProveHealed returns nil once the fault was seen to be gone. What the system
	// makes of that is not its matter: the scenario judges recovery.
	ProveHealed(ctx context.Context) error
}

// Waiter is what an Effect may offer besides, if it comes to an end by itself: a
// flapping that was counted, a sequence.
type Waiter interface {
	// Wait returns when the effect has run its course.
	Wait(ctx context.Context) error
}

// The classes of errors, for errors.Is.
var (
	// ErrInconclusive: the fault could not be seen in effect, so nothing that
	// follows says anything about the system.
	ErrInconclusive = errors.New("inconclusive")
	// ErrNotHealed: a fault may still be there.
	ErrNotHealed = errors.New("not healed")
	// ErrOrder: a step of the life-cycle was called out of order.
	ErrOrder = errors.New("out of order")
	// ErrConflict: two faults would undo each other.
	ErrConflict = errors.New("conflict")
	// ErrGuarded: more brokers would be down at once than the guard allows.
	ErrGuarded = errors.New("guarded")
	// ErrUnsupported: the rig misses a tool that the fault needs.
	ErrUnsupported = errors.New("unsupported")
)

var errNoFault = errors.New("no fault given")

// actions is an Effect made of functions; nil ones do nothing. What it claimed
// is released when it is healed.
type actions struct {
	rig                              *Rig
	name                             string
	inject, prove, heal, proveHealed func(context.Context) error
	aim                              func(context.Context) error // finds the targets before inject does
}

func (a *actions) String() string { return a.name }

// claim is called by inject once it knows what it will touch.
func (a *actions) claim(claims ...Claim) error { return a.rig.Claim(a, claims...) }

func (a *actions) Inject(ctx context.Context) error      { return perform(ctx, a.inject) }
func (a *actions) Prove(ctx context.Context) error       { return perform(ctx, a.prove) }
func (a *actions) ProveHealed(ctx context.Context) error { return perform(ctx, a.proveHealed) }

func (a *actions) Heal(ctx context.Context) error {
	if err := perform(ctx, a.heal); err != nil {
		return err
	}
	a.rig.Release(a)
	return nil
}

// Aim finds what the fault will touch ahead of its injection.
func (a *actions) Aim(ctx context.Context) error { return perform(ctx, a.aim) }

func perform(ctx context.Context, action func(context.Context) error) error {
	if action == nil {
		return nil
	}
	return action(ctx)
}
