package report

import (
	"maps"
	"slices"
	"strings"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/history"
)

// use is one use of a fault, on all its lanes.
type use struct {
	Window
	lanes []string
	acked map[history.Partition]bool // since its heal
}

// combined is the lane of faults that are made of others, which have lanes of
// their own.
const combined = "combined"

// fault takes a step of a fault.
func (c *collector) fault(at time.Duration, f *history.Fault) {
	u := c.faults[f.Number]
	if u == nil {
		kind, lanes := targets(f.Name)
		u = &use{Window: Window{Number: f.Number, Name: f.Name, Kind: kind, Intended: at, Injected: -1, Seen: -1, Refuted: -1,
			Healed: -1, Recovered: -1, Unrecovered: -1}, lanes: lanes, acked: map[history.Partition]bool{}}
		c.faults[f.Number] = u
	}
	what := map[history.Step]*time.Duration{history.Intended: &u.Intended, history.Injected: &u.Injected, history.InEffect: &u.Seen,
		history.NoEffect: &u.Refuted, history.Healed: &u.Healed, history.Recovered: &u.Recovered, history.Unrecovered: &u.Unrecovered}[f.Step]
	if what != nil && (*what < 0 || f.Step == history.Intended) {
		*what = at
	}
	u.Instant = u.Instant || f.Instant
	text := string(f.Step)
	switch f.Step {
	case history.Recovered:
		if u.Healed >= 0 {
			c.t.Recovery.atLeast(at-u.Healed, f.Name)
		}
	case history.Unrecovered:
		u.Why = f.Why
		text += ": " + f.Why
	}
	c.tell(at, strings.Join(u.lanes, ", "), "%s: %s", f.Name, text)
}

// acked tells every fault that was healed of the first acknowledgement since.
func (c *collector) ackedAfterHeal(at time.Duration, p history.Partition) {
	for _, u := range c.faults {
		if u.Healed < 0 || u.acked[p] {
			continue
		}
		u.acked[p] = true
		if waiting := c.flow.waiting(p); waiting >= 0 && waiting <= u.Healed { // somebody waited for it
			c.t.Recovery.atLeast(at-u.Healed, u.Name)
		}
	}
}

func (c *collector) endFaults() {
	for _, number := range slices.Sorted(maps.Keys(c.faults)) {
		u := c.faults[number]
		u.End = c.t.Length
		for _, name := range u.lanes {
			lane := c.lane(name, groupOf(name))
			if name == combined {
				lane.Group = Links
			}
			lane.Faults = append(lane.Faults, u.Window)
		}
	}
}

// targets are the lanes of a fault: the links and nodes that it names, or that the
// faults within it do.
func targets(name string) (kind string, lanes []string) {
	spec, err := faults.ParseSpec(name)
	if err != nil {
		return name, []string{combined}
	}
	switch spec.Kind {
	case "together", "when", "sequence", "guarded":
		return spec.Kind, []string{combined}
	}
	lanes = named(spec)
	if len(lanes) == 0 {
		lanes = []string{combined}
	}
	return spec.Kind, lanes
}

func named(spec faults.Spec) (lanes []string) {
	for _, name := range slices.Sorted(maps.Keys(spec.Args)) {
		value := spec.Args[name]
		if inner, err := faults.ParseSpec(value); err == nil && len(inner.Args) > 0 {
			lanes = append(lanes, named(inner)...)
			continue
		}
		for target := range strings.SplitSeq(value, ",") {
			if group := groupOf(target); group == Links || group == Nodes || strings.HasPrefix(name, "node") || name == "broker" || name == "worker" {
				lanes = append(lanes, target)
			}
		}
	}
	slices.Sort(lanes)
	return slices.Compact(lanes)
}
