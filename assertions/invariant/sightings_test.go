package invariant

import (
	"math/rand/v2"
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// sighting is a send whose record somebody saw.
type sighting struct {
	at     history.Record
	client history.Client
	begun  time.Duration
	txn    int64
	acked  bool // and if in a transaction, that was committed for certain
	final  bool // seen by the final read
	others int  // polls of others that brought it
	within int  // a consumer that got it in the middle of a poll
}

// acks says whether the event acknowledges the send.
func (s *sighting) acks(e *history.Event) bool {
	return e.Kind == history.Send && e.Outcome == history.Acked && e.Client == s.at.Client && e.Seq == s.at.Seq
}

// pick draws one of the records that were seen.
func (w *world) pick(fits func(*sighting) bool) (*sighting, bool) {
	var all []*sighting
	for _, s := range w.sightings() {
		if fits(s) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return &sighting{}, false
	}
	return all[w.random.IntN(len(all))], true
}

func (w *world) sightings() []*sighting {
	var all []*sighting
	byRecord := map[history.Record]*sighting{}
	final := w.finalReader()
	for i := range w.events {
		e := &w.events[i]
		for n, r := range e.Records {
			if e.Kind != history.Poll {
				continue
			}
			s := byRecord[r]
			if s == nil {
				s = w.sighted(r)
				byRecord[r] = s
				all = append(all, s)
			}
			switch {
			case e.Client == final:
				s.final = true
			case n > 0 && n+1 < len(e.Records):
				s.within = e.Client
				s.others++
			default:
				s.others++
			}
		}
	}
	return all
}

// sighted looks up the send of a record.
func (w *world) sighted(r history.Record) *sighting {
	s := &sighting{at: r, client: w.actors[r.Client-1].facts}
	committed := map[int64]bool{0: true}
	for i := range w.events {
		e := &w.events[i]
		switch {
		case e.Kind == history.Commit && e.Outcome == history.Acked:
			committed[e.Txn] = true
		case e.Kind != history.Send || e.Client != r.Client || e.Seq != r.Seq:
		case e.Outcome == history.Begun:
			s.begun, s.txn = e.At, e.Txn
		case e.Outcome == history.Acked:
			s.acked = e.Broker > 0 // not a line of the source
		}
	}
	s.acked = s.acked && committed[s.txn]
	return s
}

func (w *world) finalReader() int { return w.actors[len(w.actors)-1].number }

func (w *world) each(change func(*history.Event)) {
	for i := range w.events {
		change(&w.events[i])
	}
}

// change changes records that consumers were handed.
func (w *world) change(change func(*history.Event, *history.Record)) {
	w.each(func(e *history.Event) {
		for i := range e.Records {
			if e.Kind == history.Poll {
				change(e, &e.Records[i])
			}
		}
	})
}

func (w *world) drop(unwanted func(*history.Event) bool) {
	w.events = slices.DeleteFunc(w.events, func(e history.Event) bool { return unwanted(&e) })
}

// hide takes a record from what these clients saw.
func (w *world) hide(s *sighting, from func(client int) bool) {
	w.each(func(e *history.Event) {
		if e.Kind == history.Poll && from(e.Client) {
			e.Records = slices.DeleteFunc(e.Records, func(r history.Record) bool { return r == s.at })
		}
	})
}

// one draws one of the events that fit, or returns nil.
func (w *world) one(fits func(*history.Event) bool) *history.Event {
	var all []*history.Event
	for i := range w.events {
		if fits(&w.events[i]) {
			all = append(all, &w.events[i])
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[w.random.IntN(len(all))]
}

// insertAfter adds behind one of the events that fit what is made of it.
func (w *world) insertAfter(fits func(*history.Event) bool, make func(history.Event) history.Event) bool {
	chosen := w.one(fits)
	if chosen == nil {
		return false
	}
	fresh := make(*chosen)
	fresh.At = chosen.At
	at := slices.IndexFunc(w.events, func(e history.Event) bool { return e.At == chosen.At })
	w.events = slices.Insert(w.events, at+1, fresh)
	return true
}

// readLast has the final read find one more record at the end of a partition.
func (w *world) readLast(p history.Partition, client int, seq int64) bool {
	offset := w.lastOffset(p)
	return w.insertAfter(func(e *history.Event) bool { return e.Kind == history.PositionMark && e.Partition == p }, func(e history.Event) history.Event {
		return history.Event{Kind: history.Poll, Outcome: history.Acked, Client: e.Client,
			Records: history.Records{{Partition: p, Offset: offset, Client: client, Seq: seq}}}
	})
}

func (w *world) lastOffset(p history.Partition) int64 {
	if l := w.logs[p]; l != nil {
		return int64(len(l.entries))
	}
	return 0
}

func (w *world) faultAt(step history.Step) (at time.Duration) {
	w.each(func(e *history.Event) {
		if e.Kind == history.FaultMark && e.Fault.Step == step {
			at = e.At
		}
	})
	return at
}

func (w *world) latest(kind history.Kind) (at time.Duration) {
	w.each(func(e *history.Event) {
		if e.Kind == kind {
			at = e.At
		}
	})
	return at
}

// stretch lets more than the bound go by after a moment.
func (w *world) stretch(after time.Duration) {
	w.each(func(e *history.Event) {
		if e.At > after {
			e.At += worldBound + time.Second
		}
	})
}

// stretchASend stretches the time between the begin and the acknowledgement of
// a send that fits.
func (w *world) stretchASend(fits func(begun, acked time.Duration) bool) bool {
	chosen := w.one(func(e *history.Event) bool {
		return e.Kind == history.Send && e.Outcome == history.Acked && e.Broker > 0 && fits(w.begin(e), e.At)
	})
	if chosen == nil {
		return false
	}
	w.stretch(max(w.begin(chosen), w.faultAt(history.InEffect)))
	return true
}

// waitedFor says whether some send was under way at a moment, and acknowledged
// as the first on its partition afterwards.
func (w *world) waitedFor(moment time.Duration) bool {
	return w.one(func(e *history.Event) bool {
		return e.Kind == history.Send && e.Outcome == history.Acked && e.Broker > 0 && w.begin(e) < moment && e.At > moment
	}) != nil
}

func (w *world) begin(end *history.Event) time.Duration {
	return w.events[slices.IndexFunc(w.events, func(e history.Event) bool {
		return e.Kind == history.Send && e.Client == end.Client && e.Seq == end.Seq
	})].At
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
