package workload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// files are those of one worker.
type files struct {
	mu   sync.Mutex
	text map[string][]byte
	down bool
}

var errDown = errors.New("the worker is down")

func (f *files) append(_ context.Context, path string, text []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.text == nil {
		f.text = map[string][]byte{}
	}
	f.text[path] = append(f.text[path], text...)
	return nil
}

func (f *files) read(_ context.Context, path string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, errDown
	}
	return bytes.Clone(f.text[path]), nil
}

// connectors are fakes: one sends each line of the file /in of a worker to orders,
// one writes each record to the file /out, of worker 0 or 1 by its partition.
// What either does with a line can be changed: it is written as often as told.
type connectors struct {
	workers [2]files
	toTopic func(line int) int
	toFile  func(record int) int
}

func (c *connectors) run(ctx context.Context, b *bubble) error {
	client, err := kgo.NewClient(append(b.target.options("fake", b.target.Dial), kgo.ConsumeTopics("orders"),
		kgo.FetchMaxWait(100*time.Millisecond), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		return err
	}
	defer client.Close()
	var both sync.WaitGroup
	both.Go(func() { c.source(ctx, client) })
	both.Go(func() { c.sink(ctx, client) })
	both.Wait()
	return nil
}

func (c *connectors) source(ctx context.Context, client *kgo.Client) {
	for line := 0; pause(ctx, 100*time.Millisecond); {
		text, _ := c.workers[0].read(ctx, "/in")
		lines := bytes.SplitAfter(text, []byte{'\n'})
		for ; line < len(lines)-1; line++ {
			for range c.toTopic(line) {
				value := fmt.Appendf(nil, "%q", bytes.TrimSpace(lines[line]))
				client.ProduceSync(ctx, &kgo.Record{Topic: "orders", Value: value})
			}
		}
	}
}

func (c *connectors) sink(ctx context.Context, client *kgo.Client) {
	for number := 0; ; {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		for _, record := range fetches.Records() {
			for range c.toFile(number) {
				c.workers[record.Partition%2].append(ctx, "/out", append(bytes.Trim(record.Value, `"`), '\n'))
			}
			number++
		}
	}
}

func once(int) int { return 1 }

func TestConnectIsFollowedFromFileToFile(t *testing.T) {
	skips := func(which int) func(int) int {
		return func(n int) int {
			if n == which {
				return 0
			}
			return 1
		}
	}
	for name, test := range map[string]struct {
		connectors *connectors
		verdict    invariant.Verdict
		law        string
		ledger     string
	}{
		"whole":                 {&connectors{toTopic: once, toFile: once}, invariant.Pass, "", ""},
		"a source that drops":   {&connectors{toTopic: skips(7), toFile: once}, invariant.Fail, "gap in a source", "1 missing, first client 1 #7"},
		"a sink that drops":     {&connectors{toTopic: once, toFile: skips(20)}, invariant.Fail, "gap in a sink", "1 missing"},
		"a sink that repeats":   {&connectors{toTopic: once, toFile: func(n int) int { return 1 + n/20%2 }}, invariant.Fail, "duplicate in a sink", "repeated"},
		"a source that repeats": {&connectors{toTopic: func(n int) int { return 1 + n/20%2 }, toFile: once}, invariant.Pass, "not promised for a source at least once", "repeated"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				c := test.connectors
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go c.run(ctx, b)
				traffic := b.start(t, Source{Path: "/in", Append: c.workers[0].append}, Producer{Rate: 20},
					Sink{Path: "/out", Files: map[string]ReadFile{"worker-1": c.workers[0].read, "worker-2": c.workers[1].read}},
					Patience{Final: 5 * time.Second})
				time.Sleep(3 * time.Second)
				c.workers[1].mu.Lock()
				c.workers[1].down = true
				c.workers[1].mu.Unlock()
				time.Sleep(2 * time.Second)
				c.workers[1].mu.Lock()
				c.workers[1].down = false
				c.workers[1].mu.Unlock()
				summary := stop(t, traffic)
				drops := strings.Contains(name, "drops")
				if summary.Lines < 90 || summary.Acked > 110 || summary.Final.Complete == drops || drops && len(summary.Final.Missing) != 1 {
					t.Errorf("summary %v", summary)
				}
				if report := b.judge(t); report.Verdict != test.verdict || !strings.Contains(report.String(), test.law) {
					t.Errorf("%v", report)
				}
				ledger := traffic.Ledger()
				if !strings.Contains(ledger.String(), test.ledger) || ledger.Sources["source-1"].In < 90 || ledger.Sinks["sink-1"].In < 180 ||
					test.ledger == "" && (!ledger.Sources["source-1"].Whole() || !ledger.Sinks["sink-1"].Whole()) {
					t.Errorf("ledger\n%v", ledger)
				}
			})
		})
	}
}

func TestAFileThatCannotBeWrittenEndsItsSource(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, Source{Path: "/in", Append: func(context.Context, string, []byte) error { return errDown }})
		time.Sleep(2 * time.Second)
		if summary, err := traffic.Stop(t.Context()); !errors.Is(err, errDown) || summary.Lines != 0 || summary.Sent != 0 {
			t.Errorf("summary %v, error %v", summary, err)
		}
	})
}

func TestAFileThatCannotBeReadInTheEndIsAnError(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		down := &files{down: true}
		traffic := b.start(t, Sink{Path: "/out", Files: map[string]ReadFile{"worker-1": down.read}})
		time.Sleep(2 * time.Second)
		if _, err := traffic.Stop(t.Context()); !errors.Is(err, errDown) || !strings.Contains(err.Error(), "worker-1") {
			t.Errorf("error %v", err)
		}
	})
}

// TestAFileThatBeganAnewIsReadAnew: a worker whose container was made anew has
// another file.
func TestAFileThatBeganAnewIsReadAnew(t *testing.T) {
	traffic := &Traffic{target: Target{Run: "r"}, history: history.New(discard{}, history.Header{})}
	files := &files{}
	f := &sinkFiles{Sink: Sink{Path: "/out", Files: map[string]ReadFile{"worker-1": files.read}}, traffic: traffic,
		actor: traffic.history.Start(history.Client{}), lanes: map[string]Lane{}, length: map[string]int{}, found: stamps{}}
	line := func(seq int64) { files.append(t.Context(), "/out", append(AppendValue(nil, "r", 1, seq, 0), '\n')) }
	line(0)
	line(1)
	files.append(t.Context(), "/out", []byte("r/1/2/")) // not ended yet
	f.read(t.Context())
	files.text["/out"] = nil
	line(2)
	f.read(t.Context())
	if want := lane(0, 1, 2); !reflect.DeepEqual(f.lanes["worker-1"], want) || f.failed != nil {
		t.Errorf("read %v, want %v; %v", f.lanes["worker-1"], want, f.failed)
	}
}

// TestAFileThatIsReadLateMayBeTheOlder: its worker was down while its successor's
// was read.
func TestAFileThatIsReadLateMayBeTheOlder(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		var files [2]files
		write := func(worker int, seq int64) {
			files[worker].append(t.Context(), "/out", append(AppendValue(nil, b.target.Run, 1, seq, 0), '\n'))
		}
		write(0, 0)
		write(1, 1)
		files[0].down = true
		traffic := b.start(t, Sink{Path: "/out", Files: map[string]ReadFile{"worker-1": files[0].read, "worker-2": files[1].read}})
		time.Sleep(2 * time.Second)
		files[0].mu.Lock()
		files[0].down = false
		files[0].mu.Unlock()
		stop(t, traffic)
		found := b.events(t, history.Sink)
		if len(found) != 1 || len(found[0].Records) != 2 || found[0].Records[0].Seq != 0 || found[0].Records[1].Seq != 1 {
			t.Errorf("found %+v, want 0 before 1", found)
		}
	})
}

func TestLinesOfSeveralFilesAreArranged(t *testing.T) {
	byThousand := func(s Stamp) int { return int(s.Seq / 1000) } // partition
	for name, test := range map[string]struct {
		files map[string]Lane
		want  []Stamp
	}{
		"none":                         {nil, nil},
		"one file keeps its order":     {map[string]Lane{"a": lane(0, 2, 1)}, lane(0, 2, 1)},
		"the earlier owner was first":  {map[string]Lane{"a": lane(5, 6), "b": lane(1001, 1002, 3, 4)}, lane(3, 4, 5, 6, 1001, 1002)},
		"delivered again by the later": {map[string]Lane{"a": lane(3, 4, 5), "b": lane(3, 4)}, lane(3, 3, 4, 4, 5)},
	} {
		if got := arrange(test.files, byThousand); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
