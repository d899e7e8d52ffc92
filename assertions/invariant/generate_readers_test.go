package invariant

import "kafkachaos/harness/history"

// writeLine writes a line to the source's file, or has the source bring the
// next one to the topic.
func (w *world) writeLine(a *actor) {
	if w.random.IntN(2) == 0 {
		e := history.Event{Kind: history.Send, Client: a.number, Seq: a.seq}
		w.add(e)
		e.Outcome, e.Offset, e.Broker = history.Acked, -1, -1
		w.add(e)
		a.seq++
	} else if l := w.logs[worldPartitions[2]]; int64(len(l.entries)) < a.seq {
		w.write(worldPartitions[2], entry{client: a.number, seq: int64(len(l.entries))})
	}
}

// consume polls; a member of the group may instead take a partition over, or
// commit.
func (w *world) consume(a *actor) {
	p := worldPartitions[w.random.IntN(3)]
	if a.facts.Group != "" {
		if w.join(a, p) {
			return
		}
	} else if _, assigned := a.at[p]; !assigned {
		a.at[p] = int64(w.random.IntN(2)) * int64(len(w.logs[p].entries)) // from the beginning, or the end
		w.add(history.Event{Kind: history.AssignMark, Client: a.number, Partition: p, Offset: a.at[p]})
	}
	w.poll(a, p, 1+w.random.IntN(5))
}

// join says whether the member did something else than to poll.
func (w *world) join(a *actor, p history.Partition) bool {
	position, owns := a.at[p]
	switch {
	case !owns || w.random.IntN(10) == 0:
		for _, other := range w.actors {
			if _, had := other.at[p]; had && other.facts.Group == a.facts.Group {
				delete(other.at, p)
				w.add(history.Event{Kind: history.RevokeMark, Client: other.number, Partition: p})
			}
		}
		a.at[p] = w.store[p]
		w.add(history.Event{Kind: history.AssignMark, Client: a.number, Partition: p, Offset: a.at[p]})
	case w.random.IntN(3) == 0:
		w.ops++
		e := history.Event{Kind: history.Store, Client: a.number, Op: w.ops, Positions: history.Positions{{Partition: p, Offset: position}}}
		w.add(e)
		e.Outcome = history.Acked
		w.add(e)
		w.store[p] = position
	default:
		return false
	}
	return true
}

// poll hands out what the isolation allows, and returns whether there is more.
func (w *world) poll(a *actor, p history.Partition, most int) bool {
	e := history.Event{Kind: history.Poll, Outcome: history.Acked, Client: a.number}
	l := w.logs[p]
	for ; most > 0 && a.at[p] < int64(len(l.entries)); a.at[p]++ {
		one := l.entries[a.at[p]]
		if a.facts.Committed && one.txn > 0 && w.open[one.txn] {
			break
		}
		if one.marker || a.facts.Committed && w.aborts[one.txn] {
			continue
		}
		e.Records = append(e.Records, history.Record{Partition: p, Offset: a.at[p], Client: one.client, Seq: one.seq})
		most--
	}
	w.add(e)
	return most == 0
}

// deliver brings records of the second topic to the sink's file.
func (w *world) deliver(a *actor) {
	p := worldPartitions[2]
	e := history.Event{Kind: history.Sink, Outcome: history.Acked, Client: a.number}
	for ; a.at[p] < int64(len(w.logs[p].entries)) && len(e.Records) < 5; a.at[p]++ {
		one := w.logs[p].entries[a.at[p]]
		e.Records = append(e.Records, history.Record{Offset: a.at[p], Client: one.client, Seq: one.seq})
	}
	w.add(e)
}

func (w *world) readOwners(step int) {
	owned := map[string][]string{"worker-1": {"copy-0"}, "worker-2": {"copy-1"}}
	if step%40 == 0 {
		owned = map[string][]string{"worker-1": {"copy-0"}} // copy-1 moves
	}
	w.owners(step, owned)
}
