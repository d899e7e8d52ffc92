package faults

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"kafkachaos/harness/topology"
)

// Budget is what a drawn plan may spend. Zero values mean the default.
type Budget struct {
	Steps    int           // default 10
	Length   time.Duration // of the whole plan; default 10 s a step
	LeastFor time.Duration // shortest hold; default 2 s
	MostFor  time.Duration // longest hold; default 6 s
	// Settle is how long after a fault its nodes and links are left alone, so that
	// the next one finds them working; default 8 s. A broker whose session expires
	// while it starts ends for good, so this has to be longer than a start.
	Settle time.Duration
	// Brokers that may be down at once; default 1.
	Brokers int
	// Kinds to draw from, see DrawnKinds; default all that the layout offers.
	Kinds []string
	// Connectors whose tasks may be restarted and whose configuration touched.
	Connectors []string
	// Topics whose preferred leaders may be elected and configuration changed.
	Topics []string
}

func (b Budget) filled() (Budget, error) {
	b.Steps = cmp.Or(b.Steps, 10)
	b.Length = cmp.Or(b.Length, 10*time.Second*time.Duration(b.Steps))
	b.LeastFor = cmp.Or(b.LeastFor, 2*time.Second)
	b.MostFor = cmp.Or(b.MostFor, max(b.LeastFor, 6*time.Second))
	b.Settle = cmp.Or(b.Settle, 8*time.Second)
	b.Brokers = cmp.Or(b.Brokers, 1)
	switch {
	case b.Steps < 0:
		return b, fmt.Errorf("steps=%d: want 1 or more", b.Steps)
	case b.LeastFor < time.Millisecond || b.MostFor < b.LeastFor || b.Settle < 0:
		return b, fmt.Errorf("holds from %v to %v, settled in %v: want 1ms or more, in order", b.LeastFor, b.MostFor, b.Settle)
	case b.Length <= b.MostFor:
		return b, fmt.Errorf("length=%v: want more than the longest hold, %v", b.Length, b.MostFor)
	case b.Brokers < 0:
		return b, fmt.Errorf("brokers=%d: want 1 or more", b.Brokers)
	}
	return b, nil
}

// Draw makes a plan from a seed: the same seed, budget and layout give the same
// plan, on every machine. Each part of it has a random stream of its own, so that
// what one kind of fault draws does not change another. Faults in effect at the
// same time do not hide each other: they share no link, and a node that is down
// is at the end of no link that is faulted. The plan passes its Check on a rig of
// that layout with all tools.
func Draw(seed uint64, budget Budget, layout Layout) (Plan, error) {
	budget, err := budget.filled()
	if err != nil {
		return Plan{}, fmt.Errorf("draw plan: %w", err)
	}
	drawing := &drawing{layout: layout, budget: budget, seed: seed, streams: map[string]*rand.Rand{}}
	if drawing.kinds, err = drawing.offered(); err != nil {
		return Plan{}, fmt.Errorf("draw plan: %w", err)
	}
	for n := range budget.Steps {
		if !drawing.place(n) {
			return Plan{}, fmt.Errorf("draw plan: no room for step %d of %d within %v: give it more time, or fewer steps", n+1, budget.Steps, budget.Length)
		}
	}
	plan := Plan{Seed: seed}
	slices.SortStableFunc(drawing.placed, func(a, b part) int { return cmp.Compare(a.At, b.At) })
	for _, part := range drawing.placed {
		plan.Steps = append(plan.Steps, part.Step)
	}
	return plan, nil
}

// drawing is a plan that is being drawn.
type drawing struct {
	layout  Layout
	budget  Budget
	seed    uint64
	kinds   []string
	streams map[string]*rand.Rand
	placed  []part
}

// stream is the random stream of one part of the plan.
func (d *drawing) stream(part string) *rand.Rand {
	if d.streams[part] == nil {
		d.streams[part] = Random(d.seed, "draw "+part)
	}
	return d.streams[part]
}

// offered are the kinds to draw from.
func (d *drawing) offered() (kinds []string, err error) {
	for _, kind := range DrawnKinds() {
		if len(d.budget.Kinds) == 0 || slices.Contains(d.budget.Kinds, kind) {
			if drawable[kind].offered(d) {
				kinds = append(kinds, kind)
			} else if len(d.budget.Kinds) > 0 {
				return nil, fmt.Errorf("kind %q: the layout or the budget has nothing for it", kind)
			}
		}
	}
	for _, kind := range d.budget.Kinds {
		if !slices.Contains(DrawnKinds(), kind) {
			return nil, fmt.Errorf("kind %q is not drawn: want some of %v", kind, DrawnKinds())
		}
	}
	if len(kinds) == 0 {
		return nil, errors.New("there is no kind to draw from")
	}
	return kinds, nil
}

// tries is how often a step is drawn anew because it got in the way of another.
const tries = 500

// place draws the n-th step until it fits among the others.
func (d *drawing) place(n int) bool {
	for range tries {
		kind := pick(d.stream("kinds"), d.kinds)
		fault, held := drawable[kind].draw(d, d.stream(kind))
		step, err := StepOf(d.moment(d.budget.Length-d.budget.MostFor), 0, fault)
		if err != nil {
			return false // never: every fault prints what ParseSpec reads
		}
		if held {
			step.Hold = d.hold()
		}
		fresh := part{step, n + 1, fault, fault.Claims(d.layout), step.end(fault)}
		if d.fits(fresh) {
			d.placed = append(d.placed, fresh)
			return true
		}
	}
	return false
}

// moment is drawn to the hundredth of a second, so that plans read well.
func (d *drawing) moment(before time.Duration) time.Duration {
	return time.Duration(d.stream("times").Int64N(int64(before))).Round(10 * time.Millisecond)
}

func (d *drawing) hold() time.Duration {
	span := d.budget.MostFor - d.budget.LeastFor
	return (d.budget.LeastFor + time.Duration(d.stream("holds").Int64N(int64(span)+1))).Round(10 * time.Millisecond)
}

// fits says whether the part gets in no other's way.
func (d *drawing) fits(fresh part) bool {
	meanwhile := slices.Clone(fresh.claims)
	for _, other := range d.placed {
		if fresh.At > other.end+d.budget.Settle || other.At > fresh.end+d.budget.Settle {
			continue
		}
		if entangled(fresh.claims, other.claims) {
			return false
		}
		meanwhile = append(meanwhile, other.claims...)
	}
	return down(meanwhile) <= d.budget.Brokers
}

// entangled says whether one of two faults would hide what the other does.
func entangled(ours, theirs []Claim) bool {
	for _, a := range ours {
		for _, b := range theirs {
			if tangled(a, b) || tangled(b, a) {
				return true
			}
		}
	}
	return false
}

func tangled(a, b Claim) bool {
	switch {
	case a.Link != (topology.Link{}):
		return a.Link == b.Link
	case a.Node != (topology.Node{}):
		near := a.Node == b.Node || a.Node == b.Link.From || a.Node == b.Link.To
		return near || a.Thing == ThingProcess && b.Thing == ThingProcess && a.Node.Role == b.Node.Role
	}
	return a.Thing == b.Thing
}

// pick draws one of them.
func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }
