package incident

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kafkachaos/assertions/invariant"
)

// recorded are histories of real failures, one folder each, with the verdict of the
// run.
const recorded = "../testdata"

// TestRecordedFailuresAreJudgedAsThen: byte for byte, without a cluster.
func TestRecordedFailuresAreJudgedAsThen(t *testing.T) {
	folders, err := os.ReadDir(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		dir := filepath.Join(recorded, folder.Name())
		if _, err := os.Stat(filepath.Join(dir, invariant.VerdictName)); err != nil {
			t.Errorf("there is nothing to compare with: %v", err)
		}
		for range 3 {
			if report, err := invariant.Replay(dir); err != nil {
				t.Errorf("%v\n%v", err, report)
			}
		}
	}
}

// TestTheHistoryOfIncidentBTellsIt: a broker does not come back, which the scenario
// waited for as long as the bound allows; and nothing else is wrong.
func TestTheHistoryOfIncidentBTellsIt(t *testing.T) {
	b, err := Choose(All(), "B")
	if err != nil {
		t.Fatal(err)
	}
	report, err := invariant.Replay(filepath.Join(recorded, "incident-B"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(b[0].Affected, func(r Releases) bool { return r.Brokers == report.Header.Brokers }) {
		t.Errorf("it is of release %s", report.Header.Brokers)
	}
	slow := report.Of(invariant.SlowRecovery)
	if !slices.Equal(report.Broken(), []invariant.Law{invariant.SlowRecovery}) || slow.Violations != 1 {
		t.Fatalf("%v", report)
	}
	if text := slow.Kept[0].Text; !strings.Contains(text, b[0].Finding.Assertion) || !strings.Contains(text, "is absent from ZooKeeper") {
		t.Errorf("it says %s", text)
	}
	if held := report.Of(invariant.Lost); held.Status != invariant.Held || held.Checked < 100 {
		t.Errorf("of loss it says %+v", held)
	}
}
