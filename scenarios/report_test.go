package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"kafkachaos/harness/report"
	"kafkachaos/scenarios/incident"
)

// suiteBegan tells the runs in a summary apart.
var suiteBegan = time.Now()

// A line a scenario, as soon as it is over: a run that crashes has told of those
// before. What was filtered out has nothing to tell.
var _ = ReportAfterEach(func(spec SpecReport) {
	if spec.LeafNodeType != types.NodeTypeIt || spec.NumAttempts == 0 {
		return
	}
	if err := os.MkdirAll(outFolder(), 0o755); err != nil {
		fmt.Println("the summary misses a scenario:", err)
		return
	}
	if err := lineOf(spec).Append(outFolder()); err != nil {
		fmt.Println("the summary misses a scenario:", err)
	}
})

// The page, which nobody should miss a verdict for.
var _ = ReportAfterSuite("the page", func(suite Report) {
	if _, err := os.Stat(filepath.Join(outFolder(), report.SummaryName)); err != nil || suite.SuiteConfig.DryRun {
		return
	}
	if err := report.WritePage(outFolder()); err != nil {
		fmt.Println("there is no new page:", err)
		return
	}
	fmt.Println("the report is", filepath.Join(outFolder(), report.PageName))
})

// lineOf is what is kept of the scenario for ever.
func lineOf(spec SpecReport) report.Scenario {
	outcome := outcomeOf(spec)
	line := report.Scenario{
		Date: spec.StartTime, Suite: suiteBegan, Title: spec.FullText(), Labels: spec.Labels(),
		Verdict: verdict(spec.State, outcome.Verdict), Reason: outcome.Reason, Diagnosis: outcome.Diagnosis, FailedAt: spec.Failure.TimelineLocation.Time,
		Kafka: release(), Workers: workersRelease(), Seed: seed(), Attempt: attempt(), Took: report.Seconds(spec.RunTime),
		Evidence: inOut(outcome.Folder), RunAgain: commandOf(spec.FullText()),
	}
	if outcome.Finding.Assertion != "" {
		line.Finding = outcome.Finding.Assertion + " of " + outcome.Finding.Subject
	}
	if boot, err := time.ParseDuration(entry(spec, bootEntry)); err == nil {
		line.Boot = report.Seconds(boot)
	}
	if line.Verdict == report.Skipped {
		line.Reason = strings.Join(strings.Fields(spec.Failure.Message), " ")
	}
	if folder := entry(spec, recordEntry); folder != "" {
		line.Replay = "make replay DIR=" + folder
		line.Measure(outFolder(), inOut(folder))
	}
	return line
}

// verdict is what the summary calls it.
func verdict(state types.SpecState, v incident.Verdict) report.Verdict {
	switch {
	case state.Is(types.SpecStateSkipped | types.SpecStatePending):
		return report.Skipped
	case v == incident.Green:
		return report.Pass
	case v == incident.Inconclusive:
		return report.Inconclusive
	case v == incident.Red:
		return report.Fail
	}
	return report.Environment
}

// inOut is a folder as seen from that of the run.
func inOut(folder string) string {
	if relative, err := filepath.Rel(outFolder(), folder); err == nil && folder != "" {
		return filepath.ToSlash(relative)
	}
	return folder
}

// attempt is how often the suite was run, this time included, see rounds.sh.
func attempt() int {
	n, err := strconv.Atoi(os.Getenv("ATTEMPT"))
	if err != nil {
		return 1
	}
	return n
}
