package workload

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// TestRecordsAreLookedForOnDisk: a broker holds a record if it has it at its
// offset, and what could not be read says nothing of it.
func TestRecordsAreLookedForOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), history.FileName)
	h, err := history.Create(path, history.Header{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	traffic := &Traffic{target: Target{Run: "r"}, history: h, topic: orders}
	traffic.topic.Number = h.Topic(orders)
	in := func(partition int, offset int64, client int, seq int64) history.Record {
		return history.Record{Partition: history.Partition{Topic: traffic.topic.Number, Number: partition}, Offset: offset, Client: client, Seq: seq}
	}
	wanted := []history.Record{in(0, 5, 1, 7), in(0, 6, 1, 8), in(2, 0, 3, 0),
		in(0, 9, 0, 0), {Partition: history.Partition{Topic: 9}, Client: 1}} // of no client, and of another topic
	holding := func(records ...*kgo.Record) Segments {
		return func(_ context.Context, topic string, partition int) ([]*kgo.Record, error) {
			if topic != orders.Name || partition == 1 {
				return nil, fmt.Errorf("asked for %s-%d", topic, partition)
			}
			if partition != 0 {
				return nil, nil
			}
			return records, nil
		}
	}
	value := func(offset int64, client int, seq int64) *kgo.Record {
		return &kgo.Record{Offset: offset, Value: AppendValue(nil, "r", client, seq, 0)}
	}
	traffic.OnDisk(t.Context(), wanted, map[int]Segments{
		3: holding(value(5, 1, 7), value(7, 1, 8), &kgo.Record{Offset: 6, Value: []byte("strange")}),
		1: func(context.Context, string, int) ([]*kgo.Record, error) { return nil, errors.New("it is down") },
	})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	r, file, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var got []string
	for e, err := range r.Events() {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Disk != nil:
			got = append(got, fmt.Sprintf("broker-%d %d/%d: %d #%d %t", e.Disk.Broker, e.Disk.Partition.Number, e.Disk.Offset, e.Disk.Client, e.Disk.Seq, e.Disk.Held))
		case e.Reading != nil:
			got = append(got, e.Reading.Of+": "+e.Reading.Text)
		}
	}
	want := []string{"broker-1: it is down", "broker-3 0/5: 1 #7 true", "broker-3 0/6: 1 #8 false", "broker-1: it is down", "broker-3 2/0: 3 #0 false"}
	if !slices.Equal(got, want) {
		t.Errorf("told\n%q, want\n%q", got, want)
	}
}
