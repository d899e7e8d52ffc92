package faults

import (
	"context"
	"fmt"
)

// setting is a thing with a value that can be read and written: the fault writes
// another value and is proved by reading it back, healing writes the old one.
type setting[T any] struct {
	what   string // such as "configuration of sink"
	claim  Claim
	read   func(context.Context) (T, error)
	write  func(context.Context, T) error
	change func(T) (T, error)
	equal  func(a, b T) bool
}

// apply makes the actions of one use.
func (s setting[T]) apply(a *actions) {
	var old, fresh T
	begun := false
	a.inject = func(ctx context.Context) (err error) {
		if err := a.claim(s.claim); err != nil {
			return err
		}
		if old, err = s.read(ctx); err != nil {
			return fmt.Errorf("read %s: %w", s.what, err)
		}
		if fresh, err = s.change(old); err != nil {
			return fmt.Errorf("change %s: %w", s.what, err)
		}
		if s.equal(old, fresh) {
			return fmt.Errorf("change %s: it is %v already", s.what, old)
		}
		begun = true
		return named("change "+s.what, s.write(ctx, fresh))
	}
	a.prove = func(ctx context.Context) error { return s.await(ctx, fresh) }
	a.heal = func(ctx context.Context) error {
		if !begun {
			return nil
		}
		return named("change back "+s.what, s.write(ctx, old))
	}
	a.proveHealed = func(ctx context.Context) error {
		if !begun {
			return nil
		}
		return s.await(ctx, old)
	}
}

// await reads until the value is the one that is wanted.
func (s setting[T]) await(ctx context.Context, want T) error {
	return until(ctx, func(ctx context.Context) error {
		now, err := s.read(ctx)
		if err == nil && !s.equal(now, want) {
			err = fmt.Errorf("it is %v, want %v", now, want)
		}
		return named("read "+s.what, err)
	})
}
