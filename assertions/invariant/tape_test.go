package invariant

import (
	"bytes"
	"cmp"
	"encoding/json"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// tape writes small histories by hand, a millisecond between events.
type tape struct {
	events []history.Event
	now    time.Duration
	ops    int64
	header history.Header
}

// The cast of every tape.
const (
	topicOrders = 1
	alice       = 1 // a producer, acks=all and idempotent
	final       = 2 // the final read
	early       = 3 // a consumer that reads meanwhile
	bob         = 4 // a producer like alice
)

// newTape has a topic of two partitions, two producers, a consumer and the
// final read.
func newTape() *tape {
	t := &tape{header: history.Header{Format: history.Format, Run: "test", Brokers: "3.9.2"}}
	t.topic(history.Topic{Number: topicOrders, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 2})
	t.client(history.Client{Name: "alice", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5})
	t.client(history.Client{Name: "final", Role: history.Consumer, Final: true, Committed: true})
	t.client(history.Client{Name: "early", Role: history.Consumer})
	t.client(history.Client{Name: "bob", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5})
	return t
}

func (t *tape) add(e history.Event) {
	t.now += time.Millisecond
	e.At = t.now
	t.events = append(t.events, e)
}

func (t *tape) wait(d time.Duration) { t.now += d }

func (t *tape) topic(topic history.Topic) {
	t.add(history.Event{Kind: history.TopicMark, Topic: &topic})
}

// client adds one and returns its number.
func (t *tape) client(c history.Client) int {
	c.Number = 1
	for _, e := range t.events {
		if e.Kind == history.ClientMark {
			c.Number++
		}
	}
	t.add(history.Event{Kind: history.ClientMark, Client: c.Number, Config: &c})
	return c.Number
}

// change configures a client of the cast anew.
func (t *tape) change(number int, change func(*history.Client)) {
	for _, e := range t.events {
		if e.Kind == history.ClientMark && e.Config.Number == number {
			change(e.Config)
		}
	}
}

func orders(partition int) history.Partition {
	return history.Partition{Topic: topicOrders, Number: partition}
}

func (t *tape) outcome(o history.Outcome, client int, seq int64, partition int, offset int64) {
	e := history.Event{Kind: history.Send, Outcome: o, Client: client, Seq: seq, Partition: orders(partition)}
	if o == history.Acked {
		e.Offset, e.Broker = offset, 2
	}
	t.add(e)
}

func (t *tape) begin(client int, seq int64) { t.outcome(history.Begun, client, seq, 0, 0) }

// send sends to partition 0, and is acknowledged.
func (t *tape) send(client int, seq, offset int64) { t.sendTo(0, client, seq, offset) }

func (t *tape) sendTo(partition, client int, seq, offset int64) {
	t.outcome(history.Begun, client, seq, partition, 0)
	t.outcome(history.Acked, client, seq, partition, offset)
}

// read hands a consumer one record of partition 0.
func (t *tape) read(consumer int, offset int64, client int, seq int64) {
	t.readFrom(0, consumer, offset, client, seq)
}

func (t *tape) readFrom(partition, consumer int, offset int64, client int, seq int64) {
	t.add(history.Event{Kind: history.Poll, Outcome: history.Acked, Client: consumer,
		Records: history.Records{{Partition: orders(partition), Offset: offset, Client: client, Seq: seq}}})
}

func (t *tape) assign(consumer int, from int64) { t.position(history.AssignMark, consumer, from) }
func (t *tape) passed(consumer int, to int64)   { t.position(history.PositionMark, consumer, to) }

func (t *tape) position(kind history.Kind, consumer int, offset int64) {
	t.add(history.Event{Kind: kind, Client: consumer, Partition: orders(0), Offset: offset})
}

// commit commits an offset of partition 0 and returns what brings the outcome.
func (t *tape) commit(consumer int, offset int64) (returned func(history.Outcome)) {
	t.ops++
	e := history.Event{Kind: history.Store, Client: consumer, Op: t.ops, Positions: history.Positions{{Partition: orders(0), Offset: offset}}}
	t.add(e)
	return func(o history.Outcome) {
		e.Outcome = o
		t.add(e)
	}
}

// txn sends in a transaction; it is to be ended by end.
func (t *tape) txn(number int64, client int, seq, offset int64) {
	t.add(history.Event{Kind: history.Begin, Client: client, Txn: number})
	for _, o := range []history.Outcome{history.Begun, history.Acked} {
		t.outcome(o, client, seq, 0, offset)
		t.events[len(t.events)-1].Txn = number
	}
}

func (t *tape) end(kind history.Kind, number int64, client int, outcomes ...history.Outcome) {
	t.ops++
	for _, o := range append([]history.Outcome{history.Begun}, outcomes...) {
		t.add(history.Event{Kind: kind, Outcome: o, Client: client, Txn: number, Op: t.ops})
	}
}

func (t *tape) sink(sink int, client int, seqs ...int64) {
	e := history.Event{Kind: history.Sink, Outcome: history.Acked, Client: sink}
	for i, seq := range seqs {
		e.Records = append(e.Records, history.Record{Offset: int64(i), Client: client, Seq: seq})
	}
	t.add(e)
}

func (t *tape) owners(generation int, owned map[string][]string) {
	t.add(history.Event{Kind: history.OwnersMark, Owners: &history.Owners{Group: "connect", Generation: generation, Owned: owned}})
}

func (t *tape) terms(terms history.Terms) {
	t.add(history.Event{Kind: history.TermsMark, Terms: &terms})
}

func (t *tape) fault(f history.Fault, steps ...history.Step) {
	f.Number, f.Name = max(1, f.Number), cmp.Or(f.Name, "cut")
	for _, step := range steps {
		f.Step = step
		one := f
		t.add(history.Event{Kind: history.FaultMark, Fault: &one})
	}
}

func (t *tape) stop(node string, clean bool) {
	t.add(history.Event{Kind: history.StopMark, Stop: &history.Stop{Node: node, Clean: clean}})
}

func (t *tape) over() { t.add(history.Event{Kind: history.EndMark}) }

// bytes is the history as a file.
func (t *tape) bytes(tb testing.TB) []byte {
	text, err := json.Marshal(t.header)
	if err != nil {
		tb.Fatal(err)
	}
	for i := range t.events {
		if text, err = t.events[i].AppendJSON(append(text, '\n')); err != nil {
			tb.Fatal(err)
		}
	}
	return append(text, '\n')
}

// judge judges the tape through its file.
func (t *tape) judge(tb testing.TB) Report {
	tb.Helper()
	report, err := t.try(tb)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

func (t *tape) try(tb testing.TB) (Report, error) { return judgeText(t.bytes(tb)) }

func judgeText(text []byte) (Report, error) {
	r, err := history.NewReader(bytes.NewReader(text))
	if err != nil {
		return Report{}, err
	}
	return JudgeHistory(r)
}
