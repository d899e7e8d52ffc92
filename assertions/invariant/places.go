package invariant

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
		if s == nil {
			continue // a phantom
		}
		j.check(key{Conflict, int(at.client), p.topic.Number})
		if at.marks&placeRead != 0 {
			j.check(key{Duplicate, int(at.client), p.topic.Number})
		}
		if s.isCopy(p, offset) {
			continue // it has a law of its own
		}
		if s.marks&acked == 0 && !j.clients[at.client-1].Idempotent {
			continue // a request that nobody waits for any more may arrive at any time
		}
		last := tailOf(&tails, int(at.client), len(sinks))
		j.judgeOrder(p, offset, at, last)
		j.judgeSinkOrder(p, offset, at, last, sinks)
		last.seq, last.offset = at.seq, offset
	}
	j.checks(key{Phantom, 0, p.topic.Number}, read)
	j.checks(key{Skipped, 0, p.topic.Number}, read)
}

// isCopy says that what stands at this place of the send is a copy, for all that can
// be known: it stands elsewhere, where it was seen first or was sent to. Of what was
// sent to no partition, as lines of a source, nobody knows which is the copy.
func (s *sent) isCopy(p *partition, offset int64) bool {
	if s.marks&apart != 0 && int(s.partition) != p.index {
		return true
	}
	return s.marks&twice != 0 && int(s.readIn) == p.index && s.readAt != offset
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
	if at.seq < last.seq {
		j.finds.add(k, func() Violation {
			return j.violation(int(at.client), at.seq, p, offset, j.now,
				sprintf("it stands behind #%d at offset %d, which was sent later", last.seq, last.offset))
		})
	}
}
