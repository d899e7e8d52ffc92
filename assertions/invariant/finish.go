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
