package incident

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kafkachaos/assertions"
)

const title = "A broker serves again"

// reportOf is ginkgo's report of a suite with one scenario in that state, beside
// one that was skipped.
func reportOf(t *testing.T, state, message string) []byte {
	t.Helper()
	return encode(t, suite{SpecReports: []spec{
		{LeafNodeType: "It", ContainerHierarchyTexts: []string{"Another"}, LeafNodeText: "is left out", State: "skipped"},
		{LeafNodeType: "It", ContainerHierarchyTexts: []string{"A broker"}, LeafNodeText: "serves again", State: state,
			Failure: failure{message}},
	}})
}

func encode(t *testing.T, of suite) []byte {
	t.Helper()
	text, err := json.Marshal([]suite{of})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const (
	found = "Timed out after 12.0s.\nfinding: serves produces of broker-2\nexpected a record to be acknowledged, but it was not"
	other = "Timed out after 12.0s.\nfinding: in sync of the cluster\nexpected every replica to be in sync"
)

func TestJudge(t *testing.T) {
	seen := assertions.Finding{Assertion: "serves produces", Subject: "broker-2"}
	tests := map[string]struct {
		report []byte
		want   Verdict
		find   assertions.Finding
		reason string
	}{
		"passed":                   {reportOf(t, "passed", ""), Green, assertions.Finding{}, ""},
		"failed with a finding":    {reportOf(t, "failed", found), Red, seen, "finding: serves produces"},
		"failed without a finding": {reportOf(t, "failed", "expected\n  1\nto equal\n  2"), Red, assertions.Finding{}, "expected 1 to equal 2"},
		"no cluster":               {reportOf(t, "failed", "environment: start a cluster: port taken"), Environment, assertions.Finding{}, "port taken"},
		"no fault":                 {reportOf(t, "failed", "inconclusive: the fault cut: not seen"), Inconclusive, assertions.Finding{}, "not seen"},
		"a premise with a finding inside is none": {reportOf(t, "failed", "inconclusive: "+found), Inconclusive, assertions.Finding{}, "finding"},
		"out of time":     {reportOf(t, "timedout", found), Environment, assertions.Finding{}, "timedout"},
		"panicked":        {reportOf(t, "panicked", "index out of range"), Environment, assertions.Finding{}, "panicked"},
		"interrupted":     {reportOf(t, "interrupted", ""), Environment, assertions.Finding{}, "interrupted"},
		"skipped":         {reportOf(t, "skipped", "tasks can be restarted since 0.10.0.0"), Environment, assertions.Finding{}, "since 0.10.0.0"},
		"pending":         {reportOf(t, "pending", ""), Environment, assertions.Finding{}, "pending"},
		"nothing ran":     {encode(t, suite{SpecialSuiteFailureReasons: []string{"No specs ran"}}), Environment, assertions.Finding{}, "No specs ran"},
		"not compiled":    {encode(t, suite{SpecialSuiteFailureReasons: []string{"Failed to compile"}}), Environment, assertions.Finding{}, "Failed to compile"},
		"no report":       {nil, Environment, assertions.Finding{}, "read the report"},
		"half a report":   {[]byte(`[{"SpecReports":`), Environment, assertions.Finding{}, "read the report"},
		"another's title": {[]byte(strings.ReplaceAll(string(reportOf(t, "passed", "")), "serves again", "serves")), Environment, assertions.Finding{}, "0 scenarios"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := Judge(test.report, title)
			if got.Verdict != test.want || got.Finding != test.find || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("got %+v, want %s, %v, %q", got, test.want, test.find, test.reason)
			}
		})
	}
}

func TestJudgeReadsTheDiagnosis(t *testing.T) {
	said := entry{Name: Diagnosis}
	said.Value.Representation = "broker-2 runs.\nIts thread waits."
	report := encode(t, suite{SpecReports: []spec{{LeafNodeType: "It", ContainerHierarchyTexts: []string{"A broker"},
		LeafNodeText: "serves again", State: "failed", Failure: failure{found}, ReportEntries: []entry{{Name: "evidence"}, said}}}})
	if got := Judge(report, title).Diagnosis; !slices.Equal(got, []string{"broker-2 runs.", "Its thread waits."}) {
		t.Errorf("got %q", got)
	}
}

// sample is an incident that the reports above fit.
func sample() Incident {
	return Incident{ID: "X", Title: "a sample", Scenario: title, Finding: Finding{"serves produces", `broker-\d+`},
		Affected: []Releases{{Brokers: "2.1.1"}}, Cured: []Releases{{Brokers: "2.2.0"}}}
}

func TestFailing(t *testing.T) {
	judged := func(state, message string) Outcome { return Judge(reportOf(t, state, message), title) }
	tests := map[string]struct {
		affected bool
		outcome  Outcome
		want     string // empty if it is as expected
	}{
		"affected, red as expected":    {true, judged("failed", found), ""},
		"affected, red otherwise":      {true, judged("failed", other), "another finding"},
		"affected, red for no finding": {true, judged("failed", "oops"), "without a finding"},
		"affected, green":              {true, judged("passed", ""), "was to fail"},
		"affected, inconclusive":       {true, judged("failed", "inconclusive: no fault"), "says nothing"},
		"affected, environment":        {true, judged("failed", "environment: no engine"), "says nothing"},
		"cured, green":                 {false, judged("passed", ""), ""},
		"cured, red":                   {false, judged("failed", found), "was to pass"},
		"cured, inconclusive":          {false, judged("failed", "inconclusive: no fault"), "says nothing"},
		"cured, nothing ran":           {false, Judge(encode(t, suite{}), title), "says nothing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := sample().Failing(test.affected, test.outcome)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
