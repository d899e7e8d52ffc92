package history

import (
	"sync"
	"time"
)

// Actor records what one client does. It is handed out by Start.
type Actor struct {
	h      *History
	number int

	mu   sync.Mutex
	room []byte // for the text of what it was brought
}

// Start says that a client starts, with the configuration given, and hands out
// who records what it does. Every start is a client of its own: one that is
// started again has a new number, which its records carry.
func (h *History) Start(c Client) *Actor {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients++
	c.Number = h.clients
	h.append(Event{Kind: ClientMark, Client: c.Number, Config: &c})
	return &Actor{h: h, number: c.Number}
}

// Number is the client's number in this history, from 1. The values that it
// sends carry it.
func (a *Actor) Number() int { return a.number }

// Stopped says that the client was stopped, cleanly or not.
func (a *Actor) Stopped(clean bool) {
	a.h.mark(Event{Kind: StopMark, Client: a.number, Stop: &Stop{Clean: clean}})
}

// Sending is a send that has begun. It is a value and costs no memory.
type Sending struct {
	h         *History
	client    int
	seq       int64
	partition Partition
	txn       int64
}

// Send says that the client is about to send its record number seq, which it
// must not use again. It is called before the record is handed to the client's
// library, so that no consumer can be faster.
func (a *Actor) Send(partition Partition, seq int64) Sending {
	return a.send(Sending{a.h, a.number, seq, partition, 0})
}

func (a *Actor) send(s Sending) Sending {
	s.note(Begun, 0, 0)
	return s
}

// note notes the outcome. Its text has room on the stack.
func (s *Sending) note(o Outcome, offset int64, broker int) {
	e := s.event(o)
	e.Offset, e.Broker = offset, broker
	var room [192]byte
	s.h.note(&e, room[:0])
}

func (s *Sending) event(o Outcome) Event {
	return Event{Kind: Send, Outcome: o, Client: s.client, Seq: s.seq, Partition: s.partition, Txn: s.txn}
}

// Acked says that a broker acknowledged the record at an offset, each -1 if the
// client was not told. If the partitioner chose the partition, set it first.
func (s Sending) Acked(offset int64, broker int) {
	s.note(Acked, offset, broker)
}

// In is the send with the partition that the client's partitioner chose.
func (s Sending) In(partition int) Sending {
	s.partition.Number = partition
	return s
}

// Failed says that the send failed: Refused if the record was certainly not
// written, Unknown if it may have been.
func (s Sending) Failed(outcome Outcome, err error) {
	e := s.event(outcome)
	e.Why = reason(err)
	s.h.mark(e)
}

// Polled says that a poll that was begun at that time brought these records. The
// slice is not kept.
func (a *Actor) Polled(begun time.Time, records Records) {
	a.brought(Event{Kind: Poll, Outcome: Acked, Client: a.number, Took: time.Since(begun), Records: records})
}

// PollFailed says that a poll brought an error.
func (a *Actor) PollFailed(begun time.Time, err error) {
	a.h.mark(Event{Kind: Poll, Outcome: Refused, Client: a.number, Took: time.Since(begun), Why: reason(err)})
}

// Found says which lines a sink's file was found to have more than before; the
// partition of these records is none, and their offsets are line numbers.
func (a *Actor) Found(lines Records) {
	a.brought(Event{Kind: Sink, Outcome: Acked, Client: a.number, Records: lines})
}

func (a *Actor) brought(e Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.room = a.h.note(&e, a.room)
}

// Assigned says that the client reads a partition from an offset on, -1 if it
// does not know.
func (a *Actor) Assigned(partition Partition, from int64) {
	a.h.mark(Event{Kind: AssignMark, Client: a.number, Partition: partition, Offset: from})
}

// Revoked says that the client does not read the partition any more.
func (a *Actor) Revoked(partition Partition) {
	a.h.mark(Event{Kind: RevokeMark, Client: a.number, Partition: partition})
}

// Passed says that the client is past everything before an offset, also if it
// was handed no record there: markers of transactions, or the end of the log.
func (a *Actor) Passed(partition Partition, offset int64) {
	a.h.mark(Event{Kind: PositionMark, Client: a.number, Partition: partition, Offset: offset})
}

// Operation is a commit, an abort, a store of offsets or an administrative
// operation that has begun.
type Operation struct {
	h     *History
	event Event
}

// Returned says what came of it; err may be nil.
func (o Operation) Returned(outcome Outcome, err error) {
	o.event.Outcome, o.event.Why = outcome, reason(err)
	o.h.mark(o.event)
}

// Store says that the client is about to commit its group's offsets.
func (a *Actor) Store(positions Positions) Operation {
	return a.h.begin(Event{Kind: Store, Client: a.number, Positions: positions})
}

// Change says that an administrator is about to change something.
func (a *Actor) Change(c Change) Operation {
	return a.h.begin(Event{Kind: Admin, Client: a.number, Change: &c})
}

func (h *History) begin(e Event) Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops++
	e.Op = h.ops
	h.append(e)
	return Operation{h, e}
}

// Txn is a transaction that has begun.
type Txn struct {
	actor  *Actor
	number int64
}

// Begin says that the client begins a transaction.
func (a *Actor) Begin() Txn {
	a.h.mu.Lock()
	defer a.h.mu.Unlock()
	a.h.txns++
	a.h.append(Event{Kind: Begin, Client: a.number, Txn: a.h.txns})
	return Txn{a, a.h.txns}
}

// Send is a send in the transaction.
func (t Txn) Send(partition Partition, seq int64) Sending {
	return t.actor.send(Sending{t.actor.h, t.actor.number, seq, partition, t.number})
}

// Commit says that the client is about to commit the transaction.
func (t Txn) Commit() Operation { return t.end(Commit) }

// Abort says that the client is about to abort the transaction.
func (t Txn) Abort() Operation { return t.end(Abort) }

func (t Txn) end(kind Kind) Operation {
	return t.actor.h.begin(Event{Kind: kind, Client: t.actor.number, Txn: t.number})
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
