package invariant

import (
	"maps"
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// ownership is who owned what in a group, by the last reading.
type ownership struct {
	tasks map[string]*task
}

// task is something to be owned.
type task struct {
	missing, told bool
	since         time.Duration // when it was first seen without an owner
}

// owners takes a reading of a stable group.
func (j *Judge) owners(now time.Duration, o *history.Owners) {
	known := j.owned[o.Group]
	if known == nil {
		known = &ownership{tasks: map[string]*task{}}
		j.owned[o.Group] = known
	}
	owner := map[string]string{}
	for _, member := range slices.Sorted(maps.Keys(o.Owned)) {
		for _, name := range o.Owned[member] {
			j.check(key{TwoOwners, 0, 0})
			if other, owned := owner[name]; owned {
				j.finds.add(key{TwoOwners, 0, 0}, func() Violation {
					return Violation{Record: name, Offset: -1, Broker: -1, At: now,
						Text: sprintf("in generation %d of group %s both %s and %s own it", o.Generation, o.Group, other, member)}
				})
			}
			owner[name] = member
		}
	}
	for _, name := range known.expected(j.terms.Tasks[o.Group], owner) {
		_, owned := owner[name]
		j.ownerless(known.tasks[name], name, o.Group, owned, now)
	}
}

// expected are the tasks that shall have an owner: those of the terms, or
// without any all that ever had one.
func (o *ownership) expected(names []string, owner map[string]string) []string {
	for _, all := range [][]string{names, slices.Collect(maps.Keys(owner))} {
		for _, name := range all {
			if o.tasks[name] == nil {
				o.tasks[name] = &task{}
			}
		}
	}
	if len(names) > 0 {
		return names
	}
	return slices.Sorted(maps.Keys(o.tasks))
}

// ownerless follows one task. It was without owner from the first reading that
// missed it to the last; what was not read in between is no evidence.
func (j *Judge) ownerless(t *task, name, group string, owned bool, now time.Duration) {
	if j.terms.Ownerless > 0 {
		j.check(key{NoOwner, 0, 0})
	}
	switch {
	case owned:
		*t = task{}
	case !t.missing:
		t.missing, t.since = true, now
	}
	if t.missing && !t.told && j.terms.Ownerless > 0 && now-t.since > j.terms.Ownerless {
		t.told = true
		j.finds.add(key{NoOwner, 0, 0}, func() Violation {
			return Violation{Record: name, Offset: -1, Broker: -1, At: now, Text: sprintf("nobody in group %s owns it since %v, for %v; the bound is %v",
				group, t.since, now-t.since, j.terms.Ownerless)}
		})
	}
}
