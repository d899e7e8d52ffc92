package workload

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/history"
)

// member is a consumer in a group. Its callbacks and its polls exclude each
// other, since it blocks rebalances from a poll until it has committed.
type member struct {
	Consumer
	*reader
	wire wire
}

// join reads as a member of the group until ctx ends.
func (t *Traffic) join(ctx, life context.Context, c Consumer) error {
	m := &member{Consumer: c}
	balancer := kgo.RangeBalancer()
	if c.Cooperative {
		balancer = kgo.CooperativeStickyBalancer()
	}
	options := append(t.target.options(c.Name, m.wire.dialer(t.target.Dial)), c.options()...)
	started := make(chan struct{}) // m.reader is there
	kafka, err := newClient(c.Name, append(options, kgo.WithHooks(&m.wire), kgo.ConsumerGroup(c.Group), kgo.ConsumeTopics(t.topic.Name),
		kgo.Balancers(balancer), kgo.SessionTimeout(sessionBound), kgo.HeartbeatInterval(sessionBound/6), kgo.RebalanceTimeout(2*sessionBound),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.OnPartitionsAssigned(func(_ context.Context, kafka *kgo.Client, given map[string][]int32) {
			<-started
			m.assigned(kafka, given)
		}),
		kgo.AdjustFetchOffsetsFn(func(ctx context.Context, from offsets) (offsets, error) { m.from(ctx, from); return from, nil }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { <-started; m.revoked(taken) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, taken map[string][]int32) { <-started; m.revoked(taken) }))...)
	if err != nil {
		return err
	}
	m.reader = t.newReader(c.config(), kafka)
	close(started)
	for m.poll(ctx, c.Most) {
		m.store(ctx)
		kafka.AllowRebalance()
		pause(ctx, c.Rest)
	}
	kafka.AllowRebalance()
	m.leave(life)
	return nil
}

type offsets = map[string]map[int32]kgo.Offset

// leave leaves the group, so that its other members need not wait for a session
// to time out. That is a courtesy: what becomes of it the history tells.
func (m *member) leave(life context.Context) {
	ctx, cancel := context.WithTimeout(life, goodbye)
	defer cancel()
	err := m.kafka.LeaveGroupContext(ctx)
	m.kafka.CloseAllowingRebalance()
	m.actor.Stopped(err == nil)
	if err != nil {
		m.traffic.history.Reading(history.Reading{Of: m.Name, By: m.Name, Text: fmt.Sprintf("leave group %s: %v", m.Group, err)})
	}
}

// assigned marks in which generation the client was given which partitions. From
// where it reads them is known later.
func (m *member) assigned(kafka *kgo.Client, given map[string][]int32) {
	id, generation := kafka.GroupMetadata()
	m.traffic.history.Reading(history.Reading{Of: m.Name, By: m.Name,
		Text: fmt.Sprintf("member %s of group %s was given partitions %v in generation %d", id, m.Group, given[m.traffic.topic.Name], generation)})
}

// from marks from where the partitions that were given are read. They are taken
// away again already if the context has ended.
func (m *member) from(ctx context.Context, starts offsets) {
	if ctx.Err() != nil {
		return
	}
	for number, start := range starts[m.traffic.topic.Name] {
		offset := max(0, start.EpochOffset().Offset) // less than 0 is the start
		m.next[number] = offset
		m.actor.Assigned(m.partition(int(number)), offset)
	}
}

func (m *member) revoked(taken map[string][]int32) {
	for _, number := range taken[m.traffic.topic.Name] {
		m.actor.Revoked(m.partition(int(number)))
	}
}

// store commits up to where the last poll led.
func (m *member) store(ctx context.Context) {
	commits := map[int32]kgo.EpochOffset{}
	var positions history.Positions
	for _, record := range m.records {
		number := record.Partition.Number
		if _, there := commits[int32(number)]; !there {
			commits[int32(number)] = kgo.EpochOffset{Epoch: m.epoch[number], Offset: m.next[number]}
			positions = append(positions, history.Position{Partition: record.Partition, Offset: m.next[number]})
		}
	}
	if len(commits) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer cancel()
	given := m.wire.now()
	operation := m.actor.Store(positions)
	var told error
	m.kafka.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{m.traffic.topic.Name: commits},
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error) {
			told = errors.Join(err, commitError(response, len(commits)))
		})
	outcome := m.wire.ofOrder(given, told)
	m.traffic.count.stored(outcome)
	operation.Returned(outcome, told)
}

var errPartly = errors.New("some of the offsets were committed")

// commitError is what a broker said against a commit. If it took only some of
// the offsets, that says nothing final.
func commitError(response *kmsg.OffsetCommitResponse, want int) error {
	if response == nil {
		return nil
	}
	good := 0
	var failed error
	for _, topic := range response.Topics {
		for _, p := range topic.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				failed = err
			} else {
				good++
			}
		}
	}
	if good > 0 && good < want {
		return errors.Join(errPartly, failed)
	}
	return failed
}
