package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Together has all the faults in effect at the same time. They are injected in
// order and healed in reverse.
func Together(faults ...Fault) Fault { return together(faults) }

type together []Fault

func (t together) String() string { return Spec{"together", numbered(t)}.String() }

func (t together) Check(rig *Rig) error {
	if len(t) == 0 {
		return errNoFault
	}
	var errs []error
	for i, fault := range t {
		errs = append(errs, fault.Check(rig))
		for _, other := range t[:i] {
			if clash, found := conflict(fault.Claims(rig.Layout), other.Claims(rig.Layout)); found {
				errs = append(errs, fmt.Errorf("%w: %v is held by %v already", ErrConflict, clash, other))
			}
		}
	}
	return errors.Join(errs...)
}

func (t together) Claims(layout Layout) []Claim {
	var claims []Claim
	for _, fault := range t {
		claims = append(claims, fault.Claims(layout)...)
	}
	return claims
}

// Once holds if every fault is over by itself.
func (t together) Once() bool {
	return !slices.ContainsFunc(t, func(fault Fault) bool { return !once(fault) })
}

// Lasts is the length of the longest.
func (t together) Lasts() (longest time.Duration) {
	for _, fault := range t {
		longest = max(longest, length(fault))
	}
	return longest
}

func (t together) Prepare(rig *Rig) Effect {
	union := &union{}
	for _, fault := range t {
		union.parts = append(union.parts, nested(rig, fault))
	}
	return union
}

// union is one use of faults in effect together.
type union struct{ parts []*Injection }

func (u *union) Inject(ctx context.Context) error {
	for _, part := range u.parts {
		if err := part.Inject(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (u *union) Prove(ctx context.Context) error {
	return u.each(func(part *Injection) error { return part.Prove(ctx) })
}

func (u *union) Heal(ctx context.Context) error {
	var errs []error
	for _, part := range slices.Backward(u.parts) {
		if part.Phase() != Ready {
			errs = append(errs, part.Heal(ctx))
		}
	}
	return errors.Join(errs...)
}

// ProveHealed leaves out what was never injected.
func (u *union) ProveHealed(ctx context.Context) error {
	return u.each(func(part *Injection) error {
		if part.Phase() == Ready {
			return nil
		}
		return part.ProveHealed(ctx)
	})
}

// Wait waits for every part that comes to an end by itself.
func (u *union) Wait(ctx context.Context) error {
	return u.each(func(part *Injection) error { return part.spend(ctx, nil) })
}

// each does the same with all parts at once.
func (u *union) each(do func(*Injection) error) error {
	errs := make([]error, len(u.parts))
	var group sync.WaitGroup
	for i, part := range u.parts {
		group.Go(func() { errs[i] = do(part) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// nested is an injection that another effect answers for: it is not active by
// itself.
func nested(rig *Rig, fault Fault) *Injection {
	return &Injection{rig: rig, fault: fault, effect: fault.Prepare(rig), phase: Ready, nested: true}
}
