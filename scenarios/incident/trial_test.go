package incident

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"kafkachaos/assertions"
)

// asKafka is what healthy scenarios say of a bug that 2.1.1 has and 2.2.0 has not.
func asKafka(_ context.Context, _ Incident, on Releases, _ int) Outcome {
	if on.Brokers == "2.1.1" {
		return Outcome{Verdict: Red, Finding: assertions.Finding{Assertion: "serves produces", Subject: "broker-2"}, Reason: "it was not"}
	}
	return Outcome{Verdict: Green}
}

func trial(times int, run Run, out, lines io.Writer) Trial {
	clock := time.Unix(0, 0)
	return Trial{Times: times, Run: run, Out: out, Lines: lines, Now: func() time.Time {
		clock = clock.Add(20 * time.Second)
		return clock
	}}
}

func TestTrialOfASoundIncident(t *testing.T) {
	var out, lines bytes.Buffer
	if err := trial(3, asKafka, &out, &lines).Try(t.Context(), sample()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"X 2.1.1", "serves produces of broker-2", "3 of 3", "20 (20 to 20)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	decoder := json.NewDecoder(&lines)
	count := 0
	for {
		var run record
		if err := decoder.Decode(&run); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if count++; run.Wrong != "" || run.Seconds != 20 || run.Expected != run.Seen {
			t.Errorf("run %+v", run)
		}
	}
	if count != 6 {
		t.Errorf("%d lines, want 6", count)
	}
}

func TestARunTellsWhatWasWrongAndWhereToLook(t *testing.T) {
	var out bytes.Buffer
	run := func(context.Context, Incident, Releases, int) Outcome {
		return Outcome{Verdict: Red, Reason: "oops", Diagnosis: []string{"broker-2 runs"}, Folder: "out/X-1"}
	}
	_ = trial(1, run, &out, io.Discard).Try(t.Context(), sample()) // it fails, as the table says
	for _, want := range []string{"  broker-2 runs\n", "not as expected: red without a finding: oops", "are in out/X-1\n", "0 of 1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestBrokenEntriesFail: an entry that expects what is not so must not pass.
func TestBrokenEntriesFail(t *testing.T) {
	always := func(outcome Outcome) Run {
		return func(context.Context, Incident, Releases, int) Outcome { return outcome }
	}
	tests := map[string]struct {
		change func(*Incident)
		run    Run
		want   string
	}{
		"another assertion":             {func(i *Incident) { i.Finding.Assertion = "in sync" }, asKafka, `another finding than "in sync of`},
		"another node":                  {func(i *Incident) { i.Finding.Subject = "broker-1" }, asKafka, "another finding"},
		"a part of the name":            {func(i *Incident) { i.Finding.Subject = "broker" }, asKafka, "another finding"},
		"the bug is absent":             {func(i *Incident) { i.Affected[0].Brokers = "2.0.1" }, asKafka, "X on 2.0.1, run 1: green, but this release was to fail"},
		"the cure is none":              {func(i *Incident) { i.Cured[0].Brokers = "2.1.1" }, asKafka, "was to pass"},
		"a version that is none":        {func(i *Incident) { i.Cured[0].Brokers = "two" }, asKafka, "incident X"},
		"no affected release":           {func(i *Incident) { i.Affected = nil }, asKafka, "want affected and cured releases"},
		"no scenario":                   {func(i *Incident) { i.Scenario = "" }, asKafka, "want id, title, scenario"},
		"a subject that is no pattern":  {func(i *Incident) { i.Finding.Subject = "(" }, asKafka, "subject of its finding"},
		"containers that did not start": {func(*Incident) {}, always(nothing("start a cluster: port taken")), "port taken"},
		"a scenario that is not there":  {func(*Incident) {}, always(Judge([]byte("[]"), title)), "0 scenarios have the title"},
		"faults without effect":         {func(*Incident) {}, always(Outcome{Verdict: Inconclusive, Reason: "no fault"}), "no fault"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			broken := sample()
			test.change(&broken)
			err := trial(1, test.run, io.Discard, io.Discard).Try(t.Context(), broken)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestTrialRefusesLessThanOneRun(t *testing.T) {
	if err := trial(0, asKafka, io.Discard, io.Discard).Try(t.Context(), sample()); err == nil || !strings.Contains(err.Error(), "0 times") {
		t.Errorf("got %v", err)
	}
}

func TestTrialThatIsInterruptedFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	run := func(context.Context, Incident, Releases, int) Outcome {
		if runs++; runs == 2 {
			cancel()
		}
		return asKafka(ctx, Incident{}, Releases{Brokers: "2.1.1"}, 1)
	}
	err := trial(5, run, io.Discard, io.Discard).Try(ctx, sample())
	if !errors.Is(err, context.Canceled) || runs != 2 {
		t.Errorf("got %v after %d runs", err, runs)
	}
}

func TestTally(t *testing.T) {
	seen := func(d record) string { return string(d.Seen) }
	for want, runs := range map[string][]record{
		"-":              nil,
		"red":            {{Seen: Red}, {Seen: Red}},
		"red 1":          {{Seen: Red}, {Seen: ""}},
		"red 2, green 1": {{Seen: Red}, {Seen: Green}, {Seen: Red}},
	} {
		if got := tally(runs, seen); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
