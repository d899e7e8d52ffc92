package invariant

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// shape is the traffic that judges are measured by: half of the operations send,
// half poll; a partition is written 1,024 times before the next one; seven
// readers see each record once.
type shape struct {
	sends  int
	next   int // step: begin, acknowledgement and poll of a send in turn
	now    time.Duration
	facts  []history.Event
	read   [shapeReaders]int // by each
	last   int               // polls that came after the sends
	buffer history.Records
}

const (
	writesAKey    = 1024
	shapeWriters  = 8
	shapeReaders  = 7
	shapeFaults   = 10
	stepsOfASend  = 3
	shapeInterval = 50 * time.Microsecond
)

func newShape(operations int) *shape {
	s := &shape{sends: operations / 2}
	mark := func(e history.Event) { s.facts = append(s.facts, e) }
	keys := (s.sends + writesAKey - 1) / writesAKey
	mark(history.Event{Kind: history.TopicMark, Topic: &history.Topic{Number: 1, Name: "orders", Partitions: keys, Replicas: 3, MinInSync: 2}})
	for i := range shapeWriters + shapeReaders {
		c := history.Client{Number: i + 1, Name: fmt.Sprintf("client-%d", i+1), Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5}
		if i >= shapeWriters {
			c = history.Client{Number: i + 1, Name: c.Name, Role: history.Consumer, Final: i == shapeWriters}
		}
		mark(history.Event{Kind: history.ClientMark, Client: c.Number, Config: &c})
	}
	return s
}

func partitionOf(i int) history.Partition { return history.Partition{Topic: 1, Number: i / writesAKey} }

// event fills in the next event; false is the end.
func (s *shape) event(e *history.Event) bool {
	s.now += shapeInterval
	if len(s.facts) > 0 {
		*e, s.facts = s.facts[0], s.facts[1:]
		e.At = s.now
		return true
	}
	i, step := s.next/stepsOfASend, s.next%stepsOfASend
	s.next++
	*e = history.Event{At: s.now}
	switch {
	case i < s.sends && step < 2:
		e.Kind, e.Client, e.Seq, e.Partition = history.Send, 1+i%shapeWriters, int64(i/shapeWriters), partitionOf(i)
		if step == 1 {
			e.Outcome, e.Offset, e.Broker = history.Acked, int64(i%writesAKey), 1+i%3
		}
	case i < s.sends:
		s.poll(e, i%shapeReaders, i/shapeReaders*shapeReaders)
		if every := s.sends / shapeFaults / 2; i%every == every/2 {
			s.fault(i / every)
		}
	case s.last < shapeReaders:
		s.poll(e, s.last, s.sends) // what is left
		s.last++
	case s.last == shapeReaders:
		e.Kind = history.EndMark
		s.last++
	default:
		return false
	}
	return true
}

// poll hands a reader what it has not seen of so many records.
func (s *shape) poll(e *history.Event, reader, sent int) {
	s.buffer = s.buffer[:0]
	for n := s.read[reader]; n < sent; n++ {
		s.buffer = append(s.buffer, history.Record{Partition: partitionOf(n), Offset: int64(n % writesAKey),
			Client: 1 + n%shapeWriters, Seq: int64(n / shapeWriters)})
	}
	s.read[reader] = sent
	e.Kind, e.Outcome, e.Took = history.Poll, history.Acked, time.Millisecond
	e.Client, e.Records = 1+shapeWriters+reader, s.buffer
}

// fault begins one every other time, and heals it the next time.
func (s *shape) fault(turn int) {
	f := history.Fault{Number: turn/2 + 1, Name: fmt.Sprintf("fault-%d", turn/2+1), Available: true, Budget: time.Second, Recovery: time.Second}
	steps := []history.Step{history.Intended, history.InEffect}
	if turn%2 == 1 {
		steps = []history.Step{history.Healed}
	}
	for _, step := range steps {
		one := f
		one.Step = step
		s.facts = append(s.facts, history.Event{Kind: history.FaultMark, Fault: &one})
	}
}

var scales = []int{10_000, 50_000, 100_000, 1_000_000, 10_000_000}

// BenchmarkJudge judges events as they come from memory, so nothing is decoded:
// a mark to beat is 0.6 s and 120 MB for a million.
func BenchmarkJudge(b *testing.B) {
	var g growth
	for _, operations := range scales {
		b.Run(fmt.Sprintf("operations=%d", operations), func(b *testing.B) {
			g.measure(b, operations, func() (*Judge, Report) {
				j, err := New(history.Header{Format: history.Format, Run: "bench", Brokers: "3.9.2"})
				if err != nil {
					b.Fatal(err)
				}
				var e history.Event
				for s := newShape(operations); s.event(&e); {
					if err := j.Take(&e); err != nil {
						b.Fatal(err)
					}
				}
				return j, j.Report()
			})
		})
	}
}

// BenchmarkReplay judges a file, with all of its decoding.
func BenchmarkReplay(b *testing.B) {
	var g growth
	for _, operations := range scales {
		b.Run(fmt.Sprintf("operations=%d", operations), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), history.FileName)
			size, err := newShape(operations).write(path)
			if err != nil {
				b.Fatal(err)
			}
			g.measure(b, operations, func() (*Judge, Report) {
				j, report, err := replay(path)
				if err != nil {
					b.Fatal(err)
				}
				return j, report
			})
			b.ReportMetric(float64(size)/float64(operations), "file-B/operation")
		})
	}
}

// growth compares with the smallest scale: 1 is linear.
type growth struct{ nanoseconds float64 } // an operation

// measure reports the time of a judgement, the memory that it holds at its end,
// and how both grow.
func (g *growth) measure(b *testing.B, operations int, judge func() (*Judge, Report)) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var j *Judge
	var report Report
	spent := processorTime()
	for b.Loop() {
		j, report = judge()
	}
	spent = processorTime() - spent
	took := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(operations)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if report.Verdict != Pass || report.Of(Lost).Checked != operations/2 {
		b.Fatalf("%v", report)
	}
	live := float64(after.HeapAlloc) - float64(before.HeapAlloc)
	runtime.KeepAlive(j)
	if g.nanoseconds == 0 {
		g.nanoseconds = took
	}
	b.ReportMetric(1e9/took, "operations/s")
	b.ReportMetric(spent.Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(took/g.nanoseconds, "x-time-of-10k")
	b.ReportMetric(live/float64(operations), "live-B/operation")
	b.ReportMetric(live/1e6, "live-MB")
}

// processorTime is what the program used so far, which tells more than the clock
// where others use the machine.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func replay(path string) (*Judge, Report, error) {
	r, file, err := history.Open(path)
	if err != nil {
		return nil, Report{}, err
	}
	defer file.Close()
	j, err := New(r.Header)
	if err != nil {
		return nil, Report{}, err
	}
	report, err := j.all(r)
	return j, report, err
}

// write writes the whole shape to a file and returns its size.
func (s *shape) write(path string) (size int64, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	line, err := json.Marshal(history.Header{Format: history.Format, Run: "bench", Brokers: "3.9.2"})
	for e := (history.Event{}); err == nil; {
		if _, err = w.Write(append(line, '\n')); err != nil {
			return 0, err
		}
		if !s.event(&e) {
			break
		}
		line, err = e.AppendJSON(line[:0])
	}
	if err == nil {
		err = w.Flush()
	}
	size, _ = file.Seek(0, io.SeekEnd)
	return size, err
}
