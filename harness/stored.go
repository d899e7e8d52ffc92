package harness

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/state"
)

// storedBound bounds the reading of a topic as a whole.
const storedBound = 10 * time.Second

// Stored reads the topic from its first record to its present end, on the
// witness plane, and tells which of the records are in it. Their values are
// compared as they are.
func (c *Cluster) Stored(ctx context.Context, topic string, records []string) (state.Stored, error) {
	ctx, cancel := context.WithTimeout(ctx, storedBound)
	defer cancel()
	held, err := c.held(ctx, topic)
	if err != nil {
		return state.Stored{}, fmt.Errorf("read what topic %s holds: %w", topic, err)
	}
	stored := state.NewStored(topic, records, held)
	stored.Source = state.Source{By: "a consumer", At: time.Now()}
	return stored, nil
}

func (c *Cluster) held(ctx context.Context, topic string) (values []string, err error) {
	ends, err := c.witness.Brokers.EndOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	unread := map[int32]kgo.Offset{}
	for partition, end := range ends {
		if end > 0 {
			unread[int32(partition)] = kgo.NewOffset().AtStart()
		}
	}
	client, err := c.NewClient(OnWitness, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: maps.Clone(unread)}))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	for len(unread) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return nil, err
		}
		fetches.EachRecord(func(record *kgo.Record) {
			values = append(values, string(record.Value))
			if record.Offset+1 >= ends[int(record.Partition)] {
				delete(unread, record.Partition)
			}
		})
	}
	return values, nil
}
