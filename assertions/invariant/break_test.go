package invariant

import (
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// breaker breaks a world's history in one place; false if there is none such.
type breaker func(*world) bool

// breakers is one for each law.
var breakers = map[Law]breaker{
	Lost: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.acked && s.final })
		w.hide(s, func(int) bool { return true })
		return ok
	},
	Unseen: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.acked && s.final })
		final := w.finalReader()
		w.drop(func(e *history.Event) bool { return e.Kind == history.PositionMark && e.Partition == s.at.Partition })
		w.each(func(e *history.Event) {
			if e.Kind == history.Poll && e.Client == final {
				e.Records = slices.DeleteFunc(e.Records, func(r history.Record) bool {
					return r.Partition == s.at.Partition && r.Offset >= s.at.Offset
				})
			}
		})
		return ok
	},
	Duplicate: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.client.Idempotent && s.final })
		return ok && w.readLast(s.at.Partition, s.at.Client, s.at.Seq)
	},
	Moved: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.acked })
		end := w.lastOffset(s.at.Partition)
		w.each(func(e *history.Event) {
			if s.acks(e) {
				e.Offset = end
			}
			if e.Kind == history.PositionMark && e.Partition == s.at.Partition {
				e.Offset++
			}
		})
		return ok
	},
	Conflict: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.final && s.others > 0 })
		other, also := w.pick(func(o *sighting) bool { return o.at.Client != s.at.Client && o.begun < s.begun })
		final := w.finalReader()
		w.change(func(e *history.Event, r *history.Record) {
			if e.Client == final && *r == s.at {
				r.Client, r.Seq = other.at.Client, other.at.Seq
			}
		})
		return ok && also
	},
	Phantom: func(w *world) bool { return w.readLast(worldPartitions[0], 1, 1<<40) },
	Reordered: func(w *world) bool {
		a, ok := w.pick(func(s *sighting) bool { return s.acked && s.client.Idempotent })
		b, also := w.pick(func(s *sighting) bool {
			return s.acked && s.at.Client == a.at.Client && s.at.Partition == a.at.Partition && s.at.Seq > a.at.Seq
		})
		w.each(func(e *history.Event) {
			switch {
			case a.acks(e):
				e.Offset = b.at.Offset
			case b.acks(e):
				e.Offset = a.at.Offset
			}
		})
		w.change(func(_ *history.Event, r *history.Record) {
			switch *r {
			case a.at:
				r.Seq = b.at.Seq
			case b.at:
				r.Seq = a.at.Seq
			}
		})
		return ok && also
	},
	Refused: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.acked })
		w.each(func(e *history.Event) {
			if s.acks(e) {
				e.Outcome, e.Offset = history.Refused, 0
			}
		})
		return ok
	},
	Aborted: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.txn > 0 && s.final })
		w.each(func(e *history.Event) {
			if e.Kind == history.Commit && e.Txn == s.txn {
				e.Kind = history.Abort
			}
		})
		return ok
	},
	Backwards: func(w *world) bool {
		return w.insertAfter(func(e *history.Event) bool { return e.Kind == history.Poll && len(e.Records) > 0 }, func(e history.Event) history.Event { return e })
	},
	Skipped: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.acked && s.final && s.within > 0 })
		w.hide(s, func(client int) bool { return client == s.within })
		return ok
	},
	CommitBackwards: func(w *world) bool {
		return w.insertAfter(func(e *history.Event) bool {
			return e.Kind == history.Store && e.Outcome == history.Acked && e.Positions[0].Offset > 0
		}, func(e history.Event) history.Event {
			p := e.Positions[0]
			return history.Event{Kind: history.AssignMark, Client: e.Client, Partition: p.Partition, Offset: p.Offset - 1}
		})
	},
	SourceGap: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.client.Role == history.Source })
		w.hide(s, func(int) bool { return true })
		return ok && s.at.Offset+1 < w.lastOffset(s.at.Partition)
	},
	SinkGap: func(w *world) bool {
		s, ok := w.pick(func(s *sighting) bool { return s.client.Role == history.Source })
		w.each(func(e *history.Event) {
			if e.Kind == history.Sink {
				e.Records = slices.DeleteFunc(e.Records, func(r history.Record) bool { return r.Seq == s.at.Seq })
			}
		})
		return ok
	},
	SinkDuplicate: func(w *world) bool {
		return w.insertAfter(func(e *history.Event) bool { return e.Kind == history.Sink && len(e.Records) > 0 }, func(e history.Event) history.Event { return e })
	},
	SinkReordered: func(w *world) bool {
		e := w.one(func(e *history.Event) bool { return e.Kind == history.Sink && len(e.Records) > 1 })
		if e != nil {
			e.Records[0].Seq, e.Records[1].Seq = e.Records[1].Seq, e.Records[0].Seq
		}
		return e != nil
	},
	TwoOwners: func(w *world) bool {
		e := w.one(func(e *history.Event) bool { return e.Kind == history.OwnersMark })
		e.Owners.Owned["worker-3"] = []string{"copy-0"}
		return true
	},
	NoOwner: func(w *world) bool {
		from := w.one(func(e *history.Event) bool { return e.Kind == history.OwnersMark }).At
		w.each(func(e *history.Event) {
			if e.Kind == history.OwnersMark && e.At >= from {
				e.Owners.Owned["worker-1"] = nil
			}
		})
		w.stretch(from)
		return from < w.latest(history.OwnersMark)
	},
	NoProgress: func(w *world) bool {
		from, to := w.faultAt(history.InEffect), w.faultAt(history.Healed)
		w.each(func(e *history.Event) {
			if e.Kind == history.Send && e.Outcome == history.Acked && e.At > from && e.At < to && e.Client != w.actors[3].number {
				e.Outcome, e.Offset, e.Broker = history.Unknown, 0, 0
			}
		})
		return true
	},
	Unavailable: func(w *world) bool {
		from, to := w.faultAt(history.InEffect), w.faultAt(history.Healed)
		return w.stretchASend(func(begun, acked time.Duration) bool { return begun < to && acked > max(from, begun) })
	},
	SlowRecovery: func(w *world) bool {
		w.stretch(w.faultAt(history.Healed))
		return w.waitedFor(w.faultAt(history.Healed))
	},
}
