package invariant

import (
	"maps"
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// sink takes lines that were found in a sink's file, in their order.
func (j *Judge) sink(e *history.Event) error {
	c, err := j.who(e)
	if err != nil {
		return err
	}
	j.count.others++
	if c.found == nil {
		c.found = map[int]*delivery{}
	}
	for i := range e.Records {
		r := &e.Records[i]
		if j.sent(r.Client, r.Seq) == nil {
			j.finds.add(key{Phantom, c.Number, 0}, func() Violation {
				return Violation{Record: j.record(r.Client, r.Seq), Offset: -1, Broker: -1, At: e.At,
					Text: sprintf("line %d of sink %s was not sent before", r.Offset, c)}
			})
			continue
		}
		j.came(c, r, e.At)
	}
	return nil
}

func (j *Judge) came(c *client, r *history.Record, now time.Duration) {
	d := c.found[r.Client]
	if d == nil {
		d = &delivery{furthest: -1}
		c.found[r.Client] = d
	}
	j.check(key{SinkDuplicate, c.Number, 0})
	order := d.order.at(r.Seq)
	if *order != 0 {
		j.finds.add(key{SinkDuplicate, c.Number, 0}, func() Violation {
			return Violation{Record: j.record(r.Client, r.Seq), Offset: -1, Broker: -1, At: now,
				Text: sprintf("line %d of sink %s is there a second time", r.Offset, c)}
		})
		return
	}
	d.came++
	*order = d.came
	d.furthest = max(d.furthest, r.Seq)
}

// ownership is who owned what in a group, by the last reading.
type ownership struct {
	tasks map[string]*task
}

// task is something to be owned.
type task struct {
	missing bool
	since   time.Duration // when it was first seen without an owner
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
	for name := range owner {
		if known.tasks[name] == nil {
			known.tasks[name] = &task{}
		}
	}
	known.expect(j.terms.Tasks[o.Group])
	for _, name := range slices.Sorted(maps.Keys(known.tasks)) {
		_, owned := owner[name]
		j.ownerless(known.tasks[name], name, o.Group, owned, now)
	}
}

// expect makes entries of tasks that shall run but were never seen.
func (o *ownership) expect(names []string) {
	for _, name := range names {
		if o.tasks[name] == nil {
			o.tasks[name] = &task{}
		}
	}
}

// ownerless follows one task. It was without owner from the first reading that
// missed it to the last; what was not read in between is no evidence.
func (j *Judge) ownerless(t *task, name, group string, owned bool, now time.Duration) {
	if j.terms.Ownerless > 0 {
		j.check(key{NoOwner, 0, 0})
	}
	switch {
	case owned:
		t.missing = false
	case !t.missing:
		t.missing, t.since = true, now
	}
	if t.missing && j.terms.Ownerless > 0 && now-t.since > j.terms.Ownerless {
		j.finds.add(key{NoOwner, 0, 0}, func() Violation {
			return Violation{Record: name, Offset: -1, Broker: -1, At: now, Text: sprintf("nobody in group %s owns it since %v, for %v; the bound is %v",
				group, t.since, now-t.since, j.terms.Ownerless)}
		})
	}
}
