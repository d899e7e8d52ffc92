// Command incidents tries the real incidents: each scenario must be red, with
// the expected finding, on the releases that have the bug, and green on those
// where it is cured. It exits with 0 only then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"kafkachaos/harness"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

func main() {
	ids := flag.String("id", "", "the incidents to try, such as A,B; all of them if empty")
	times := flag.Int("n", 1, "how many times on each release")
	out := flag.String("out", filepath.Join("out", "incidents"), "the folder for reports, logs and evidence")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := try(ctx, *ids, *times, *out)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "incidents:", err)
		os.Exit(1)
	}
}

func try(ctx context.Context, ids string, times int, out string) (err error) {
	chosen, err := incident.Choose(incident.All(), ids)
	if err != nil {
		return err
	}
	if times < 1 {
		return fmt.Errorf("try incidents %d times: want once or more", times)
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	suite, err := prepare(ctx, chosen, out)
	if err != nil {
		return fmt.Errorf("%s%w", incident.Environment.Prefix(), err)
	}
	lines, err := os.Create(filepath.Join(out, "runs.jsonl"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lines.Close()) }()
	trial := incident.Trial{Times: times, Out: os.Stdout, Lines: lines, Now: time.Now,
		Run: func(ctx context.Context, i incident.Incident, on incident.Releases, n int) incident.Outcome {
			return suite.Run(ctx, i, on, filepath.Join(out, fmt.Sprintf("%s-%s-%d", i.ID, on.Name(), n)))
		}}
	return trial.Try(ctx, chosen...)
}

// prepare compiles the scenarios and builds the images that are missing.
func prepare(ctx context.Context, chosen []incident.Incident, out string) (incident.Suite, error) {
	var versions []topology.Version
	for _, one := range chosen {
		for _, on := range slices.Concat(one.Affected, one.Cured) {
			more, err := on.Versions()
			if err != nil {
				return incident.Suite{}, err
			}
			versions = append(versions, more...)
		}
	}
	suite, err := incident.Compile(ctx, out)
	if err != nil {
		return suite, err
	}
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	return suite, harness.BuildImages(ctx, say, versions...)
}
