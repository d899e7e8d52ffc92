package invariant

import (
	"errors"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

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

func TestAnEventThatMeansNothingIsAnError(t *testing.T) {
	for _, e := range []history.Event{
		{},
		{Kind: history.TopicMark},
		{Kind: history.Send, Client: alice, Seq: -1, Partition: orders(0)},
		{Kind: history.Poll, Client: early, Records: history.Records{{Partition: orders(0), Offset: -1}}},
	} {
		j, err := New(history.Header{})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Take(&e); !errors.Is(err, ErrInconsistent) {
			t.Errorf("%+v: error %v", e, err)
		}
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

func TestATaskWithoutOwnerIsOneViolationAnOutage(t *testing.T) {
	tape := newTape()
	tape.terms(history.Terms{Ownerless: time.Second})
	for generation := range 2 {
		tape.owners(generation, map[string][]string{"worker-1": {"copy-0"}})
		for range 5 {
			tape.owners(generation, nil)
			tape.wait(time.Second)
		}
	}
	if got := tape.judge(t).Of(NoOwner).Violations; got != 2 {
		t.Errorf("%d violations in 2 outages", got)
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
