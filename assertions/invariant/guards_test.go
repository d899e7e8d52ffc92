package invariant

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// cutOff has a fault that is proved and healed, with a send before, during and
// after it, and a final read.
func cutOff(t *tape, f history.Fault) {
	t.send(alice, 0, 0)
	t.fault(f, history.Intended, history.Injected, history.InEffect)
	t.send(alice, 1, 1)
	t.fault(f, history.Healed)
	t.send(alice, 2, 2)
	finally(t, 3)
}

// TestTooLittleIsInconclusive: what breaks no law, but proves too little, is
// inconclusive with its reason, and nothing else is.
func TestTooLittleIsInconclusive(t *testing.T) {
	all := history.Fault{Available: true, Budget: time.Second, Recovery: time.Second}
	tests := map[string]struct {
		tell   func(*tape)
		reason string // empty for a pass
	}{
		"enough": {func(t *tape) {
			cutOff(t, all)
			t.over()
		}, ""},
		"no end":         {func(t *tape) { cutOff(t, all) }, "did not come to its end"},
		"nothing at all": {func(t *tape) { t.over() }, "nothing was acknowledged"},
		"nothing acknowledged": {func(t *tape) {
			t.begin(alice, 0)
			t.outcome(history.Unknown, alice, 0, 0, 0)
			t.over()
		}, "nothing was acknowledged"},
		"no final read": {func(t *tape) {
			t.send(alice, 0, 0)
			t.read(early, 0, alice, 0)
			t.over()
		}, "no final read of their partitions, such as orders/0"},
		"a final read of another partition": {func(t *tape) {
			t.send(alice, 0, 0)
			t.sendTo(1, alice, 1, 0)
			finally(t, 1)
			t.over()
		}, "such as orders/1"},
		"a source whose topic nobody read in the end": {func(t *tape) {
			source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1})
			lines(t, source, 2)
			t.read(early, 0, source, 0)
			t.over()
		}, "lines of file were not looked for"},
		"a source whose topic was not read wholly in the end": {func(t *tape) {
			source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1, Topics: []int{topicOrders}})
			lines(t, source, 2)
			t.assign(final, 0)
			t.read(final, 0, source, 0)
			t.over()
		}, "lines of file were not looked for"},
		"more was read past than can be followed": {func(t *tape) {
			for i := range int64(mostHoles + 2) {
				t.send(alice, i, i*2*widest)
			}
			for i := range int64(mostHoles + 2) {
				t.read(final, i*2*widest, alice, i)
			}
			t.over()
		}, "too many to look at"},
		"an unknown kind": {func(t *tape) {
			cutOff(t, all)
			t.add(history.Event{Kind: "later"})
			t.over()
		}, `unknown kind "later"`},
		"never injected": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended)
			finally(t, 1)
			t.over()
		}, "never injected"},
		"not seen in effect": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.Injected, history.NoEffect)
			t.send(alice, 1, 1)
			t.fault(all, history.Healed)
			t.send(alice, 2, 2)
			finally(t, 3)
			t.over()
		}, "could not be seen in effect"},
		"in effect only at first": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.InEffect)
			t.send(alice, 1, 1)
			t.fault(all, history.NoEffect, history.Healed)
			t.send(alice, 2, 2)
			finally(t, 3)
			t.over()
		}, "not all the time"},
		"never healed": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.InEffect)
			t.send(alice, 1, 1)
			finally(t, 2)
			t.over()
		}, "never healed"},
		"an instant fault is over": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(history.Fault{Instant: true, Available: true, Recovery: time.Second}, history.Intended, history.Injected, history.InEffect)
			t.send(alice, 1, 1)
			finally(t, 2)
			t.over()
		}, ""},
		"little before": {func(t *tape) {
			t.terms(history.Terms{Before: 2})
			cutOff(t, all)
			t.over()
		}, "too little traffic before: 1 acknowledged, want 2"},
		"little during": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			cutOff(t, all)
			t.over()
		}, "too little traffic during: 1 tried, want 2"},
		"little during where nothing is promised": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			cutOff(t, history.Fault{})
			t.over()
		}, ""},
		"little after": {func(t *tape) {
			t.terms(history.Terms{After: 2})
			cutOff(t, all)
			t.over()
		}, "too little traffic after: 1 acknowledged, want 2"},
		"nothing acknowledged, and too little tried for no progress": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.InEffect)
			t.begin(alice, 1)
			t.fault(all, history.Healed)
			t.outcome(history.Acked, alice, 1, 0, 1)
			finally(t, 2)
			t.over()
		}, "too little traffic during: 1 tried, want 2"},
		"over before it could recover": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect)
			t.begin(alice, 1)
			t.fault(history.Fault{}, history.Healed)
			t.sendTo(1, bob, 0, 0)
			finally(t, 1)
			t.position(history.PositionMark, final, 1)
			t.readFrom(1, final, 0, bob, 0)
			t.over()
		}, "ended before orders/0 could recover"},
		"demanded, but nothing of it": {func(t *tape) {
			t.terms(history.Terms{Demand: []string{"gap in a sink"}})
			cutOff(t, all)
			t.over()
		}, `"gap in a sink" is demanded`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			test.tell(tape)
			report := tape.judge(t)
			if test.reason == "" {
				if report.Verdict != Pass || len(report.Doubts) > 0 {
					t.Errorf("want a pass:\n%v", report)
				}
				return
			}
			if report.Verdict != Inconclusive || !slices.ContainsFunc(report.Doubts, func(doubt string) bool { return strings.Contains(doubt, test.reason) }) {
				t.Errorf("want it inconclusive for %q:\n%v", test.reason, report)
			}
		})
	}
}

// TestContradictionsAreErrors: what package history never writes is refused,
// with the number of the line.
func TestContradictionsAreErrors(t *testing.T) {
	p := orders(0)
	tests := map[string]history.Event{
		"an outcome without a send":     {Kind: history.Send, Outcome: history.Acked, Client: alice, Seq: 7, Partition: p},
		"a second outcome":              {Kind: history.Send, Outcome: history.Acked, Client: alice, Seq: 0, Partition: p},
		"a second send":                 {Kind: history.Send, Client: alice, Seq: 0, Partition: p},
		"a client that never started":   {Kind: history.Send, Client: 99, Seq: 0, Partition: p},
		"no client":                     {Kind: history.Poll, Outcome: history.Acked},
		"a topic that there is not":     {Kind: history.Send, Client: alice, Seq: 7, Partition: history.Partition{Topic: 9}},
		"a partition that there is not": {Kind: history.Send, Client: alice, Seq: 7, Partition: orders(2)},
		"a record of no partition":      {Kind: history.Poll, Outcome: history.Acked, Client: early, Records: history.Records{{Partition: history.Partition{Topic: 9}}}},
		"a transaction unheard of":      {Kind: history.Send, Client: alice, Seq: 7, Partition: p, Txn: 1},
		"the end of such":               {Kind: history.Commit, Client: alice, Txn: 1},
		"transactions out of order":     {Kind: history.Begin, Client: alice, Txn: 2},
		"offsets without a group":       {Kind: history.Store, Client: early},
		"a client out of order":         {Kind: history.ClientMark, Config: &history.Client{Number: 9}},
		"a topic out of order":          {Kind: history.TopicMark, Topic: &history.Topic{Number: 9}},
		"too many partitions":           {Kind: history.TopicMark, Topic: &history.Topic{Number: 2, Partitions: 1 << 40}},
		"a fault never intended":        {Kind: history.FaultMark, Fault: &history.Fault{Number: 1, Step: history.Healed}},
		"a fault out of order":          {Kind: history.FaultMark, Fault: &history.Fault{Number: 2, Step: history.Intended}},
		"a demand of no law":            {Kind: history.TermsMark, Terms: &history.Terms{Demand: []string{"be good"}}},
		"the deletion of no topic":      {Kind: history.Admin, Client: alice, Change: &history.Change{What: history.DeleteTopic, Topic: 9}},
		"a sink of no topic":            {Kind: history.ClientMark, Config: &history.Client{Number: 5, Topics: []int{9}}},
	}
	for name, e := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			tape.send(alice, 0, 0)
			tape.add(e)
			_, err := tape.try(t)
			if !errors.Is(err, ErrInconsistent) || !strings.Contains(err.Error(), "line 9") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAClockThatGoesBackIsAnError(t *testing.T) {
	j, err := New(history.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Take(&history.Event{Kind: history.EndMark, At: 2}); err != nil {
		t.Fatal(err)
	}
	if err := j.Take(&history.Event{Kind: history.EndMark, At: 1}); !errors.Is(err, history.ErrClock) {
		t.Errorf("error %v", err)
	}
}

func TestAReleaseThatThereIsNotIsAnError(t *testing.T) {
	tape := newTape()
	tape.header.Brokers = "soon"
	if _, err := tape.try(t); err == nil || !strings.Contains(err.Error(), "soon") {
		t.Errorf("error %v", err)
	}
}

// TestATornHistoryIsJudgedSoFar: what a crash left is judged, and doubted.
func TestATornHistoryIsJudgedSoFar(t *testing.T) {
	tape := newTape()
	lose(tape)
	tape.over()
	text := tape.bytes(t)
	report, err := judgeText(text[:len(text)-5])
	if err != nil || report.Verdict != Fail || !strings.Contains(strings.Join(report.Doubts, " "), "torn") {
		t.Errorf("%v\n%v", err, report)
	}
}

// TestViolationsAreBounded: all are counted, the first are kept.
func TestViolationsAreBounded(t *testing.T) {
	tape := newTape()
	sendsOf(tape, 1000)
	tape.assign(final, 0)
	tape.read(final, 999, alice, 999)
	tape.over()
	lost := tape.judge(t).Of(Lost)
	if lost.Violations != 999 || len(lost.Kept) != mostKept || lost.Kept[0].Offset != 0 || lost.Kept[0].Of.Client != alice {
		t.Errorf("%d violations, of which %d are kept: %v", lost.Violations, len(lost.Kept), lost.Kept)
	}
}

// TestOddNumbersTakeLittleMemory: a page a record, wherever it stands.
func TestOddNumbersTakeLittleMemory(t *testing.T) {
	tape := newTape()
	for i := range int64(50) {
		tape.send(alice, i<<50, i<<50)
	}
	for i := range int64(50) {
		tape.read(early, i<<50, alice, i<<50)
	}
	tape.assign(final, 0)
	for i := range int64(50) {
		tape.read(final, i<<50, alice, i<<50)
	}
	tape.over()
	if report := tape.judge(t); report.Verdict != Pass || report.Of(Lost).Checked != 50 {
		t.Errorf("%v", report)
	}
}
