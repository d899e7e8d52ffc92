package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

// slot is one use of a fault within a course.
type slot struct {
	fault Fault
	at    time.Duration // since the course began; later if the slot before lasts longer
	hold  time.Duration // 0 lasts until the fault is proved and has run its course
	rest  time.Duration // kept after it was healed
}

// endless is the length of a course that goes on until it is healed.
const endless time.Duration = math.MaxInt64

// length is how long a fault that is over by itself takes, as far as it says so.
func length(fault Fault) time.Duration {
	if lasting, ok := fault.(interface{ Lasts() time.Duration }); ok {
		return lasting.Lasts()
	}
	return 0
}

// total is the length of faults that are taken one after the other.
func total(rest time.Duration, faults ...Fault) (sum time.Duration) {
	for _, fault := range faults {
		if one := length(fault); one == endless || sum > endless-one-rest {
			return endless
		} else {
			sum += one + rest
		}
	}
	return sum
}

// manifold is so many times the length.
func manifold(times int, one time.Duration) time.Duration {
	if times > 0 && one > endless/time.Duration(times) {
		return endless
	}
	return time.Duration(times) * one
}

// slots hands out the slots of a course, one after the other; false ends it.
type slots func() (slot, bool)

// courseFault runs other faults, one after the other, beside the caller.
type courseFault struct {
	spec  Spec
	parts []Fault          // what it runs, each once
	check func(*Rig) error // nil finds nothing wrong
	lasts time.Duration    // about, apart from proofs; endless goes on until it is healed
	begin func(context.Context, *Rig) (slots, error)
}

func (f courseFault) String() string { return f.spec.String() }

func (f courseFault) Check(rig *Rig) error {
	var errs []error
	if f.check != nil {
		errs = append(errs, f.check(rig))
	}
	if len(f.parts) == 0 {
		errs = append(errs, errNoFault)
	}
	for _, part := range f.parts {
		errs = append(errs, part.Check(rig))
	}
	return errors.Join(errs...)
}

// Claims joins the claims of the parts; a claim that several parts make is made
// once, since they run one after the other.
func (f courseFault) Claims(layout Layout) []Claim {
	var claims []Claim
	for _, part := range f.parts {
		for _, claim := range part.Claims(layout) {
			if !slices.Contains(claims, claim) {
				claims = append(claims, claim)
			}
		}
	}
	return claims
}

// Once holds for every course: it ends by itself, but for an endless flapping.
func (f courseFault) Once() bool { return f.lasts != endless }

// Lasts is how long the course takes.
func (f courseFault) Lasts() time.Duration { return f.lasts }

func (f courseFault) Prepare(rig *Rig) Effect {
	return &course{fault: f, rig: rig, first: make(chan error, 1), done: make(chan struct{}),
		seen: make(chan struct{}), unproved: map[string]error{}, past: map[string]*Injection{}}
}

// course is one use of a courseFault. It is proved once the first slot is, and
// proved healed when every fault that it began was proved at least once.
type course struct {
	fault courseFault
	rig   *Rig
	stop  func()
	first chan error    // what injecting the first slot came to
	seen  chan struct{} // closed at the first proof
	done  chan struct{} // closed at the end

	mu       sync.Mutex // guards what follows
	proofs   int
	unproved map[string]error      // by fault: why it was never proved; nil once it was
	past     map[string]*Injection // by fault: the last use
	late     error                 // what ended it early
}

func (c *course) Inject(ctx context.Context) error {
	next, err := c.fault.begin(ctx, c.rig)
	if err != nil {
		return err
	}
	first, _ := next()
	c.stop = background(ctx, func(ctx context.Context) { c.run(ctx, first, next) })
	if first.at > 0 {
		return nil
	}
	select {
	case err := <-c.first:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run goes through the slots until they or the context end.
func (c *course) run(ctx context.Context, now slot, next slots) {
	defer close(c.done)
	began := time.Now()
	for more := true; more; now, more = next() {
		pause(ctx, time.Until(began.Add(now.at)))
		if ctx.Err() != nil {
			return
		}
		if err := c.use(ctx, now); err != nil {
			c.mu.Lock()
			c.late = err
			c.mu.Unlock()
			return
		}
		pause(ctx, now.rest)
	}
}

// use takes one slot through the life-cycle. Its error ends the course.
func (c *course) use(ctx context.Context, now slot) error {
	injection := nested(c.rig, now.fault)
	c.mu.Lock()
	c.past[now.fault.String()] = injection
	c.mu.Unlock()
	return injection.use(ctx, now.hold, func(err error) {
		select {
		case c.first <- err:
		default:
		}
	}, func(err error) { c.note(ctx, now.fault.String(), err) })
}

// note keeps what proving a slot came to.
func (c *course) note(ctx context.Context, name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.unproved[name]
	switch {
	case err == nil:
		c.unproved[name] = nil
		if c.proofs++; c.proofs == 1 {
			close(c.seen)
		}
	case ctx.Err() == nil && (!known || before != nil):
		c.unproved[name] = err
	}
}

// Prove waits for the first proof, or for the end of a course without one.
func (c *course) Prove(ctx context.Context) error {
	select {
	case <-c.seen:
		return nil
	case <-c.done:
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proofs > 0 {
		return nil
	}
	errs := append(slices.Collect(maps.Values(c.unproved)), c.late)
	return errors.Join(append(errs, errors.New("no fault was proved"))...)
}

// Heal ends the course and heals what it left.
func (c *course) Heal(ctx context.Context) error {
	if c.stop != nil {
		c.stop()
	}
	var errs []error
	for _, injection := range c.past {
		if injection.Phase() != Ready {
			errs = append(errs, injection.Heal(ctx))
		}
	}
	return errors.Join(errs...)
}

// ProveHealed proves each fault healed, and that each was proved before.
func (c *course) ProveHealed(ctx context.Context) error {
	var errs []error
	if c.late != nil {
		errs = append(errs, fmt.Errorf("%w: it ended early: %w", ErrInconclusive, c.late))
	}
	for _, name := range slices.Sorted(maps.Keys(c.past)) {
		if err := c.unproved[name]; err != nil {
			errs = append(errs, fmt.Errorf("%w: never proved: %w", ErrInconclusive, err))
		}
		if injection := c.past[name]; injection.Phase() == Healed {
			errs = append(errs, injection.ProveHealed(ctx))
		}
	}
	return errors.Join(errs...)
}

// Wait returns at the end of the course.
func (c *course) Wait(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
