package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kafkachaos/harness/topology"
)

// leaf is a fault of the families that are not links: what it prints, what is
// wrong with it, what it claims, and how one use of it is made.
type leaf struct {
	spec   Spec
	check  func(*Rig) error // nil finds nothing wrong
	claims []Claim
	once   bool          // it happens and is over; there is nothing to hold
	slow   time.Duration // how long it may take to come into effect, by its nature
	make   func(*Rig, *actions)
}

func (f leaf) String() string        { return f.spec.String() }
func (f leaf) Claims(Layout) []Claim { return f.claims }
func (f leaf) Once() bool            { return f.once }
func (f leaf) Slow() time.Duration   { return f.slow }

func (f leaf) Check(rig *Rig) error {
	if f.check == nil {
		return nil
	}
	return f.check(rig)
}

func (f leaf) Prepare(rig *Rig) Effect {
	effect := &actions{rig: rig, name: f.String()}
	f.make(rig, effect)
	return effect
}

// Momentary is what a Fault may offer besides: whether it happens and is over, so
// that a plan need not say how long to hold it.
type Momentary interface{ Once() bool }

// once says whether the fault is over by itself.
func once(fault Fault) bool {
	momentary, ok := fault.(Momentary)
	return ok && momentary.Once()
}

// slowness is how long the fault may take to come into effect, by its nature; 0
// is at once.
func slowness(fault Fault) time.Duration {
	if slow, ok := fault.(interface{ Slow() time.Duration }); ok {
		return slow.Slow()
	}
	return 0
}

// need refuses a tool that the rig misses.
func need(name string, has func(*Rig) bool) func(*Rig) error {
	return func(rig *Rig) error {
		if !has(rig) {
			return fmt.Errorf("%w: no %s", ErrUnsupported, name)
		}
		return nil
	}
}

// all joins what several checks find.
func all(checks ...func(*Rig) error) func(*Rig) error {
	return func(rig *Rig) error {
		var errs []error
		for _, check := range checks {
			errs = append(errs, check(rig))
		}
		return errors.Join(errs...)
	}
}

// refuse is a check that fails if the condition holds.
func refuse(bad bool, format string, args ...any) func(*Rig) error {
	return func(*Rig) error {
		if bad {
			return fmt.Errorf(format, args...)
		}
		return nil
	}
}

// checkTarget refuses targets that are not of these roles, as far as that is known.
func checkTarget(target Target, roles ...topology.Role) func(*Rig) error {
	return func(rig *Rig) error {
		switch target := target.(type) {
		case *same:
			return checkTarget(target.Target, roles...)(rig)
		case Node:
			return checkNode(topology.Node(target), rig, roles)
		case Role:
			if rig.Roles == nil {
				return fmt.Errorf("find %v: %w: no Roles", target, ErrUnsupported)
			}
		case nil:
			return errors.New("no target given")
		}
		return nil
	}
}

func checkNode(node topology.Node, rig *Rig, roles []topology.Role) error {
	if !rig.Layout.HasNode(node) {
		return fmt.Errorf("there is no node %v", node)
	}
	for _, role := range roles {
		if node.Role == role {
			return nil
		}
	}
	return fmt.Errorf("%v is no %v", node, roles)
}

// known is the target's node as far as it is known beforehand.
func known(target Target) (topology.Node, bool) {
	if again, ok := target.(*same); ok {
		target = again.Target
	}
	node, ok := target.(Node)
	return topology.Node(node), ok
}

// same is a target that is resolved once, for faults that look at it twice.
type same struct {
	Target
	once sync.Once
	node topology.Node
	err  error
}

func (s *same) Resolve(ctx context.Context, rig *Rig) (topology.Node, error) {
	s.once.Do(func() { s.node, s.err = s.Target.Resolve(ctx, rig) })
	return s.node, s.err
}
