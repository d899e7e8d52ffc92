package harness

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/topology"
)

// Segments reads every record that the broker has of a partition in the log
// segments on its disk, whatever it would tell a consumer: also those behind the
// high watermark, of aborted transactions, and of a topic that it does not lead.
// The broker's process must run. A partition that is not there has no records.
func (b *Broker) Segments(ctx context.Context, topic string, partition int) ([]*kgo.Record, error) {
	folder := fmt.Sprintf("%s/%s-%d", topology.DataFolder, topic, partition)
	text, err := b.Exec(ctx, "sh", "-c", `[ ! -d "$0" ] || cat "$0"/*.log`, folder) // in the order of their first offsets
	if err != nil {
		return nil, fmt.Errorf("read the segments of %s-%d on %s: %w", topic, partition, b, err)
	}
	records, err := parseSegments([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("parse the segments of %s-%d on %s: %w", topic, partition, b, err)
	}
	return records, nil
}

// parseSegments parses segments, which are on disk as they are in an answer to a
// fetch: messages or, since 0.11.0.0, batches of records. The end of the last one
// may be torn, for it is being written.
func parseSegments(text []byte) ([]*kgo.Record, error) {
	answer := kmsg.NewFetchResponseTopicPartition()
	answer.RecordBatches = text
	fetched, _ := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{}, &answer, kgo.DefaultDecompressor(), nil)
	return fetched.Records, fetched.Err
}
