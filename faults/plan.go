package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PlanFormat is the number of the format that plans are written in, and the
// newest that is read.
const PlanFormat = 1

// Plan is a course of faults as plain data: drawn, printed, edited, kept in a
// file, and run. Steps may overlap in time and may be in any order; they are
// numbered from 1 as they stand.
type Plan struct {
	Seed  uint64 // that it was drawn from; 0 if it was not
	Steps []Step
}

// Step is one fault of a plan.
type Step struct {
	At   time.Duration // since the plan began
	Hold time.Duration // in effect for so long; 0 for a fault that is over by itself
	Spec
}

// StepOf makes a step of a fault.
func StepOf(at, hold time.Duration, fault Fault) (Step, error) {
	spec, err := ParseSpec(fault.String())
	return Step{at, hold, spec}, err
}

func (s Step) String() string {
	if s.Hold == 0 {
		return fmt.Sprintf("at=%v %v", s.At, s.Spec)
	}
	return fmt.Sprintf("at=%v hold=%v %v", s.At, s.Hold, s.Spec)
}

// String writes the plan as text: a line that says it is one, then a line a
// step. ParsePlan reads it back.
func (p Plan) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "plan format=%d seed=%d\n", PlanFormat, p.Seed)
	for _, step := range p.Steps {
		fmt.Fprintln(&text, step)
	}
	return text.String()
}

// Length is when the last step is over, as far as steps say so.
func (p Plan) Length() (end time.Duration) {
	for _, step := range p.Steps {
		end = max(end, step.At+step.Hold)
	}
	return end
}

// Check says what is wrong with the plan on this rig, all of it, naming the
// steps. It touches nothing.
func (p Plan) Check(rig *Rig) error {
	_, err := p.build(rig)
	return err
}

// part is a step with its fault.
type part struct {
	Step
	number int
	fault  Fault
	claims []Claim
	end    time.Duration
}

// build makes the faults of all steps and checks each, and them together.
func (p Plan) build(rig *Rig) ([]part, error) {
	var parts []part
	var errs []error
	for i, step := range p.Steps {
		fault, err := step.build(rig)
		if err != nil {
			errs = append(errs, fmt.Errorf("step %d: %v: %w", i+1, step, err))
			continue
		}
		fresh := part{step, i + 1, fault, fault.Claims(rig.Layout), step.end(fault)}
		errs = append(errs, fresh.clashes(parts), fresh.exceeds(rig.limit, parts))
		parts = append(parts, fresh)
	}
	if len(p.Steps) == 0 {
		errs = append(errs, errors.New("the plan has no step"))
	}
	return parts, errors.Join(errs...)
}

func (s Step) build(rig *Rig) (Fault, error) {
	words := rig.Vocabulary
	if words == nil {
		words = Standard()
	}
	fault, err := words.Build(s.Spec)
	if err != nil {
		return nil, err
	}
	switch {
	case s.At < 0:
		err = fmt.Errorf("at=%v: want 0 or more", s.At)
	case s.Hold < 0:
		err = fmt.Errorf("hold=%v: want 0 or more", s.Hold)
	case s.Hold == 0 && !once(fault):
		err = errors.New("hold is missing: the fault is not over by itself")
	}
	return fault, errors.Join(err, fault.Check(rig))
}

// end is when the step with this fault is over, as far as it is known.
func (s Step) end(fault Fault) time.Duration {
	if s.Hold > 0 {
		return s.At + s.Hold
	}
	return total(0, fault) + s.At
}

// meets says whether both are in effect at some time.
func (p part) meets(other part) bool { return p.At <= other.end && other.At <= p.end }

// clashes refuses a step that would undo one before it, or be undone by it,
// while both are in effect.
func (p part) clashes(others []part) error {
	var errs []error
	for _, other := range others {
		if clash, found := conflict(p.claims, other.claims); found && p.meets(other) {
			errs = append(errs, fmt.Errorf("step %d: %v: %w with step %d, %v: %v", p.number, p.Step, ErrConflict, other.number, other.Step, clash))
		}
	}
	return errors.Join(errs...)
}

// exceeds refuses a step that, with those before it which may be in effect with
// it, would leave more brokers down than the guard of the rig allows. Roles
// count when they are known, which is not yet.
func (p part) exceeds(limit int, others []part) error {
	meanwhile := slices.Clone(p.claims)
	for _, other := range others {
		if p.meets(other) {
			meanwhile = append(meanwhile, other.claims...)
		}
	}
	if n := down(meanwhile); limit > 0 && n > limit && down(p.claims) > 0 {
		return fmt.Errorf("step %d: %v: %w: %d brokers would be down at once, not more than %d may be", p.number, p.Step, ErrGuarded, n, limit)
	}
	return nil
}
