package invariant

import "kafkachaos/harness/history"

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
		c.came(r)
	}
	return nil
}

// came notes when a record came to a sink first, and whether it came again.
func (c *client) came(r *history.Record) {
	d := c.found[r.Client]
	if d == nil {
		d = &delivery{}
		c.found[r.Client] = d
	}
	switch order := d.order.at(r.Seq); {
	case *order == 0:
		d.count++
		*order = d.count
	case *order > 0:
		*order = -*order
	}
}

// when says when a record came first, from 1, or 0 if it never did, and whether
// it came again.
func (d *delivery) when(seq int64) (first int32, again bool) {
	if d == nil {
		return 0, false
	}
	order := d.order.get(seq)
	if order == nil {
		return 0, false
	}
	return max(*order, -*order), *order < 0
}
