package invariant

import (
	"slices"

	"kafkachaos/harness/history"
)

// finish judges what can only be told when all was seen: one walk over the sends
// and one over the places.
func (j *Judge) finish() {
	for _, p := range j.partitions {
		p.spread()
		for _, c := range j.clients {
			if p.index < len(c.positions) {
				j.checks(key{Backwards, c.Number, p.topic.Number}, c.positions[p.index].reads)
			}
		}
	}
	sinks := slices.DeleteFunc(slices.Clone(j.clients), func(c *client) bool { return c.Role != history.SinkFile })
	for _, c := range j.clients {
		c.finally = j.finallyRead(c)
		for seq, s := range c.sends.all() {
			if s.marks&begun == 0 {
				continue
			}
			j.judgeSend(c, seq, s)
			for _, sink := range sinks {
				j.judgeDelivery(sink, c, seq, s)
			}
		}
	}
	for _, p := range j.partitions {
		j.judgePlaces(p, sinks)
	}
	j.judgeFaults()
}

// spread notes wide holes at the places that are known within them.
func (p *partition) spread() {
	for _, hole := range p.wide {
		for offset, at := range p.places.from(hole.from) {
			if offset >= hole.to {
				break
			}
			if offset >= hole.from {
				at.skip(hole.client, hole.final)
			}
		}
	}
}

// judgeSend judges one send by what became of it.
func (j *Judge) judgeSend(c *client, seq int64, s *sent) {
	p := j.partitions[s.partition]
	if p.topic.deleted {
		return
	}
	fate := j.fate(s)
	if s.marks&seen != 0 {
		j.judgeSeen(c, seq, s, fate)
	}
	if s.marks&acked == 0 || fate != committed {
		return
	}
	if c.Role == history.Source {
		j.judgeLine(c, seq, s)
		return
	}
	j.check(key{Lost, c.Number, p.topic.Number})
	var at *place
	if s.offset >= 0 {
		at = p.places.get(s.offset)
	}
	switch {
	case at != nil && j.isLost(s, at):
		j.lose(c, seq, s, p, at)
	case !p.final:
		j.unread++
		j.unreadIn = p
	case s.marks&seenFinal == 0:
		j.check(key{Unseen, c.Number, p.topic.Number})
		j.finds.add(key{Unseen, c.Number, p.topic.Number}, func() Violation {
			return j.violation(c.Number, seq, p, s.offset, s.at, "it was acknowledged, but the final read never got to it")
		})
	default:
		j.check(key{Unseen, c.Number, p.topic.Number})
	}
	if at != nil && s.marks&seen != 0 {
		j.judgeMoved(c, seq, s, p, at)
	}
}

// isLost says of an acknowledged send that somebody was past its offset without
// seeing it: nobody ever saw it, or the final read did not see it any more.
func (j *Judge) isLost(s *sent, at *place) bool {
	passed := at.skipper != 0 || s.marks&displaced != 0
	gone := at.marks&placeSkippedFinal != 0 || s.marks&displaced != 0 && at.marks&placeReadFinal != 0
	return s.marks&seen == 0 && passed || s.marks&seenFinal == 0 && gone
}

func (j *Judge) lose(c *client, seq int64, s *sent, p *partition, at *place) {
	j.finds.add(key{Lost, c.Number, p.topic.Number}, func() Violation {
		text := "it was acknowledged, and never seen"
		if s.marks&seen != 0 {
			text = "it was acknowledged and seen once, but not in the final read"
		}
		switch {
		case int(at.client) != c.Number || at.seq != seq:
			text += sprintf("; %s stands at its offset", j.record(int(at.client), at.seq))
		case at.skipper != 0:
			text += sprintf("; %s read past it", j.clients[at.skipper-1])
		}
		return j.violation(c.Number, seq, p, s.offset, s.at, text)
	})
}

// judgeMoved judges where a record that was seen stands.
func (j *Judge) judgeMoved(c *client, seq int64, s *sent, p *partition, at *place) {
	j.check(key{Moved, c.Number, p.topic.Number})
	here := int(at.client) == c.Number && at.seq == seq && at.marks&placeRead != 0
	elsewhere := int(s.readIn) != p.index || s.readAt != s.offset
	if elsewhere && !here && (at.skipper != 0 || s.marks&displaced != 0) {
		j.finds.add(key{Moved, c.Number, p.topic.Number}, func() Violation {
			return j.violation(c.Number, seq, p, s.offset, s.at,
				sprintf("it was acknowledged there, but stands at %s offset %d", j.partitions[s.readIn], s.readAt))
		})
	}
}

// judgeSeen judges whether a record may be seen.
func (j *Judge) judgeSeen(c *client, seq int64, s *sent, fate txn) {
	p := j.partitions[s.readIn]
	k := key{Refused, c.Number, p.topic.Number}
	j.check(k)
	if s.marks&refused != 0 {
		j.finds.add(k, func() Violation {
			return j.violation(c.Number, seq, p, s.readAt, j.now, "it was refused, and yet it was read")
		})
	}
	if s.txn == 0 || s.marks&seenCommitted == 0 {
		return
	}
	k.law = Aborted
	j.check(k)
	if fate == uncommitted {
		j.finds.add(k, func() Violation {
			return j.violation(c.Number, seq, p, s.readAt, s.at,
				sprintf("transaction %d was not committed, and yet it was read as committed", s.txn))
		})
	}
}

// finallyRead says whether the final read was about all partitions that a source
// writes to, or, if its topics are not known, about any.
func (j *Judge) finallyRead(source *client) bool {
	topics := source.Topics
	read := slices.ContainsFunc(j.partitions, func(p *partition) bool { return p.final })
	for _, p := range j.partitions {
		read = read && (p.final || p.number < 0 || !slices.Contains(topics, p.topic.Number))
	}
	return read
}

// judgeLine judges a line of a source.
func (j *Judge) judgeLine(c *client, seq int64, s *sent) {
	if !c.finally {
		if !slices.Contains(j.unsought, c) {
			j.unsought = append(j.unsought, c)
		}
		return
	}
	k := key{SourceGap, c.Number, 0}
	text := "the line is not on the topic, though a later one is"
	if seq > c.furthest {
		k.law = Unseen
		text = "the line never came to the topic"
	}
	j.check(k)
	if s.marks&seen == 0 {
		j.finds.add(k, func() Violation {
			return Violation{Record: j.record(c.Number, seq), Offset: -1, At: s.at, Broker: -1, Text: text}
		})
	}
}

// judgeDelivery judges whether a record that is on a topic came to a sink.
func (j *Judge) judgeDelivery(sink, c *client, seq int64, s *sent) {
	p := j.partitions[s.partition]
	if s.marks&seen != 0 {
		p = j.partitions[s.readIn]
	}
	if s.marks&seen == 0 || j.fate(s) != committed || p.topic.deleted || !slices.Contains(sink.Topics, p.topic.Number) {
		return
	}
	k := key{SinkGap, sink.Number, p.topic.Number}
	j.check(k)
	text := "it is not in sink " + sink.Name
	if d := sink.found[c.Number]; d != nil {
		if order := d.order.get(seq); order != nil && *order != 0 {
			return
		}
		if seq < d.furthest {
			text += ", though a later one is"
		}
	}
	j.finds.add(k, func() Violation { return j.violation(c.Number, seq, p, s.readAt, j.now, text) })
}

// tail is the last record of a producer that was met in a walk.
type tail struct {
	seq    int64
	offset int64
	order  []int32 // when it came to each sink
}

// judgePlaces walks a partition by offsets.
func (j *Judge) judgePlaces(p *partition, sinks []*client) {
	if p.topic.deleted {
		return
	}
	var tails []*tail // by client
	read := 0
	for offset, at := range p.places.all() {
		if at.marks&placeHeld == 0 {
			continue
		}
		if at.marks&placeRead != 0 {
			read++
			j.judgeSkipped(p, offset, at)
		}
		s := j.sent(int(at.client), at.seq)
		if s == nil || s.marks&twice != 0 && s.readAt != offset {
			continue // it has a law of its own
		}
		last := tailOf(&tails, int(at.client), len(sinks))
		j.judgeOrder(p, offset, at, last)
		j.judgeSinkOrder(p, offset, at, last, sinks)
		last.seq, last.offset = at.seq, offset
	}
	j.checks(key{Phantom, 0, p.topic.Number}, read)
	j.checks(key{Skipped, 0, p.topic.Number}, read)
}

func tailOf(tails *[]*tail, client, sinks int) *tail {
	entry := at(tails, client)
	if *entry == nil {
		*entry = &tail{seq: -1, order: make([]int32, sinks)}
	}
	return *entry
}

// judgeSkipped judges a place that somebody read past and somebody else saw.
func (j *Judge) judgeSkipped(p *partition, offset int64, at *place) {
	if at.skipper == 0 {
		return
	}
	if s := j.sent(int(at.client), at.seq); s != nil && j.fate(s) != committed {
		return
	}
	j.finds.add(key{Skipped, int(at.skipper), p.topic.Number}, func() Violation {
		return j.violation(int(at.client), at.seq, p, offset, j.now,
			sprintf("%s read past it, though others saw it", j.clients[at.skipper-1]))
	})
}

func (j *Judge) judgeOrder(p *partition, offset int64, at *place, last *tail) {
	k := key{Reordered, int(at.client), p.topic.Number}
	j.check(k)
	j.check(key{Conflict, k.client, k.topic})
	if at.marks&placeRead != 0 {
		j.check(key{Duplicate, k.client, k.topic})
	}
	if at.seq < last.seq {
		j.finds.add(k, func() Violation {
			return j.violation(int(at.client), at.seq, p, offset, j.now,
				sprintf("it stands behind #%d at offset %d, which was sent later", last.seq, last.offset))
		})
	}
}

func (j *Judge) judgeSinkOrder(p *partition, offset int64, at *place, last *tail, sinks []*client) {
	for i, sink := range sinks {
		d := sink.found[int(at.client)]
		if d == nil || !slices.Contains(sink.Topics, p.topic.Number) {
			continue
		}
		order := d.order.get(at.seq)
		if order == nil || *order == 0 {
			continue
		}
		k := key{SinkReordered, sink.Number, p.topic.Number}
		j.check(k)
		if *order < last.order[i] {
			j.finds.add(k, func() Violation {
				return j.violation(int(at.client), at.seq, p, offset, j.now, "it came to sink "+sink.Name+" after the one behind it")
			})
		}
		last.order[i] = max(last.order[i], *order)
	}
}
