package workload

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"kafkachaos/harness/history"
)

// BenchmarkProducer is how many records one idempotent producer has acknowledged
// a second, by a fake cluster in the same process: with its operations written to
// a file, and to a history that is closed and takes nothing; and what that takes of
// the processor, the fake included. As fast as can be, and at four times the rate
// that a run is to reach.
func BenchmarkProducer(b *testing.B) {
	for name, record := range map[string]bool{"recorded": true, "unrecorded": false} {
		b.Run(name, func(b *testing.B) { benchmarkProducer(b, record, 0) })
		b.Run(name+" at 20000/s", func(b *testing.B) { benchmarkProducer(b, record, 20_000) })
	}
}

func benchmarkProducer(b *testing.B, record bool, rate float64) {
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
	s, err := traffic.newSender(Producer{Name: "p", Kind: Idempotent, InFlight: 1000, Requests: 5, Timeout: time.Minute}, newPace(rate))
	if err != nil {
		b.Fatal(err)
	}
	if !record {
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
	}
	begun := processor(b)
	for b.Loop() {
		s.pace.wait(b.Context())
		partition, _ := s.window.take(b.Context())
		s.send(partition, s.actor.Send)
	}
	if err := s.end(b.Context()); err != nil || s.failed.Load() > 0 {
		b.Fatalf("%d failed, %v", s.failed.Load(), err)
	}
	b.ReportMetric(float64(processor(b)-begun)/float64(b.N), "cpu-ns/record")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "acked/s")
}

// processor is the time that this program has used of all processors: with others
// at work it tells more than the clock.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
