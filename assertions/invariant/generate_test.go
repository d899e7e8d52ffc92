package invariant

import (
	"math/rand/v2"
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// world is a small model of Kafka and Connect that keeps every promise. What its
// clients see becomes a history that must pass, whatever the seed.
type world struct {
	*tape
	random *rand.Rand
	logs   map[history.Partition]*log
	open   map[int64]bool // transactions that are not over
	aborts map[int64]bool // transactions that were not committed
	actors []*actor
	store  map[history.Partition]int64 // offsets that the group committed
	faulty bool
}

// log is a partition.
type log struct {
	entries []entry
}

// entry is a record, or the marker of a transaction's end.
type entry struct {
	client int
	seq    int64
	txn    int64
	marker bool
}

// actor is a client of the world.
type actor struct {
	number int
	role   history.Role
	facts  history.Client
	seq    int64
	flying []*flight
	txn    int64
	sends  int // in the transaction
	at     map[history.Partition]int64
}

// flight is a send that has not returned.
type flight struct {
	seq     int64
	to      history.Partition
	txn     int64
	written bool
	offset  int64
}

var worldPartitions = []history.Partition{{Topic: 1, Number: 0}, {Topic: 1, Number: 1}, {Topic: 2, Number: 0}}

const worldBound = time.Second // for everything that is bounded

// newWorld runs a world from a seed for so many steps.
func newWorld(seed uint64, steps int) *world {
	w := &world{tape: newTape(), random: rand.New(rand.NewPCG(seed, 6)), logs: map[history.Partition]*log{}, open: map[int64]bool{},
		aborts: map[int64]bool{}, store: map[history.Partition]int64{}}
	w.events = nil
	w.cast()
	for step := range steps {
		switch step {
		case steps / 4:
			w.fault(history.Fault{Available: true, Budget: worldBound, Recovery: worldBound}, history.Intended, history.InEffect)
			w.faulty = true
		case steps / 2:
			w.succeed(w.actors[0])
			w.fault(history.Fault{}, history.Healed)
			w.faulty = false
		}
		if step%10 == 0 {
			w.readOwners(step)
		}
		w.act(w.actors[w.random.IntN(len(w.actors))])
	}
	w.finish()
	return w
}

func (w *world) cast() {
	for i, name := range []string{"orders", "lines"} {
		w.topic(history.Topic{Number: i + 1, Name: name, Partitions: 2 - i, Replicas: 3, MinInSync: 2})
	}
	for _, p := range worldPartitions {
		w.logs[p] = &log{}
	}
	w.terms(history.Terms{Before: 2, During: 2, After: 2, Ownerless: worldBound, Tasks: map[string][]string{"connect": {"copy-0", "copy-1"}}})
	for _, c := range []history.Client{
		{Name: "idempotent", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5},
		{Name: "plain", Role: history.Producer, Acks: "all", InFlight: 1},
		{Name: "transactional", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5, Transactional: true},
		{Name: "file", Role: history.Source, Acks: "all", InFlight: 1, ExactlyOnce: true},
		{Name: "early", Role: history.Consumer},
		{Name: "committed", Role: history.Consumer, Committed: true},
		{Name: "member-1", Role: history.Consumer, Group: "g"},
		{Name: "member-2", Role: history.Consumer, Group: "g"},
		{Name: "copy", Role: history.SinkFile, Topics: []int{2}, ExactlyOnce: true},
	} {
		w.start(c)
	}
}

func (w *world) start(c history.Client) *actor {
	a := &actor{role: c.Role, facts: c, at: map[history.Partition]int64{}}
	a.number = w.client(c)
	w.actors = append(w.actors, a)
	return a
}

func (w *world) act(a *actor) {
	switch a.role {
	case history.Producer:
		w.produce(a)
	case history.Source:
		w.writeLine(a)
	case history.Consumer:
		w.consume(a)
	case history.SinkFile:
		w.deliver(a)
	}
}

// produce begins a send, brings one further, or begins or ends a transaction.
func (w *world) produce(a *actor) {
	switch {
	case a.facts.Transactional && a.txn == 0:
		a.txn = int64(len(w.open)) + 1
		w.open[a.txn] = true
		w.add(history.Event{Kind: history.Begin, Client: a.number, Txn: a.txn})
	case a.txn > 0 && a.sends > 3 && len(a.flying) == 0:
		w.endTransaction(a)
	case len(a.flying) < a.facts.InFlight && a.sends <= 3 && w.random.IntN(2) == 0:
		f := &flight{seq: a.seq, to: worldPartitions[w.random.IntN(2)], txn: a.txn}
		a.flying = append(a.flying, f)
		a.seq += 1 + int64(w.random.IntN(2)) // some numbers are not used
		if a.txn > 0 {
			a.sends++
		}
		w.add(history.Event{Kind: history.Send, Client: a.number, Seq: f.seq, Partition: f.to, Txn: f.txn})
	case len(a.flying) > 0:
		w.bringOn(a, w.random.IntN(len(a.flying)))
	}
}

// bringOn writes the record of a send, or has it return. Records come to a
// partition in the order in which they were sent.
func (w *world) bringOn(a *actor, i int) {
	f := a.flying[i]
	for _, before := range a.flying[:i] {
		if before.to == f.to {
			f, i = before, slices.Index(a.flying, before)
			break
		}
	}
	fails := w.random.IntN(10) == 0 || w.faulty && w.random.IntN(4) == 0
	if !f.written && !fails {
		f.written, f.offset = true, w.write(f.to, entry{a.number, f.seq, f.txn, false})
		return
	}
	e := history.Event{Kind: history.Send, Client: a.number, Seq: f.seq, Partition: f.to, Txn: f.txn}
	switch {
	case f.written && !fails:
		e.Outcome, e.Offset, e.Broker = history.Acked, f.offset, 1+w.random.IntN(3)
	case !f.written && w.random.IntN(2) == 0:
		e.Outcome = history.Refused
	default:
		e.Outcome, e.Why = history.Unknown, "timed out"
	}
	if e.Outcome != history.Unknown || w.random.IntN(2) == 0 { // some never return
		w.add(e)
	}
	a.flying = slices.Delete(a.flying, i, i+1)
}

// succeed has all sends of a producer return, and one more acknowledged.
func (w *world) succeed(a *actor) {
	for len(a.flying) > 0 {
		w.bringOn(a, 0)
	}
	p := worldPartitions[0]
	e := history.Event{Kind: history.Send, Client: a.number, Seq: a.seq, Partition: p}
	w.add(e)
	e.Outcome, e.Offset, e.Broker = history.Acked, w.write(p, entry{client: a.number, seq: a.seq}), 1
	w.add(e)
	a.seq++
}

func (w *world) write(to history.Partition, e entry) (offset int64) {
	l := w.logs[to]
	l.entries = append(l.entries, e)
	return int64(len(l.entries)) - 1
}

// endTransaction commits or aborts; whether a commit of unknown outcome happened
// is not known.
func (w *world) endTransaction(a *actor) {
	kind := history.Commit
	if w.random.IntN(3) == 0 {
		kind = history.Abort
	}
	outcome := []history.Outcome{history.Acked, history.Acked, history.Refused, history.Unknown}[w.random.IntN(4)]
	w.aborts[a.txn] = kind == history.Abort || outcome == history.Refused || outcome == history.Unknown && w.random.IntN(2) == 0
	w.open[a.txn] = false
	for _, p := range worldPartitions[:2] {
		w.write(p, entry{txn: a.txn, marker: true})
	}
	w.end(kind, a.txn, a.number, outcome)
	a.txn, a.sends = 0, 0
}

// finish ends what is under way and reads everything.
func (w *world) finish() {
	for _, a := range w.actors {
		for len(a.flying) > 0 {
			w.bringOn(a, 0)
		}
		if a.txn > 0 {
			w.endTransaction(a)
		}
	}
	lines := w.actors[3]
	for p := worldPartitions[2]; int64(len(w.logs[p].entries)) < lines.seq; {
		w.write(p, entry{client: lines.number, seq: int64(len(w.logs[p].entries))})
	}
	for sink := w.actors[8]; sink.at[worldPartitions[2]] < lines.seq; {
		w.deliver(sink)
	}
	last := w.start(history.Client{Name: "final", Role: history.Consumer, Final: true, Committed: true})
	for _, p := range worldPartitions {
		w.add(history.Event{Kind: history.AssignMark, Client: last.number, Partition: p})
		for w.poll(last, p, 7) {
		}
		w.add(history.Event{Kind: history.PositionMark, Client: last.number, Partition: p, Offset: int64(len(w.logs[p].entries))})
	}
	w.over()
}
