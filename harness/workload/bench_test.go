package workload

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// BenchmarkProducer is how many records one idempotent producer has acknowledged
// a second, by a fake cluster in the same process: with its operations written to
// a file, and without.
func BenchmarkProducer(b *testing.B) {
	for name, send := range map[string]func(*sender, int){
		"recorded":   func(s *sender, partition int) { s.send(partition, s.actor.Send) },
		"unrecorded": unrecorded,
	} {
		b.Run(name, func(b *testing.B) { benchmarkProducer(b, send) })
	}
}

// unrecorded sends like send, and records nothing.
func unrecorded(s *sender, partition int) {
	record := &kgo.Record{Topic: s.traffic.topic.Name, Partition: int32(partition), Value: s.value(s.seq)}
	record.Headers = []kgo.RecordHeader{{Key: SentHeader, Value: time.Now().AppendFormat(nil, time.RFC3339Nano)}}
	s.seq++
	s.client.Produce(context.Background(), record, func(_ *kgo.Record, err error) {
		if err != nil {
			s.failed.Add(1)
		}
		s.window.give(partition)
	})
}

func benchmarkProducer(b *testing.B, send func(*sender, int)) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(3, "orders"))
	if err != nil {
		b.Fatal(err)
	}
	defer cluster.Close()
	h, err := history.Create(filepath.Join(b.TempDir(), history.FileName), history.Header{Run: "r"})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	traffic := &Traffic{target: Target{Run: "r", Brokers: cluster.ListenAddrs(), Dial: new(net.Dialer).DialContext}, history: h, topic: orders,
		reached: newReached(3)}
	traffic.topic.Number = h.Topic(orders)
	s, err := traffic.newSender(Producer{Name: "p", Kind: Idempotent, InFlight: 1000, Requests: 5, Timeout: time.Minute}, newPace(0))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		partition, _ := s.window.take(b.Context())
		send(s, partition)
	}
	if err := s.end(b.Context()); err != nil || s.failed.Load() > 0 {
		b.Fatalf("%d failed, %v", s.failed.Load(), err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "acked/s")
}
