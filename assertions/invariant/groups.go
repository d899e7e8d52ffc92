package invariant

import "kafkachaos/harness/history"

// deliver notes for the client's group up to where its members read.
func (c *client) deliver(p *partition, next int64) {
	if c.group != nil {
		reached := at(&c.group.delivered, p.index)
		*reached = max(*reached, next)
	}
}

// resume looks at where a member of a group starts: not before what the group
// committed, nor behind what its members were handed.
func (j *Judge) resume(c *client, p *partition, from int64) {
	if c.group == nil || from < 0 {
		return
	}
	if stored := *at(&c.group.stored, p.index); from < stored {
		j.finds.add(key{CommitBackwards, c.Number, p.topic.Number}, func() Violation {
			return Violation{Partition: p.String(), Offset: from, Broker: -1, At: j.now,
				Text: sprintf("%s of group %s starts at %d though %d was committed", c, c.Group, from, stored)}
		})
	}
	j.goOn(c, p, from)
}

// goOn notes what a member that begins at an offset leaves out behind what its
// group was handed.
func (j *Judge) goOn(c *client, p *partition, from int64) {
	if c.group == nil {
		return
	}
	if reached := *at(&c.group.delivered, p.index); reached > 0 && from > reached {
		j.skip(c, p, reached, from)
	}
}

// store takes the begin or the outcome of a commit of offsets. Such a commit is
// compared with those that were over when it began: what overlaps may have come
// in any order.
func (j *Judge) store(e *history.Event) error {
	c, err := j.who(e)
	if err != nil {
		return err
	}
	if c.group == nil {
		return wrong("%s commits offsets, but has no group", c)
	}
	j.count.others++
	if e.Outcome == history.Begun {
		return j.storeBegins(c, e)
	}
	before, ok := j.storing[e.Op]
	if !ok || len(before) != len(e.Positions) {
		return wrong("the commit of offsets %d of %s ends, but never began so", e.Op, c)
	}
	delete(j.storing, e.Op)
	if e.Outcome == history.Acked {
		for i, position := range e.Positions {
			j.stored(c, position, before[i])
		}
	}
	return nil
}

func (j *Judge) storeBegins(c *client, e *history.Event) error {
	before := make([]int64, len(e.Positions))
	for i, position := range e.Positions {
		p, err := j.readable(position.Partition)
		if err != nil {
			return err
		}
		before[i] = *at(&c.group.stored, p.index)
	}
	if _, twice := j.storing[e.Op]; twice {
		return wrong("the commit of offsets %d of %s begins twice", e.Op, c)
	}
	j.storing[e.Op] = before
	return nil
}

func (j *Judge) stored(c *client, position history.Position, before int64) {
	p, err := j.readable(position.Partition)
	if err != nil {
		return // it was there when the commit began
	}
	j.check(key{CommitBackwards, c.Number, p.topic.Number})
	highest := at(&c.group.stored, p.index)
	*highest = max(*highest, position.Offset)
	if position.Offset < before {
		j.finds.add(key{CommitBackwards, c.Number, p.topic.Number}, func() Violation {
			return Violation{Partition: p.String(), Offset: position.Offset, Broker: -1, At: j.now,
				Text: sprintf("%s commits %d in group %s after %d was committed", c, position.Offset, c.Group, before)}
		})
	}
}
