package witness

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/state"
)

// EndOffsets reads where each partition of a topic ends, from its leader: the
// offset of the next record.
func (b *Brokers) EndOffsets(ctx context.Context, topic string) (map[int]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	partitions, err := b.partitions(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("read the end offsets of %s: %w", topic, err)
	}
	ends := map[int]int64{}
	for _, p := range partitions {
		if ends[p.Partition], err = b.endOffset(ctx, p); err != nil {
			return nil, fmt.Errorf("read the end offset of %s-%d from broker-%d: %w", topic, p.Partition, p.Leader, err)
		}
	}
	return ends, nil
}

// partitions reads a topic's partitions from the first broker that knows it.
func (b *Brokers) partitions(ctx context.Context, topic string) ([]state.Partition, error) {
	var failed []error
	for _, broker := range b.IDs() {
		view, err := b.View(ctx, broker)
		found, known := view.Topic(topic)
		switch {
		case err != nil:
			failed = append(failed, err)
		case !known:
			failed = append(failed, fmt.Errorf("broker-%d: %w", broker, kerr.UnknownTopicOrPartition))
		case len(found.Partitions) == 0:
			failed = append(failed, fmt.Errorf("broker-%d: %s", broker, found.Error))
		default:
			return found.Partitions, nil
		}
	}
	return nil, errors.Join(failed...)
}

func (b *Brokers) endOffset(ctx context.Context, p state.Partition) (int64, error) {
	const latest = -1 // the time-stamp that stands for the end
	partition := kmsg.NewListOffsetsRequestTopicPartition()
	partition.Partition, partition.Timestamp, partition.MaxNumOffsets = int32(p.Partition), latest, 1
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic, topic.Partitions = p.Topic, []kmsg.ListOffsetsRequestTopicPartition{partition}
	request := kmsg.NewPtrListOffsetsRequest()
	request.ReplicaID, request.Topics = -1, []kmsg.ListOffsetsRequestTopic{topic}
	response, err := request.RequestWith(ctx, direct{brokers: b, broker: p.Leader})
	if err != nil {
		return 0, err
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return 0, errors.New("another partition in the answer")
	}
	answer := response.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(answer.ErrorCode); err != nil {
		return 0, err
	}
	if response.Version > 0 {
		return answer.Offset, nil
	}
	if len(answer.OldStyleOffsets) == 0 {
		return 0, errors.New("no offset in the answer")
	}
	return answer.OldStyleOffsets[0], nil
}

// offsetsTopic is where coordinators keep their groups.
const offsetsTopic = "__consumer_offsets"

// groupRecord is what was last read of a group in __consumer_offsets.
type groupRecord struct {
	generation int
	next       int64 // the offset to read on from
}

const noGeneration = -1

// generation reads the last generation of a group that its coordinator has
// written. It reads on from where it was the last time.
func (b *Brokers) generation(ctx context.Context, coordinator int, group string) (int, error) {
	partitions, err := b.partitions(ctx, offsetsTopic)
	if err != nil {
		return 0, err
	}
	number := state.GroupPartition(group, len(partitions))
	end, err := b.endOffset(ctx, state.Partition{Topic: offsetsTopic, Partition: number, Leader: coordinator})
	if err != nil {
		return 0, fmt.Errorf("read the end offset of %s-%d from broker-%d: %w", offsetsTopic, number, coordinator, err)
	}
	b.mu.Lock()
	last, known := b.read[group]
	b.mu.Unlock()
	if !known || last.next > end { // a log cut short by an unclean election is read anew
		last = groupRecord{generation: noGeneration}
	}
	if last.next < end {
		if last, err = b.readGroup(ctx, group, int32(number), last, end); err != nil {
			return 0, fmt.Errorf("read %s-%d: %w", offsetsTopic, number, err)
		}
	}
	b.mu.Lock()
	b.read[group] = last
	b.mu.Unlock()
	return last.generation, nil
}

// readGroup reads a partition of __consumer_offsets up to its end, with a
// client of its own.
func (b *Brokers) readGroup(ctx context.Context, group string, partition int32, last groupRecord, end int64) (groupRecord, error) {
	var addresses []string
	for _, broker := range b.IDs() {
		addresses = append(addresses, b.addresses[broker])
	}
	from := map[string]map[int32]kgo.Offset{offsetsTopic: {partition: kgo.NewOffset().At(last.next)}}
	client, err := kgo.NewClient(append(b.options(addresses...), kgo.ConsumePartitions(from),
		kgo.KeepControlRecords(), kgo.FetchMaxWait(redial), kgo.MetadataMinAge(redial))...)
	if err != nil {
		return last, err
	}
	defer client.Close()
	for last.next < end {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return last, err
		}
		for _, record := range fetches.Records() {
			last.next = record.Offset + 1
			generation, ours, err := generationIn(group, record.Key, record.Value)
			switch {
			case err != nil:
				return last, fmt.Errorf("decode the record at offset %d: %w", record.Offset, err)
			case ours:
				last.generation = generation
			}
		}
	}
	return last, nil
}

// generationIn reads a record of __consumer_offsets, if it is one that tells
// the state of that group (key version 2; no value once the group is gone).
func generationIn(group string, key, value []byte) (generation int, ours bool, err error) {
	const groupMetadata = 2
	var of kmsg.GroupMetadataKey
	ours = of.ReadFrom(key) == nil && of.Version == groupMetadata && of.Group == group
	if !ours {
		return 0, false, nil
	}
	if value == nil {
		return noGeneration, true, nil
	}
	var metadata kmsg.GroupMetadataValue
	err = metadata.ReadFrom(value)
	return int(metadata.Generation), true, err
}
