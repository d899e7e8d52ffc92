package invariant

import (
	"time"

	"kafkachaos/harness/history"
)

// widest is how many offsets a reader may read past for the hole to be noted at
// each of them, and mostHoles how many wider ones a partition remembers.
const (
	widest    = 1 << 12
	mostHoles = 1000
)

// poll takes what a consumer was handed.
func (j *Judge) poll(e *history.Event) error {
	c, err := j.who(e)
	if err != nil {
		return err
	}
	j.count.polls++
	j.count.reads += len(e.Records)
	view := placeRead
	if c.Committed {
		view |= placeReadCommitted
	}
	if c.Final {
		view |= placeReadFinal
	}
	for rest := e.Records; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Partition == rest[0].Partition {
			n++
		}
		if err := j.run(c, rest[:n], view, e.At); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// run takes records of one partition.
func (j *Judge) run(c *client, records history.Records, view mark, now time.Duration) error {
	p, err := j.readable(records[0].Partition)
	if err != nil {
		return err
	}
	p.final = p.final || c.Final
	pos := c.position(p)
	pos.reads += len(records)
	if !pos.known {
		j.goOn(c, p, records[0].Offset)
	}
	for i := range records {
		r := &records[i]
		if pos.known && r.Offset != pos.next {
			j.leap(c, p, pos.next, r.Offset, now)
		}
		pos.next, pos.known = r.Offset+1, true
		at := p.places.at(r.Offset)
		if at.marks&view != view || int(at.client) != r.Client || at.seq != r.Seq {
			j.read(p, at, r, view, now)
		} // otherwise such a reader saw the same before
	}
	c.deliver(p, pos.next)
	return nil
}

// readable returns a partition that there can be records of.
func (j *Judge) readable(number history.Partition) (*partition, error) {
	p, err := j.find(number)
	if err == nil && p.number < 0 {
		return nil, wrong("a record of topic %s is in no partition", p.topic.Name)
	}
	return p, err
}

// leap notes that a consumer did not go on where it was.
func (j *Judge) leap(c *client, p *partition, next, offset int64, now time.Duration) {
	if offset > next {
		j.skip(c, p, next, offset)
		return
	}
	j.finds.add(key{Backwards, c.Number, p.topic.Number}, func() Violation {
		return Violation{Partition: p.String(), Offset: offset, Broker: -1, At: now,
			Text: sprintf("%s was handed offset %d after %d", c, offset, next-1)}
	})
}

// read notes a record that was not seen by such a reader before.
func (j *Judge) read(p *partition, at *place, r *history.Record, view mark, now time.Duration) {
	if at.marks&placeHeld != 0 && (int(at.client) != r.Client || at.seq != r.Seq) {
		j.conflict(p, r.Offset, at, r.Client, r.Seq, "was read there")
		if s := j.sent(int(at.client), at.seq); s != nil {
			s.marks |= displaced
		}
		at.marks &^= placeHeld | placeReadFinal | placeReadCommitted
	}
	first := at.marks&placeRead == 0
	at.client, at.seq = uint16(min(r.Client, mostClients)), r.Seq
	at.marks |= view
	s := j.sent(r.Client, r.Seq)
	if s == nil {
		if first {
			j.phantom(p, r, now)
		}
		return
	}
	j.sighted(p, s, r, view, now)
}

// sighted notes of a send that its record was read.
func (j *Judge) sighted(p *partition, s *sent, r *history.Record, view mark, now time.Duration) {
	if view&placeReadFinal != 0 {
		s.marks |= seenFinal
	}
	if view&placeReadCommitted != 0 {
		s.marks |= seenCommitted
	}
	if s.marks&seen == 0 {
		s.marks |= seen
		s.readIn, s.readAt = int32(p.index), r.Offset
		c := j.clients[r.Client-1]
		c.furthest = max(c.furthest, r.Seq)
		return
	}
	if int(s.readIn) == p.index && s.readAt == r.Offset {
		return
	}
	s.marks |= twice
	if int(s.readIn) != p.index {
		s.marks |= apart
	}
	if at := j.partitions[s.readIn].places.get(s.readAt); at == nil || int(at.client) != r.Client || at.seq != r.Seq {
		return // it stands only here now, which is another law's matter
	}
	j.finds.add(key{Duplicate, r.Client, p.topic.Number}, func() Violation {
		return j.violation(r.Client, r.Seq, p, r.Offset, now,
			sprintf("it stands at %s offset %d, too", j.partitions[s.readIn], s.readAt))
	})
}

// sent returns a send that began, or nil.
func (j *Judge) sent(client int, seq int64) *sent {
	if client < 1 || client > len(j.clients) {
		return nil
	}
	s := j.clients[client-1].sends.get(seq)
	if s == nil || s.marks&begun == 0 {
		return nil
	}
	return s
}

func (j *Judge) phantom(p *partition, r *history.Record, now time.Duration) {
	j.finds.add(key{Phantom, 0, p.topic.Number}, func() Violation {
		text := "it was read, but not sent before"
		if r.Client == 0 {
			text = "what was read is no value of this run"
		}
		return j.violation(r.Client, r.Seq, p, r.Offset, now, text)
	})
}

// conflict notes that another record than the one known is said to be at an
// offset. Who promises that is the producer of the known one.
func (j *Judge) conflict(p *partition, offset int64, at *place, client int, seq int64, how string) {
	j.finds.add(key{Conflict, int(at.client), p.topic.Number}, func() Violation {
		before := "was read there"
		if at.marks&placeRead == 0 {
			before = "was acknowledged there"
		}
		return j.violation(int(at.client), at.seq, p, offset, j.now,
			sprintf("it %s, and %s %s", before, j.record(client, seq), how))
	})
}

// skip notes that a client is past offsets at which it saw nothing.
func (j *Judge) skip(c *client, p *partition, from, to int64) {
	if to-from > widest {
		if len(p.wide) == mostHoles {
			p.missed++
			return
		}
		p.wide = append(p.wide, hole{from, to, uint16(c.Number), c.Final})
		return
	}
	for offset := from; offset < to; offset++ {
		p.places.at(offset).skip(uint16(c.Number), c.Final)
	}
}

func (p *place) skip(client uint16, final bool) {
	if p.skipper == 0 {
		p.skipper = client
	}
	if final {
		p.marks |= placeSkippedFinal
	}
}

// move takes where a client reads from, or is.
func (j *Judge) move(e *history.Event) error {
	c, err := j.who(e)
	if err != nil {
		return err
	}
	p, err := j.readable(e.Partition)
	if err != nil {
		return err
	}
	pos := c.position(p)
	switch e.Kind {
	case history.RevokeMark:
		pos.known = false
	case history.AssignMark:
		pos.next, pos.known = e.Offset, e.Offset >= 0
		j.resume(c, p, e.Offset)
	case history.PositionMark:
		if pos.known && e.Offset > pos.next {
			j.skip(c, p, pos.next, e.Offset)
			pos.next = e.Offset
		}
		c.deliver(p, e.Offset)
	}
	p.final = p.final || c.Final
	return nil
}
