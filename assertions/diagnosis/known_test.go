package diagnosis

import (
	"regexp"
	"testing"

	"kafkachaos/harness/topology"
)

// Every entry says where it comes from, names only signs that there are, and has
// something to be found by.
func TestWhatIsKnownIsWhole(t *testing.T) {
	jira := regexp.MustCompile(`^(KAFKA-\d+)?$`)
	for _, bug := range known.Bugs {
		if bug.Title == "" || bug.Source == "" || bug.From.IsZero() || len(bug.Cured) == 0 || len(bug.Signs) == 0 || !jira.MatchString(bug.JIRA) {
			t.Errorf("entry is not whole: %+v", bug)
		}
		if bug.Role != topology.Broker && bug.Role != topology.Worker {
			t.Errorf("%v: role %q", bug, bug.Role)
		}
		for i := range bug.Cured[1:] {
			if !bug.Cured[i].Before(bug.Cured[i+1]) {
				t.Errorf("%v: cured releases are not in order", bug)
			}
		}
		for _, sign := range bug.Signs {
			if signs[sign.Sign] == nil {
				t.Errorf("%v: there is no sign %q", bug, sign.Sign)
			}
		}
	}
	for _, wait := range known.Waits {
		if wait.Frame == "" || wait.Source == "" || (wait.For == "") == (wait.Thread == "") {
			t.Errorf("entry is not whole: %+v", wait)
		}
	}
	if len(known.Bugs) < 6 || len(known.Waits) < 2 {
		t.Errorf("%d bugs and %d waits are known", len(known.Bugs), len(known.Waits))
	}
}

func TestReleasesThatMayHaveABug(t *testing.T) {
	bug := Bug{From: topology.MustVersion("2.3.0"), Cured: []topology.Version{topology.MustVersion("3.5.2"), topology.MustVersion("3.6.1")}}
	for release, want := range map[string]bool{
		"2.2.2": false, "2.3.0": true, "3.4.1": true, "3.5.1": true, "3.5.2": false, "3.6.0": true, "3.6.1": false, "3.7.0": false, "3.9.2": false,
	} {
		if got := bug.Affects(topology.MustVersion(release)); got != want {
			t.Errorf("%s: %v", release, got)
		}
	}
	if !bug.Affects(topology.Version{}) {
		t.Error("an unknown release may have it")
	}
	old := Bug{From: topology.MustVersion("0.9.0.0"), Cured: []topology.Version{topology.MustVersion("0.10.0.0")}}
	if !old.Affects(topology.MustVersion("0.9.0.1")) || old.Affects(topology.MustVersion("0.10.0.0")) {
		t.Error("releases of four numbers are told apart")
	}
}
