package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"kafkachaos/harness/topology"
)

// Rig is what faults are injected into: the tools of a cluster, and the register
// of what is in effect on it. It may be used by several goroutines at once.
type Rig struct {
	Tools
	*register
	limit int // brokers down at once, 0 for any number
}

// NewRig makes the rig of a cluster, with nothing in effect. A cluster has one.
func NewRig(tools Tools) *Rig { return &Rig{Tools: tools, register: &register{}} }

// Guarded is the same rig, on which faults that would leave more than limit
// brokers down at once are refused with ErrGuarded.
func (r *Rig) Guarded(limit int) *Rig {
	return &Rig{Tools: r.Tools, register: r.register, limit: limit}
}

// register keeps what is in effect. It is shared by a rig and its guarded views.
type register struct {
	mu     sync.Mutex
	active []*Injection // oldest first
	held   []holding
	count  int
	closed bool
}

type holding struct {
	by     fmt.Stringer
	claims []Claim
}

// Claim registers what an effect is about to touch, before it does. It is
// refused, as a whole, with ErrConflict if the effect of another fault holds on
// to the same thing, and with ErrGuarded if too many brokers would be down. by is
// the effect, a pointer; it may claim more later.
func (r *Rig) Claim(by fmt.Stringer, claims ...Claim) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(claims)
	for _, other := range r.held {
		if clash, found := conflict(claims, other.claims); found && other.by != by {
			return fmt.Errorf("%w: %v is held by %v", ErrConflict, clash, other.by)
		}
		all = append(all, other.claims...)
	}
	if n := down(all); r.limit > 0 && n > r.limit && down(claims) > 0 {
		return fmt.Errorf("%w: %d brokers would be down at once, not more than %d may be", ErrGuarded, n, r.limit)
	}
	r.held = append(r.held, holding{by, claims})
	return nil
}

// Release gives back everything that the effect claimed.
func (r *Rig) Release(by fmt.Stringer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = slices.DeleteFunc(r.held, func(h holding) bool { return h.by == by })
}

// disturbed says whether an effect other than by disturbs the link or the
// process of the node at its far end, so that a probe says nothing about by.
func (r *register) disturbed(by fmt.Stringer, link topology.Link) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.held {
		for _, claim := range other.claims {
			far := claim.Node == link.To && claim.Thing == ThingProcess
			if other.by != by && (claim.Link == link || far) {
				return true
			}
		}
	}
	return false
}

// number is another one at each call.
func (r *register) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count++
	return r.count
}

// Active lists the injections that are not healed, oldest first.
func (r *register) Active() []*Injection {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.active)
}

func (r *register) add(i *Injection) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errors.New("the rig is closed")
	}
	r.active = append(r.active, i)
	return nil
}

func (r *register) remove(i *Injection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active = slices.DeleteFunc(r.active, func(other *Injection) bool { return other == i })
}

// HealAll heals every active injection, the newest first, also when the context
// is cancelled. It goes on after an error and joins them.
func (r *register) HealAll(ctx context.Context) error {
	var errs []error
	for _, injection := range slices.Backward(r.Active()) {
		errs = append(errs, injection.Heal(ctx))
	}
	return errors.Join(errs...)
}

// Close refuses every injection from now on and heals the active ones.
func (r *register) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	return r.HealAll(ctx)
}
