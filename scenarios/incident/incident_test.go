package incident

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kafkachaos/assertions"
)

func TestEveryIncidentIsSound(t *testing.T) {
	ids := map[string]bool{}
	for _, incident := range All() {
		if err := incident.Check(); err != nil {
			t.Error(err)
		}
		if ids[incident.ID] || len(incident.References) == 0 {
			t.Errorf("incident %s is there twice, or has no references", incident.ID)
		}
		ids[incident.ID] = true
	}
}

// TestEveryIncidentHasItsScenario reads the sources of the scenarios: a title
// that was changed there must be changed here.
func TestEveryIncidentHasItsScenario(t *testing.T) {
	files, err := filepath.Glob("../*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	var sources strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(text)
	}
	for _, incident := range All() {
		if !hasTitle(sources.String(), incident.Scenario) {
			t.Errorf("incident %s: no scenario has the title %q", incident.ID, incident.Scenario)
		}
	}
	for _, one := range others {
		if !hasTitle(sources.String(), one.Scenario) {
			t.Errorf("%s: no scenario has the title %q", one.Bug, one.Scenario)
		}
	}
	if hasTitle(sources.String(), "A worker flies") {
		t.Error("a title is found that is not there")
	}
}

// hasTitle finds a Describe and an It that make the title together, or a Describe, a
// DescribeTable and an Entry.
func hasTitle(source, title string) bool {
	return composed(source, title, "Describe", "It") || composed(source, title, "Describe", "DescribeTable", "Entry")
}

func composed(source, title, first string, others ...string) bool {
	if len(others) == 0 {
		return strings.Contains(source, first+`("`+title+`"`)
	}
	for at, letter := range title {
		if letter == ' ' && composed(source, title[:at], first) && composed(source, title[at+1:], others[0], others[1:]...) {
			return true
		}
	}
	return false
}

func TestChoose(t *testing.T) {
	tests := map[string]struct{ ids, want, err string }{
		"all":          {"", "A B C D E F G H", ""},
		"one":          {"B", "B", ""},
		"in order":     {"C,A", "C A", ""},
		"with blanks":  {" a , B ", "A B", ""},
		"once":         {"A,A", "A", ""},
		"unknown":      {"A,Z", "", `there is no incident "Z", only A, B, C, D, E, F, G`},
		"nothing said": {"A,", "", `there is no incident ""`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			chosen, err := Choose(All(), test.ids)
			var got []string
			for _, one := range chosen {
				got = append(got, one.ID)
			}
			if strings.Join(got, " ") != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %q, %v; want %q, %q", got, err, test.want, test.err)
			}
		})
	}
}

func TestFindingMatchesTheWholeSubject(t *testing.T) {
	expected := Finding{"alive", `worker-\d`}
	for subject, want := range map[string]bool{"worker-1": true, "worker-10": false, "the worker-1": false} {
		if got := expected.Matches(assertions.Finding{Assertion: "alive", Subject: subject}); got != want {
			t.Errorf("%s matches: %t", subject, got)
		}
	}
}

func TestKnown(t *testing.T) {
	const survives = "A worker survives a rebalance while its sink cannot commit"
	for _, test := range []struct {
		scenario string
		releases Releases
		bug      string
	}{
		{survives, Releases{Brokers: "0.9.0.0"}, "incident A, see make incidents ID=A"},
		{survives, Releases{Brokers: "0.9.0.0", Workers: "0.9.0.0"}, "incident A, see make incidents ID=A"},
		{survives, Releases{Brokers: "0.9.0.0", Workers: "0.10.0.0"}, ""},
		{survives, Releases{Brokers: "3.9.2"}, ""},
		{others[0].Scenario, Releases{Brokers: others[0].Release, Workers: "3.9.2"}, others[0].Bug + ", see docs/releases.md"},
		{others[0].Scenario, Releases{Brokers: "3.9.2"}, ""},
		{topicsLead, Releases{Brokers: "0.10.2.1"}, "KAFKA-7824, see docs/releases.md"},
		{topicsLead, Releases{Brokers: "3.9.2", Workers: "0.10.2.1"}, "KAFKA-7824, see docs/releases.md"},
		{topicsLead, Releases{Brokers: "0.10.2.1", Workers: "3.9.2"}, ""},
	} {
		if bug, known := Known(test.scenario, test.releases); bug != test.bug || known != (bug != "") {
			t.Errorf("%q on %v: %q, want %q", test.scenario, test.releases, bug, test.bug)
		}
	}
}
