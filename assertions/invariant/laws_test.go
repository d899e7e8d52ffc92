package invariant

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// story is a small history by the law that it is about.
type story struct {
	law   Law
	about string
	tell  func(*tape)
}

// breaches must be rejected, each for its law.
var breaches = slices.Concat(breachesOfTheLog, breachesOfReaders, breachesOfConnect, breachesOfTime)

// TestBreachesAreRejectedByTheirLaw: each law of all has a story, and each story
// is told by its law.
func TestBreachesAreRejectedByTheirLaw(t *testing.T) {
	told := map[Law]bool{}
	for _, s := range breaches {
		told[s.law] = true
		t.Run(s.law.String()+": "+s.about, func(t *testing.T) {
			tape := newTape()
			s.tell(tape)
			tape.over()
			report := tape.judge(t)
			if report.Verdict != Fail || !slices.Contains(report.Broken(), s.law) {
				t.Errorf("want %s broken:\n%v", s.law, report)
			}
		})
	}
	for _, s := range Laws() {
		if !told[s.Law] {
			t.Errorf("no history breaks %q", s.Law)
		}
	}
}

// A sink that stood still has not passed over what it did not get to, whatever came
// from other partitions.
func TestWhatASinkPassedOver(t *testing.T) {
	for about, test := range map[string]struct {
		came []int64
		want bool
	}{"in the middle": {[]int64{0, 2, 3}, true}, "at the end of one of two partitions": {[]int64{0, 1, 3}, false}} {
		tape := newTape()
		sink := copies(tape, 3)
		tape.sendTo(1, alice, 3, 0)
		tape.readFrom(1, final, 0, alice, 3)
		tape.sink(sink, alice, test.came...)
		tape.over()
		told := tape.judge(t).String()
		if got := strings.Contains(told, "though a later one of its partition is"); got != test.want || !strings.Contains(told, "it is not in sink file") {
			t.Errorf("%s: told %s", about, told)
		}
	}
}

func sendsOf(t *tape, count int64) {
	for i := range count {
		t.send(alice, i, i)
	}
}

// finally reads alice's first records in the end.
func finally(t *tape, count int64) {
	t.assign(final, 0)
	for i := range count {
		t.read(final, i, alice, i)
	}
}

func lines(t *tape, source int, count int64) {
	for i := range count {
		e := history.Event{Kind: history.Send, Client: source, Seq: i}
		t.add(e)
		e.Outcome, e.Offset = history.Acked, -1
		t.add(e)
	}
}

func transactional(t *tape) {
	t.change(alice, func(c *history.Client) { c.Transactional = true })
}

func pair(t *tape) (one, two int) {
	return t.client(history.Client{Name: "one", Role: history.Consumer, Group: "g"}),
		t.client(history.Client{Name: "two", Role: history.Consumer, Group: "g"})
}

// copies has records on a topic that a sink shall deliver.
func copies(t *tape, count int64) (sink int) {
	sink = t.client(history.Client{Name: "file", Role: history.SinkFile, Topics: []int{topicOrders}})
	sendsOf(t, count)
	finally(t, count)
	return sink
}

func lossWithAcks1(t *tape) {
	t.change(alice, func(c *history.Client) { c.Acks = "1" })
	t.send(alice, 0, 0)
	t.fault(history.Fault{}, history.Intended, history.InEffect, history.Healed)
	t.send(alice, 1, 1)
	t.assign(final, 0)
	t.read(final, 1, alice, 1)
}

// waits has a fault with a budget of two seconds, in which a send waits so long
// before and after the heal.
func waits(t *tape, before, after time.Duration) {
	t.send(alice, 0, 0)
	t.fault(history.Fault{Budget: 2 * time.Second}, history.Intended, history.InEffect)
	t.begin(alice, 1)
	t.wait(before)
	t.fault(history.Fault{}, history.Healed)
	t.wait(after)
	t.outcome(history.Acked, alice, 1, 0, 1)
	finally(t, 2)
}

// recovers has a fault with a bound of two seconds, and the first
// acknowledgement so long after its heal.
func recovers(t *tape, after time.Duration) {
	t.send(alice, 0, 0)
	t.fault(history.Fault{Recovery: 2 * time.Second}, history.Intended, history.InEffect)
	t.begin(alice, 1)
	t.fault(history.Fault{}, history.Healed)
	t.wait(after)
	t.outcome(history.Acked, alice, 1, 0, 1)
	finally(t, 2)
}
