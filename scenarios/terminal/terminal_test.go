package terminal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/scenarios/incident"
)

const messageOfB = `Timed out after 12.001s.
after the second expiry
finding: registered with a new session of broker-2
expected to be registered by a new session, since broker-2 is registered by session 0x100016eb4400005, czxid 0x8f, created 05:31:44.246, at PLAINTEXT://broker-2:9094 (read by zk-1 at 05:31:44.252), but it is absent:
    broker-2 is absent from ZooKeeper (read by zk-1 at 05:31:50.595)`

// failureOfB is incident B as a reader meets it.
func failureOfB() Failure {
	return Failure{
		Title: "A broker that is the controller registers again after a second expired session",
		Outcome: incident.Outcome{Verdict: incident.Red, Finding: assertions.Finding{Assertion: "registered with a new session", Subject: "broker-2"},
			Diagnosis: []string{"broker-1 is frozen", "broker-2 is not registered, its process runs", "broker-2 looks like KAFKA-1"}},
		Release: "Kafka 2.1.0", After: 43210 * time.Millisecond, Step: "dropping the link", Message: messageOfB,
		Last: "cut links=broker-2→zk-1, for 12.0 s until 12.1 s before",
		Seed: "7", Folder: "out/evidence/x", Start: "begin with out/evidence/x/README.txt", Again: "make chaos KAFKA=2.1.0", Judge: "make replay DIR=out/histories/x",
		Code: "scenarios/x_test.go:12",
	}
}

func TestAPageSaysWhatAReaderNeeds(t *testing.T) {
	want := `FAILED     A broker that is the controller registers again after a second expired session
           red: not registered with a new session: broker-2; Kafka 2.1.0; after 43.2 s; last step: dropping the link

seen       Timed out after 12.001s.
           after the second expiry
           expected to be registered by a new session, since broker-2 is registered by session 0x100016eb4400005, czxid
           0x8f, created 05:31:44.246, at PLAINTEXT://broker-2:9094 (read by zk-1 at 05:31:44.252), but it is absent:
               broker-2 is absent from ZooKeeper (read by zk-1 at 05:31:50.595)

diagnosis  broker-2 is not registered, its process runs
           broker-2 looks like KAFKA-1
           broker-1 is frozen

faults     none active; the last one before: cut links=broker-2→zk-1, for 12.0 s until 12.1 s before
seed       7
evidence   out/evidence/x
           begin with out/evidence/x/README.txt
again      make chaos KAFKA=2.1.0
judge      make replay DIR=out/histories/x
code       scenarios/x_test.go:12
`
	if got := failureOfB().String(); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func TestAPageKeepsTheKnownBug(t *testing.T) {
	f := failureOfB()
	f.Outcome.Finding.Subject = "the controller"
	f.Outcome.Diagnosis = append(slices.Repeat([]string{"broker-1 waits for what waits for broker-2"}, diagnosisLines), "broker-1 and broker-3 look like KAFKA-1")
	if page := f.String(); !strings.Contains(page, "diagnosis  broker-1 and broker-3 look like KAFKA-1\n") || !strings.Contains(page, "lines more") {
		t.Errorf("the page is\n%s", page)
	}
}

func TestAPageFitsAScreen(t *testing.T) {
	long := strings.Repeat("words and more words of something that goes on and on, ", 60)
	f := failureOfB()
	f.Title, f.Step, f.Message, f.Plan = long[:230], long[:100], strings.Repeat(long+"\n\n", 9), "out/plans/x"
	f.Outcome.Diagnosis = []string{long, long, long}
	f.Active = []string{"blackhole links=" + strings.Repeat("broker-1→zk-1,", 40), long}
	for _, verdict := range []incident.Verdict{incident.Red, incident.Inconclusive, incident.Environment} {
		f.Outcome.Verdict = verdict
		page := strings.Split(strings.TrimSuffix(f.String(), "\n"), "\n")
		if len(page) > Lines {
			t.Errorf("%s: %d lines", verdict, len(page))
		}
		for _, line := range page {
			if n := utf8.RuneCountInString(line); n > Columns && strings.Contains(line, " words") {
				t.Errorf("%s: %d columns: %s", verdict, n, line)
			}
		}
	}
}

func TestOtherVerdictsSayThatTheyAreNoFindings(t *testing.T) {
	f := Failure{Title: "t", Outcome: incident.Outcome{Verdict: incident.Inconclusive}, Message: "inconclusive: no"}
	if page := f.String(); !strings.HasPrefix(page, "UNDECIDED  t\n           inconclusive: says nothing about Kafka") {
		t.Errorf("the page is\n%s", page)
	}
	f.Outcome.Verdict = incident.Environment
	if page := f.String(); !strings.Contains(page, "environment: says nothing about Kafka") || strings.Contains(page, "diagnosis") {
		t.Errorf("the page is\n%s", page)
	}
}

func TestWrapKeepsWordsAndMargins(t *testing.T) {
	for line, want := range map[string]string{
		"":             "",
		"a bb ccc":     "a bb|ccc",
		"  a bb cc":    "  a|  bb|  cc",
		"\tabcdefgh i": "    abcdefgh|    i",
		"→→ →→ →":      "→→ →→|→",
	} {
		if got := strings.Join(wrap(line, 5), "|"); got != want {
			t.Errorf("%q is wrapped as %q, want %q", line, got, want)
		}
	}
}

func TestFaultsAreKnownByTheTime(t *testing.T) {
	var f Faults
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }
	record := func(did, fault string, seconds float64, change func(*faults.Entry)) {
		e := faults.Entry{Did: did, Fault: fault, Begun: at(seconds), Took: time.Second / 2}
		change(&e)
		f.Record(e)
	}
	as := func(*faults.Entry) {}
	record("inject", "cut", 1, as)
	record("prove", "cut", 1, as)
	record("inject", "part", 1, func(e *faults.Entry) { e.Part = true })
	record("inject", "never", 1, func(e *faults.Entry) { e.Err = errors.New("refused") })
	record("heal", "cut", 2, func(e *faults.Entry) { e.Err = errors.New("not yet") })
	record("inject", "hold", 2, as)
	record("heal", "cut", 3, as)
	record("inject", "cut", 5, as) // again
	for seconds, want := range map[float64]string{
		0.5: "[] ", 1.2: "[cut] ", 2.5: "[cut hold] ", 4: "[hold] cut, for 2.5 s until 0.5 s before", 9: "[hold cut] cut, for 2.5 s until 5.5 s before",
	} {
		active, last := f.At(at(seconds))
		if got := fmt.Sprintf("%v %s", active, last); got != want {
			t.Errorf("after %v s: %q, want %q", seconds, got, want)
		}
	}
}

func TestProgressIsALineOrTwo(t *testing.T) {
	p := Progress{Running: 44600 * time.Millisecond, Acked: -1}
	if got, want := p.String(), "  … 45 s, no fault\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p = Progress{Running: 44600 * time.Millisecond, Step: "waiting", InStep: 12 * time.Second, Active: []string{"cut a→b", "pause c"}, Acked: 198.4,
		Waits: "after expiry 1", Read: "last read: it is\nabsent"}
	want := "  … 45 s, for 12 s in \"waiting\", 198 acks/s, cut a→b; pause c\n    waiting: after expiry 1; last read: it is absent\n"
	if got := p.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.Read, p.Step = strings.Repeat("→", 300), strings.Repeat("step ", 300)
	for line := range strings.Lines(p.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > Columns {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

func TestTheSummaryTellsWhatToDo(t *testing.T) {
	got := Summary([]Ran{
		{Title: "A passes", Outcome: incident.Outcome{Verdict: incident.Green}, Took: 12340 * time.Millisecond, Again: "not shown"},
		{Title: "B fails", Outcome: failureOfB().Outcome, Took: time.Minute, Again: "make chaos B"},
		{Title: "C", Outcome: incident.Outcome{Verdict: incident.Environment, Reason: "environment: no\nport", Folder: "out/c"}, Took: time.Second},
	}, 74*time.Second, 7)
	want := `
verdict        seconds  scenario
green             12.3  A passes
red               60.0  B fails
                        finding: registered with a new session of broker-2
                        make chaos B
environment        1.0  C
                        environment: no port
                        out/c

Ran 3 scenarios in 74 s: 1 green, 1 red, 0 inconclusive, 1 environment; seed 7
`
	if got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
}
