package incident

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is a suite that a shell plays: it is given the report's path last but
// three.
func program(t *testing.T, script string) Suite {
	t.Helper()
	file := filepath.Join(t.TempDir(), "suite")
	head := "#!/bin/sh\nfor a; do case $a in -ginkgo.json-report=*) report=${a#*=};; esac; done\n"
	if err := os.WriteFile(file, []byte(head+script), 0o755); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	return Suite{Program: file, Folder: t.TempDir()}
}

func TestSuiteRun(t *testing.T) {
	recorded := filepath.Join(t.TempDir(), "recorded.json")
	if err := os.WriteFile(recorded, reportOf(t, "failed", found), 0o600); err != nil {
		t.Fatal(err)
	}
	passed := filepath.Join(t.TempDir(), "passed.json")
	if err := os.WriteFile(passed, reportOf(t, "passed", ""), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		script string
		want   Verdict
		reason string
	}{
		"red":                     {"cp " + recorded + " $report; exit 1", Red, "finding"},
		"green":                   {"cp " + passed + " $report", Green, ""},
		"green, but it failed":    {"cp " + passed + " $report; exit 1", Environment, "the run failed"},
		"no report":               {"exit 2", Environment, "left no report"},
		"asked for that release":  {`[ "$KAFKA/$WORKERS" = 3.9.2/3.6.0 ] && [ -z "$PLAN$KEEP" ] && cp ` + passed + " $report", Green, ""},
		"asked for that scenario": {`case "$*" in *"-ginkgo.focus=A broker serves again\$"*) cp ` + passed + " $report;; esac", Green, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := program(t, test.script).Run(t.Context(), sample(), Releases{"3.9.2", "3.6.0"}, filepath.Join(t.TempDir(), "run"))
			if got.Verdict != test.want || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("got %+v, want %s, %q", got, test.want, test.reason)
			}
		})
	}
}

func TestSuiteThatTakesTooLong(t *testing.T) {
	suite := program(t, "trap 'exit 1' INT; sleep 20 & wait")
	suite.Bound = 300 * time.Millisecond
	began := time.Now()
	got := suite.Run(t.Context(), sample(), Releases{Brokers: "2.1.1"}, filepath.Join(t.TempDir(), "run"))
	if got.Verdict != Environment || !strings.Contains(got.Reason, "ended after 300ms") || time.Since(began) > 10*time.Second {
		t.Errorf("got %+v after %v", got, time.Since(began))
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	got := Suite{Program: "/no/such/program"}.Run(context.Background(), sample(), Releases{Brokers: "2.1.1"}, filepath.Join(t.TempDir(), "run"))
	if got.Verdict != Environment {
		t.Errorf("got %+v", got)
	}
}
