package faults

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// For has the fault in effect for so long after it was injected.
func For(hold time.Duration, fault Fault) Fault {
	return courseFault{spec: Spec{"for", map[string]string{"hold": hold.String(), "of": fault.String()}},
		parts: []Fault{fault}, lasts: hold, check: refuse(hold <= 0, "hold=%v: want more than 0", hold),
		begin: func(context.Context, *Rig) (slots, error) { return repeated(1, slot{fault: fault, hold: hold}), nil }}
}

// Sequence takes one fault after the other through its life-cycle: the next one
// is injected when the last one is healed. Faults that are not over by
// themselves need a For.
func Sequence(faults ...Fault) Fault {
	return courseFault{spec: Spec{"sequence", numbered(faults)}, parts: faults, lasts: total(0, faults...),
		begin: func(context.Context, *Rig) (slots, error) { return inTurn(0, faults...), nil }}
}

// Repeat takes the fault through its life-cycle so many times, one every so
// often, or later if it lasts longer.
func Repeat(times int, every time.Duration, fault Fault) Fault {
	args := map[string]string{"times": strconv.Itoa(times), "every": every.String(), "of": fault.String()}
	return courseFault{spec: Spec{"repeat", args}, parts: []Fault{fault}, lasts: manifold(times, max(every, length(fault))),
		check: all(refuse(times < 1, "times=%d: want 1 or more", times), refuse(every <= 0, "every=%v: want more than 0", every)),
		begin: func(context.Context, *Rig) (slots, error) {
			n := 0
			return func() (slot, bool) {
				n++
				return slot{fault: fault, at: time.Duration(n-1) * every}, n <= times
			}, nil
		}}
}

// AtRandomTimes takes drawn ones of the faults through their life-cycle, at so
// many drawn moments within the time given. It is a storm, if the faults are
// rebalances. The same seed draws the same.
func AtRandomTimes(seed uint64, times int, within time.Duration, faults ...Fault) Fault {
	args := numbered(faults)
	args["times"], args["within"], args["seed"] = strconv.Itoa(times), within.String(), strconv.FormatUint(seed, 10)
	return courseFault{spec: Spec{"at-random-times", args}, parts: faults, lasts: max(within, total(0, faults...)),
		check: all(refuse(times < 1, "times=%d: want 1 or more", times), refuse(within <= 0, "within=%v: want more than 0", within)),
		begin: func(context.Context, *Rig) (slots, error) {
			moments, choices := Random(seed, "times"), Random(seed, "choices")
			drawn := make([]slot, times)
			for i := range drawn {
				drawn[i].at = time.Duration(moments.Int64N(int64(within)))
			}
			slices.SortFunc(drawn, func(a, b slot) int { return int(a.at - b.at) })
			for i := range drawn {
				drawn[i].fault = faults[choices.IntN(len(faults))]
			}
			return listed(drawn), nil
		}}
}

// Guarded refuses, with ErrGuarded, whatever would leave more than so many
// brokers down at once, counting what is in effect on the rig already.
func Guarded(most int, fault Fault) Fault {
	return guarded{most, fault}
}

type guarded struct {
	most int
	Fault
}

func (g guarded) String() string {
	return Spec{"guarded", map[string]string{"most": strconv.Itoa(g.most), "of": g.Fault.String()}}.String()
}

func (g guarded) Check(rig *Rig) error {
	if g.most < 1 {
		return fmt.Errorf("most=%d: want 1 or more", g.most)
	}
	if n := down(g.Claims(rig.Layout)); n > g.most {
		return fmt.Errorf("%w: %d brokers would be down at once, not more than %d may be", ErrGuarded, n, g.most)
	}
	return g.Fault.Check(rig)
}

func (g guarded) Prepare(rig *Rig) Effect { return g.Fault.Prepare(rig.Guarded(g.most)) }
func (g guarded) Once() bool              { return once(g.Fault) }
func (g guarded) Lasts() time.Duration    { return length(g.Fault) }

// repeated is the same slot so many times.
func repeated(times int, one slot) slots {
	return func() (slot, bool) {
		times--
		return one, times >= 0
	}
}

// inTurn is one fault after the other, with a rest after each.
func inTurn(rest time.Duration, faults ...Fault) slots {
	turns := make([]slot, len(faults))
	for i, fault := range faults {
		turns[i] = slot{fault: fault, rest: rest}
	}
	return listed(turns)
}

func listed(all []slot) slots {
	n := -1
	return func() (slot, bool) {
		if n++; n >= len(all) {
			return slot{}, false
		}
		return all[n], true
	}
}

// numbered are the arguments of a fault that is made of many: 01, 02, …
func numbered(faults []Fault) map[string]string {
	args := map[string]string{}
	for i, fault := range faults {
		args[fmt.Sprintf("%02d", i+1)] = fault.String()
	}
	return args
}
