package invariant

import "slices"

// finallyRead says whether the final read was about all partitions that a source
// writes to, or, if its topics are not known, about any.
func (j *Judge) finallyRead(source *client) bool {
	topics := source.Topics
	read := slices.ContainsFunc(j.partitions, func(p *partition) bool { return p.final })
	for _, p := range j.partitions {
		read = read && (p.final && !p.topic.deleted || p.number < 0 || !slices.Contains(topics, p.topic.Number))
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

// judgeDelivery judges whether a record that is on a topic came to a sink, and
// how often.
func (j *Judge) judgeDelivery(sink, c *client, seq int64, s *sent) {
	d := sink.found[c.Number]
	first, again := d.when(seq)
	if first > 0 {
		j.judgeAgain(sink, c, seq, s, again)
	}
	if s.marks&seen == 0 || j.fate(s) != committed {
		return
	}
	p := j.partitions[s.readIn]
	if p.topic.deleted || !slices.Contains(sink.Topics, p.topic.Number) {
		return
	}
	k := key{SinkGap, sink.Number, p.topic.Number}
	j.check(k)
	if first > 0 {
		return
	}
	j.finds.add(k, func() Violation {
		text := "it is not in sink " + sink.Name
		if j.cameAfter(sink, p, s.readAt) {
			text += ", though a later one of its partition is"
		}
		return j.violation(c.Number, seq, p, s.readAt, j.now, text)
	})
}

// cameAfter says whether something that stands behind that offset came to the sink,
// which has passed the place then, instead of not having come so far.
func (j *Judge) cameAfter(sink *client, p *partition, offset int64) bool {
	for behind, at := range p.places.from(offset) {
		if behind <= offset || at.client == 0 {
			continue
		}
		if first, _ := sink.found[int(at.client)].when(at.seq); first > 0 {
			return true
		}
	}
	return false
}

// judgeAgain judges a record that came to a sink. What stands on the topic twice
// may come twice.
func (j *Judge) judgeAgain(sink, c *client, seq int64, s *sent, again bool) {
	k := key{SinkDuplicate, sink.Number, 0}
	j.check(k)
	if again && s.marks&twice == 0 {
		j.finds.add(k, func() Violation {
			return Violation{Record: j.record(c.Number, seq), Offset: -1, Broker: -1, At: j.now,
				Text: sprintf("it is in sink %s more than once", sink)}
		})
	}
}

// judgeSinkOrder judges whether what stands at a place came to the sinks behind
// what stands before it.
func (j *Judge) judgeSinkOrder(p *partition, offset int64, at *place, last *tail, sinks []*client) {
	for i, sink := range sinks {
		order, _ := sink.found[int(at.client)].when(at.seq)
		if order == 0 || !slices.Contains(sink.Topics, p.topic.Number) {
			continue
		}
		k := key{SinkReordered, sink.Number, p.topic.Number}
		j.check(k)
		if order < last.order[i] {
			j.finds.add(k, func() Violation {
				return j.violation(int(at.client), at.seq, p, offset, j.now, "it came to sink "+sink.Name+" after the one behind it")
			})
		}
		last.order[i] = max(last.order[i], order)
	}
}
