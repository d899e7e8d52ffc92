package workload

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// Segments reads what a broker has of a partition in its log segments on disk.
type Segments func(ctx context.Context, topic string, partition int) ([]*kgo.Record, error)

// OnDisk looks for records in the log segments of brokers, by their numbers, and
// marks in the history which of the brokers hold them. It is for records of the
// traffic's topic that a first judgement found missing or contradicted; others are
// left out. What could not be read is noted as a reading, and is no evidence.
func (t *Traffic) OnDisk(ctx context.Context, wanted []history.Record, brokers map[int]Segments) {
	byPartition := map[int][]history.Record{}
	for _, one := range wanted {
		if one.Client > 0 && one.Partition.Topic == t.topic.Number {
			byPartition[one.Partition.Number] = append(byPartition[one.Partition.Number], one)
		}
	}
	for partition := range t.topic.Partitions {
		for _, broker := range slices.Sorted(maps.Keys(brokers)) {
			if len(byPartition[partition]) > 0 {
				t.onDisk(ctx, byPartition[partition], broker, brokers[broker])
			}
		}
	}
}

// onDisk looks for records of one partition on one broker.
func (t *Traffic) onDisk(ctx context.Context, wanted []history.Record, broker int, read Segments) {
	partition := wanted[0].Partition
	found, err := read(ctx, t.topic.Name, partition.Number)
	if err != nil {
		t.history.Reading(history.Reading{Of: fmt.Sprintf("broker-%d", broker), By: "the segments of " + t.topic.Name, Text: err.Error()})
		return
	}
	type place struct {
		stamp  Stamp
		offset int64
	}
	held := map[place]bool{}
	for _, record := range found {
		if client, seq, ok := ParseValue(t.target.Run, record.Value); ok {
			held[place{Stamp{client, seq}, record.Offset}] = true
		}
	}
	for _, one := range wanted {
		t.history.Disk(history.Disk{Broker: broker, Partition: partition, Offset: one.Offset, Client: one.Client, Seq: one.Seq,
			Held: held[place{Stamp{one.Client, one.Seq}, one.Offset}]})
	}
}
