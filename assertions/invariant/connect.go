package invariant

import (
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
