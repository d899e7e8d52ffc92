package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// every kind of client at once.
func everyClient() []Option {
	return []Option{Producer{Rate: 20}, Producer{Kind: AcksAll, Rate: 20, Requests: 1, Timeout: 5 * time.Second},
		Producer{Kind: AcksLeader, Rate: 20, Requests: 1, Timeout: 5 * time.Second}, Producer{Kind: Transactional, Rate: 20, Most: 20},
		Consumer{}, Consumer{Group: "g"}, Consumer{Group: "g", Committed: true}}
}

func TestTrafficOfEveryKindPasses(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t,
			Producer{Rate: 40}, Producer{Kind: AcksAll, Rate: 40, Requests: 1}, Producer{Kind: AcksLeader, Rate: 40, Requests: 1},
			Producer{Kind: Transactional, Rate: 40, Seed: 1, Most: 20},
			Consumer{}, Consumer{Committed: true}, Consumer{Group: "g"}, Consumer{Group: "g"})
		time.Sleep(5 * time.Second)
		summary := stop(t, traffic)
		if summary.Acked < 700 || summary.Acked != summary.Sent || !summary.Final.Complete {
			t.Errorf("too little: %v", summary)
		}
		if summary.Commits == 0 || summary.Aborts == 0 || summary.Stores == 0 || summary.Unstored != 0 {
			t.Errorf("too few: %v", summary)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}

func TestClientsTakeTheirTime(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, Producer{Rate: 100, Linger: 200 * time.Millisecond}, Consumer{Group: "g", Rest: 500 * time.Millisecond})
		time.Sleep(5 * time.Second)
		summary := stop(t, traffic)
		if summary.Acked < 450 || summary.Acked != summary.Sent || !summary.Final.Complete {
			t.Errorf("too little: %v", summary)
		}
		if summary.Stores < 5 || summary.Stores > 12 { // one after each rest; without, one for each record or so
			t.Errorf("it commits too often, or too seldom: %v", summary)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}

func TestTrafficOutlivesAFault(t *testing.T) {
	for name, fault := range map[string]struct{ refusing, swallow bool }{"black hole": {false, true}, "refused": {true, false}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				traffic := b.start(t, everyClient()[:6]...)
				time.Sleep(5 * time.Second)
				n := b.history.Fault(history.Fault{Name: name, Step: history.Intended})
				b.network.set(fault.refusing, fault.swallow)
				b.history.Fault(history.Fault{Number: n, Name: name, Step: history.InEffect})
				time.Sleep(12 * time.Second)
				before := traffic.Summary()
				b.network.set(false, false)
				b.history.Fault(history.Fault{Number: n, Name: name, Step: history.Healed})
				time.Sleep(10 * time.Second)
				summary := stop(t, traffic)
				if summary.Unknown+summary.Refused == 0 {
					t.Errorf("nothing failed: %v", summary)
				}
				if summary.Acked < before.Acked+300 || !summary.Final.Complete {
					t.Errorf("it did not recover: from %v\nto %v", before, summary)
				}
				if report := b.judge(t); report.Verdict != invariant.Pass {
					t.Errorf("%v", report)
				}
			})
		})
	}
}

// TestStopEndsInsideAFault: nothing is left behind, and nothing hangs, though
// nobody answers; the bubble sees to it.
func TestStopEndsInsideAFault(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, append(everyClient(), Patience{Flush: 10 * time.Second, Final: 5 * time.Second})...)
		time.Sleep(5 * time.Second)
		b.network.set(false, true)
		time.Sleep(2 * time.Second)
		begun := time.Now()
		summary, err := traffic.Stop(t.Context())
		if took := time.Since(begun); took > 40*time.Second {
			t.Errorf("it took %v", took)
		}
		if summary.Final.Complete || summary.Unknown == 0 || summary.Sent != summary.Acked+summary.Refused+summary.Unknown {
			t.Errorf("summary %v", summary)
		}
		if err == nil || !strings.Contains(err.Error(), "flush producer-1") {
			t.Errorf("error %v", err)
		}
		b.tellsOfLeaves(t, 2, err)
		again, err2 := traffic.Stop(t.Context())
		if again.String() != summary.String() || fmt.Sprint(err2) != fmt.Sprint(err) {
			t.Errorf("again %v, %v", again, err2)
		}
		b.network.set(false, false)
	})
}

func TestTrafficEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		ctx, cancel := context.WithCancel(t.Context())
		traffic, err := Start(ctx, b.target, b.history, orders, everyClient()...)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		cancel()
		begun := time.Now()
		for i := range traffic.phases {
			traffic.phases[i].all.Wait()
		}
		if took := time.Since(begun); took > 2*goodbye {
			t.Errorf("it took %v", took)
		}
		if summary, err := traffic.Stop(t.Context()); !summary.Final.Complete || err == nil {
			t.Errorf("summary %v, error %v", summary, err)
		}
	})
}

func TestNilTrafficStops(t *testing.T) {
	var traffic *Traffic
	if summary, err := traffic.Stop(t.Context()); summary.Sent != 0 || err != nil {
		t.Errorf("%v, %v", summary, err)
	}
}

func TestBadOptionsNameThemselves(t *testing.T) {
	good := Target{Run: "r", Brokers: []string{"broker-1:9093"}, Dial: newNetwork().dial}
	for want, start := range map[string]func(*Target, *history.Topic) Option{
		`run "a b"`:        func(target *Target, _ *history.Topic) Option { target.Run = "a b"; return Producer{} },
		"addresses":        func(target *Target, _ *history.Topic) Option { target.Brokers = nil; return Producer{} },
		"partitions":       func(_ *Target, topic *history.Topic) Option { topic.Partitions = 0; return Producer{} },
		`kind "acks=2"`:    func(*Target, *history.Topic) Option { return Producer{Kind: "acks=2"} },
		"producer fast":    func(*Target, *history.Topic) Option { return Producer{Name: "fast", Rate: -1} },
		"consumer greedy":  func(*Target, *history.Topic) Option { return Consumer{Name: "greedy", Most: -1} },
		"rest of -1ns":     func(*Target, *history.Topic) Option { return Consumer{Rest: -1} },
		"bound the patien": func(*Target, *history.Topic) Option { return Patience{Flush: -1} },
	} {
		target, topic := good, orders
		option := start(&target, &topic)
		traffic, err := Start(t.Context(), target, history.New(discard{}, history.Header{}), topic, option)
		if err == nil || !strings.Contains(err.Error(), want) || traffic != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

var errDisk = errors.New("disk full")

type fullDisk struct{ left int }

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errDisk
	}
	return len(b), nil
}

func TestAHistoryThatCannotBeWrittenIsAnError(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.history = history.New(&fullDisk{10_000}, history.Header{})
		traffic := b.start(t, Producer{Rate: 100})
		time.Sleep(5 * time.Second)
		if _, err := traffic.Stop(t.Context()); !errors.Is(err, errDisk) {
			t.Errorf("error %v", err)
		}
	})
}

// tellsOfLeaves expects that so many members left their group without an answer, of
// which the history tells, and no error.
func (b *bubble) tellsOfLeaves(t *testing.T, want int, err error) {
	t.Helper()
	told := 0
	for _, e := range b.events(t, history.ReadingMark) {
		if strings.HasPrefix(e.Reading.Text, "leave group g: ") {
			told++
		}
	}
	if told != want || strings.Contains(fmt.Sprint(err), "leave") {
		t.Errorf("%d members left without an answer, want %d; error %v", told, want, err)
	}
}
