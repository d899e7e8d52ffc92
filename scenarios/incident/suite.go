package incident

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// Suite is the compiled suite of scenarios.
type Suite struct {
	Program string
	Folder  string        // that it runs in
	Bound   time.Duration // of one run; 0 is runBound
}

// runBound is how long one run may take: three times what it should.
const runBound = 3 * time.Minute

// lastWords is how long an interrupted run may take to clean up.
const lastWords = 45 * time.Second

// Compile compiles the scenarios of the module that the working directory is in
// into the folder, once for all runs.
func Compile(ctx context.Context, into string) (Suite, error) {
	folder, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "kafkachaos/scenarios").Output()
	if err != nil {
		return Suite{}, fmt.Errorf("find the scenarios: %w", withOutput(err, nil))
	}
	suite := Suite{Program: filepath.Join(into, "scenarios.test"), Folder: string(folder[:max(0, len(folder)-1)])}
	output, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", suite.Program, "kafkachaos/scenarios").CombinedOutput()
	if err != nil {
		return Suite{}, fmt.Errorf("compile the scenarios: %w", withOutput(err, output))
	}
	return suite, nil
}

// withOutput adds what the command said, which is the cause.
func withOutput(err error, output []byte) error {
	var exit *exec.ExitError
	if len(output) == 0 && errors.As(err, &exit) {
		output = exit.Stderr
	}
	return fmt.Errorf("%w: %s", err, output)
}

// Run runs the incident's scenario alone on these releases. Report, log and
// evidence go into the folder, which is emptied first. It never asks for retries.
func (s Suite) Run(ctx context.Context, i Incident, on Releases, folder string) Outcome {
	outcome := s.run(ctx, i, on, folder)
	outcome.Folder = folder
	return outcome
}

func (s Suite) run(ctx context.Context, i Incident, on Releases, folder string) Outcome {
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return nothing("make the folder of the run: %v", err)
	}
	log, err := os.Create(filepath.Join(folder, "log.txt"))
	if err != nil {
		return nothing("make the log of the run: %v", err)
	}
	defer log.Close()
	bound := s.Bound
	if bound == 0 {
		bound = runBound
	}
	bounded, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	report := filepath.Join(folder, "report.json")
	run := exec.CommandContext(bounded, s.Program, arguments(i.Scenario, report)...)
	run.Dir, run.Stdout, run.Stderr = s.Folder, log, log
	run.Env = append(os.Environ(), "KAFKA="+on.Brokers, "WORKERS="+on.Workers, "KAFKACHAOS_OUT="+folder, "PLAN=", "KEEP=")
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) } // so that it removes its cluster
	run.WaitDelay = lastWords
	runErr := run.Run()
	if bounded.Err() != nil {
		return nothing("it was ended after %v: %v", bound, bounded.Err())
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nothing("it left no report: %v", errors.Join(runErr, err))
	}
	outcome := Judge(text, i.Scenario)
	if outcome.Verdict == Green && runErr != nil { // the suite failed beside the scenario
		return nothing("the scenario passed, but the run failed: %v", runErr)
	}
	return outcome
}

// arguments run the one scenario of that title and no other.
func arguments(title, report string) []string {
	return []string{"-ginkgo.focus=" + regexp.QuoteMeta(title) + "$", "-ginkgo.json-report=" + report,
		"-ginkgo.v", "-ginkgo.no-color", "-ginkgo.fail-on-empty"}
}
