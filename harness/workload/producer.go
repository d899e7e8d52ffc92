package workload

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// Kind is what a producer promises, in Kafka's words.
type Kind string

// The kinds of producers.
const (
	Idempotent    Kind = "idempotent"    // acks=all, enable.idempotence=true
	AcksAll       Kind = "acks=all"      // without idempotence
	AcksLeader    Kind = "acks=1"        // without idempotence
	Transactional Kind = "transactional" // idempotent, in transactions of which some are aborted
)

// Producer is an option of Start: a client that sends records to each partition
// of the topic in turn. The zero value is an idempotent producer that is as fast
// as the brokers acknowledge.
//
// Before 0.11.0.0 there is neither idempotence nor transaction: such a producer
// is a plain one with acks=all then, and the history says so.
type Producer struct {
	Name string // producer-N if empty
	Kind Kind
	// Rate is how many records are sent a second, 0 for as many as are acknowledged.
	Rate float64
	// InFlight bounds the records of each partition that are without outcome; 1000
	// if 0. A partition whose bound is reached is left out until some have one.
	InFlight int
	// Requests is how many requests to one broker a plain producer has in flight, 5
	// if 0. An idempotent one has 5, and 1 before 1.0.0.
	Requests int
	// Linger is linger.ms, 10 ms if 0: how long a record waits for others that go with it.
	Linger time.Duration
	// Size is the least length of a value.
	Size int
	// Timeout is delivery.timeout.ms, 30 s if 0: how long a record is tried. An
	// idempotent producer tries longer what may have been written.
	Timeout time.Duration
	// Seed draws how many records each transaction has, up to Most (100 if 0), and
	// which ones are aborted: the fraction Aborts, a quarter if 0.
	Seed   uint64
	Most   int
	Aborts float64
}

func (p Producer) apply(t *Traffic) error {
	switch p.Kind {
	case "":
		p.Kind = Idempotent
	case Idempotent, AcksAll, AcksLeader, Transactional:
	default:
		return fmt.Errorf("make producer %s: there is no kind %q", p.Name, p.Kind)
	}
	if p.Rate < 0 || min(p.InFlight, p.Requests, p.Size, p.Most) < 0 || min(p.Timeout, p.Linger) < 0 || p.Aborts < 0 || p.Aborts > 1 {
		return fmt.Errorf("make producer %s: a bound is negative, or Aborts no fraction", p.Name)
	}
	p.Name = t.name(p.Name, "producer")
	p.InFlight = cmp.Or(p.InFlight, 1000)
	p.Requests = cmp.Or(p.Requests, 5)
	p.Timeout = cmp.Or(p.Timeout, 30*time.Second)
	p.Linger = cmp.Or(p.Linger, 10*time.Millisecond)
	p.Most = cmp.Or(p.Most, 100)
	p.Aborts = cmp.Or(p.Aborts, 0.25)
	if (p.Kind == Idempotent || p.Kind == Transactional) && !t.target.transactions() {
		t.adapt(p.Name, "no idempotence and no transactions in Kafka %v: produces with acks=all", t.target.Version)
		p.Kind = AcksAll
	}
	t.transactional = t.transactional || p.Kind == Transactional
	t.clients = append(t.clients, client{name: p.Name, phase: sends, run: func(ctx, life context.Context) error { return t.produce(ctx, life, p) }})
	return nil
}

// config is what the history says of the producer.
func (p *Producer) config(t *Target) history.Client {
	c := history.Client{Name: p.Name, Role: history.Producer, Acks: "all", InFlight: p.Requests}
	switch p.Kind {
	case AcksLeader:
		c.Acks = "1"
	case Transactional, Idempotent:
		c.Idempotent, c.Transactional = true, p.Kind == Transactional
		if c.InFlight = 5; !t.knows("1.0.0") {
			c.InFlight = 1
		}
	}
	return c
}

func (p *Producer) options() []kgo.Opt {
	options := []kgo.Opt{
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RecordDeliveryTimeout(p.Timeout),
		kgo.ProducerLinger(p.Linger),
		kgo.ProduceRequestTimeout(answerBound),
		kgo.UnknownTopicRetries(-1), // a broker that just started knows none
		kgo.MaxBufferedRecords(1 << 30),
		kgo.ProducerBatchCompression(kgo.NoCompression()), // as Kafka's own
	}
	switch p.Kind {
	case AcksAll:
		options = append(options, kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(p.Requests))
	case AcksLeader:
		options = append(options, kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(p.Requests),
			kgo.RequiredAcks(kgo.LeaderAck()))
	case Transactional:
		options = append(options, kgo.TransactionTimeout(TransactionTimeout))
	}
	return options
}

// sender is a producer's client from its start to its end.
type sender struct {
	Producer
	traffic *Traffic
	actor   *history.Actor
	client  *kgo.Client
	wire    wire
	window  *window
	pace    *pace
	seq     int64
	failed  atomic.Int64 // sends that were not acknowledged
}

// newSender starts a client. Every one is new to the history, and counts its
// records from 0.
func (t *Traffic) newSender(p Producer, pace *pace, options ...kgo.Opt) (*sender, error) {
	s := &sender{Producer: p, traffic: t, pace: pace, window: newWindow(t.topic.Partitions, p.InFlight)}
	s.wire.unsure = &t.count.unsure
	options = append(append(t.target.options(p.Name, s.wire.dialer(t.target.Dial)), p.options()...), options...)
	var err error
	if s.client, err = newClient(p.Name, append(options, kgo.WithHooks(&s.wire))...); err != nil {
		return nil, err
	}
	s.actor = t.history.Start(p.config(&t.target))
	return s, nil
}

// produce sends until ctx ends, then waits for what is under way until life does.
func (t *Traffic) produce(ctx, life context.Context, p Producer) error {
	if p.Kind == Transactional {
		return t.transact(ctx, life, p)
	}
	s, err := t.newSender(p, newPace(p.Rate))
	if err != nil {
		return err
	}
	for s.pace.wait(ctx) {
		partition, ok := s.window.take(ctx)
		if !ok {
			break
		}
		s.send(partition, s.actor.Send) //nolint:contextcheck // a record that is under way outlives ctx; end waits for it
	}
	return s.end(life)
}

// end waits until life ends for what is under way, and gives up the rest.
func (s *sender) end(life context.Context) error {
	err := s.client.Flush(life)
	s.client.Close()
	s.window.drain()
	s.actor.Stopped(err == nil)
	if err != nil {
		return fmt.Errorf("flush %s: %w", s.Name, err)
	}
	return nil
}

// send hands the next record over. A place in the window was taken for it.
func (s *sender) send(partition int, begin func(history.Partition, int64) history.Sending) {
	seq := s.seq
	s.seq++
	record := &kgo.Record{Topic: s.traffic.topic.Name, Partition: int32(partition), Value: s.value(seq)}
	if s.traffic.target.transactions() {
		record.Headers = []kgo.RecordHeader{{Key: SentHeader, Value: time.Now().AppendFormat(nil, time.RFC3339Nano)}}
	}
	if len(s.traffic.sinks) > 0 {
		s.traffic.places.note(s.actor.Number(), partition)
	}
	handed := s.wire.now()
	s.traffic.count.sent.Add(1)
	sending := begin(history.Partition{Topic: s.traffic.topic.Number, Number: partition}, seq)
	s.client.Produce(context.Background(), record, func(r *kgo.Record, err error) {
		s.returned(sending, handed, r, err)
		s.window.give(partition)
	})
}

// SentHeader is the header that says by the wall clock when a record was handed
// to its client, from Kafka 0.11.0.0 on.
const SentHeader = "sent"

// value is that of a record, in the quotes that make it JSON.
func (s *sender) value(seq int64) []byte {
	b := append(make([]byte, 0, max(64, s.Size+2)), '"')
	return append(AppendValue(b, s.traffic.target.Run, s.actor.Number(), seq, s.Size), '"')
}

// returned records the outcome of a send.
func (s *sender) returned(sending history.Sending, handed instant, r *kgo.Record, err error) {
	if err != nil {
		s.failed.Add(1)
		outcome := s.wire.ofRecord(handed, err)
		s.traffic.count.outcome(outcome)
		sending.Failed(outcome, err)
		return
	}
	s.traffic.count.outcome(history.Acked)
	s.traffic.reached.raise(int(r.Partition), r.Offset)
	sending.Acked(r.Offset, s.leader(r))
}

// leader is the broker that led as the client knew when it was answered, which need
// not be the one that answered; -1 for none.
func (s *sender) leader(r *kgo.Record) int {
	leader, _, err := s.client.PartitionLeader(r.Topic, r.Partition)
	if err != nil {
		return -1
	}
	return max(-1, int(leader))
}
