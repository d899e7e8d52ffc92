package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// Consumer is an option of Start: a client that reads the topic from its start.
// Without a group it reads all partitions.
type Consumer struct {
	Name string // consumer-N if empty
	// Group is the group that it is a member of. It commits what each poll brought
	// before the next one, and reads on from what was committed.
	Group string
	// Cooperative says that a member keeps its partitions through a rebalance
	// (KIP-429) unless they go to another one.
	Cooperative bool
	// Committed is isolation.level=read_committed.
	Committed bool
	// Most bounds the records of one poll, 1000 if 0.
	Most int
	// Rest is how long it rests after each poll, and after its commit if it has a
	// group, as one that has work with what it got; 0 for not at all. Brokers answer so
	// many fewer requests.
	Rest time.Duration
}

func (c Consumer) apply(t *Traffic) error {
	if c.Most < 0 || c.Rest < 0 {
		return fmt.Errorf("make consumer %s: %d records a poll, and a rest of %v", c.Name, c.Most, c.Rest)
	}
	c.Name = t.name(c.Name, "consumer")
	c.Most = cmp.Or(c.Most, 1000)
	if c.Committed && !t.target.transactions() {
		t.adapt(c.Name, "no isolation levels in Kafka %v: reads all", t.target.Version)
		c.Committed = false
	}
	run := func(ctx, _ context.Context) error { return t.consume(ctx, c) }
	if c.Group != "" {
		run = func(ctx, life context.Context) error { return t.join(ctx, life, c) }
	}
	t.clients = append(t.clients, client{name: c.Name, phase: reads, run: run})
	return nil
}

func (c *Consumer) config() history.Client {
	return history.Client{Name: c.Name, Role: history.Consumer, Group: c.Group, Committed: c.Committed}
}

func (c *Consumer) options() []kgo.Opt {
	options := []kgo.Opt{kgo.FetchMaxWait(500 * time.Millisecond)}
	if c.Committed {
		options = append(options, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	return options
}

// consume reads by assignment until ctx ends.
func (t *Traffic) consume(ctx context.Context, c Consumer) error {
	options := append(t.target.options(c.Name, t.target.Dial), c.options()...)
	kafka, err := newClient(c.Name, append(options, kgo.ConsumePartitions(t.wholeTopic()))...)
	if err != nil {
		return err
	}
	defer kafka.Close()
	r := t.newReader(c.config(), kafka)
	r.assignAll()
	for r.poll(ctx, c.Most) && pause(ctx, c.Rest) {
	}
	r.actor.Stopped(true)
	return nil
}

// wholeTopic is every partition from its start.
func (t *Traffic) wholeTopic() map[string]map[int32]kgo.Offset {
	partitions := map[int32]kgo.Offset{}
	for number := range t.topic.Partitions {
		partitions[int32(number)] = kgo.NewOffset().AtStart()
	}
	return map[string]map[int32]kgo.Offset{t.topic.Name: partitions}
}

// reader writes down what a consumer is handed.
type reader struct {
	traffic   *Traffic
	actor     *history.Actor
	kafka     *kgo.Client
	committed bool
	records   history.Records                  // of the last poll
	next      []int64                          // by partition: where the client is, 0 at its start
	epoch     []int32                          // by partition: of the leader of the last record
	ends      []int64                          // by partition: the end of what it may read, as far as it was told
	onto      func(partition int, stamp Stamp) // is told each value that was read, if given
}

func (t *Traffic) newReader(config history.Client, kafka *kgo.Client) *reader {
	n := t.topic.Partitions
	return &reader{traffic: t, actor: t.history.Start(config), kafka: kafka, committed: config.Committed,
		next: make([]int64, n), epoch: make([]int32, n), ends: make([]int64, n)}
}

func (r *reader) partition(number int) history.Partition {
	return history.Partition{Topic: r.traffic.topic.Number, Number: number}
}

func (r *reader) assignAll() {
	for number := range r.next {
		r.actor.Assigned(r.partition(number), 0)
	}
}

// afterError is how long a client waits before it polls again after a poll that
// brought nothing but errors.
const afterError = 100 * time.Millisecond

// poll records one poll; it says no once ctx has ended.
func (r *reader) poll(ctx context.Context, most int) bool {
	begun := time.Now()
	fetches := r.kafka.PollRecords(ctx, most)
	if ctx.Err() != nil || fetches.IsClientClosed() {
		return false
	}
	r.records = r.records[:0]
	fetches.EachError(func(_ string, _ int32, err error) { r.failed(begun, err) })
	fetches.EachPartition(r.take)
	if len(r.records) == 0 {
		return fetches.Err() == nil || pause(ctx, afterError)
	}
	r.traffic.count.read.Add(int64(len(r.records)))
	r.actor.Polled(begun, r.records)
	return true
}

// failed records an error of a poll. A client that was put back because records
// it had read are gone is assigned anew.
func (r *reader) failed(begun time.Time, err error) {
	r.actor.PollFailed(begun, err)
	var loss *kgo.ErrDataLoss
	if errors.As(err, &loss) && loss.Topic == r.traffic.topic.Name && int(loss.Partition) < len(r.next) {
		r.next[loss.Partition] = loss.ResetTo
		r.actor.Assigned(r.partition(int(loss.Partition)), loss.ResetTo)
	}
}

// end is where what may be read of a partition ends for now: nothing behind a
// transaction that is open, by those who read committed records only.
func (r *reader) end(fetched *kgo.FetchTopicPartition) int64 {
	if r.committed {
		return fetched.LastStableOffset
	}
	return fetched.HighWatermark
}

// take notes the records of one partition.
func (r *reader) take(fetched kgo.FetchTopicPartition) {
	number := int(fetched.Partition)
	if number < 0 || number >= len(r.next) || fetched.Topic != r.traffic.topic.Name {
		return
	}
	r.ends[number] = max(r.ends[number], r.end(&fetched))
	for _, record := range fetched.Records {
		r.next[number], r.epoch[number] = record.Offset+1, record.LeaderEpoch
		if record.Attrs.IsControl() {
			continue
		}
		sender, seq, ok := ParseValue(r.traffic.target.Run, record.Value)
		if !ok {
			r.traffic.count.strange.Add(1)
		} else if r.onto != nil {
			r.onto(number, Stamp{sender, seq})
		}
		r.records = append(r.records, history.Record{Partition: r.partition(number), Offset: record.Offset, Client: sender, Seq: seq})
	}
}
