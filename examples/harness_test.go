package mychaos

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kafkachaos/assertions/diagnosis"
	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/history/faultmarks"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// start starts a cluster for the test, and leaves nothing of it. Of a test that
// failed it says what is wrong with the cluster and keeps the evidence.
func start(ctx context.Context, t *testing.T, options ...topology.Option) *harness.Cluster {
	t.Helper()
	spec, err := topology.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := harness.Start(ctx, spec)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		if t.Failed() {
			symptoms := cluster.Symptoms(ctx)
			t.Log(strings.Join(diagnosis.Of(symptoms), "\n"))
			folder := filepath.Join("out", cluster.Run(), "evidence")
			t.Log("evidence in", folder, cluster.Evidence(ctx, folder, symptoms))
		}
		if err := cluster.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// run is what is recorded of a test.
type run struct {
	history *history.History
	folder  string
}

// record records in a history what is done to the cluster and what is observed.
func record(t *testing.T, cluster *harness.Cluster) *run {
	t.Helper()
	r := &run{folder: filepath.Join("out", cluster.Run())}
	var err error
	r.history, err = history.Create(filepath.Join(r.folder, history.FileName), history.Header{
		Run: cluster.Run(), Brokers: cluster.Spec().Version(topology.Broker).String(),
		Workers: cluster.Spec().Version(topology.Worker).String()})
	if err != nil {
		t.Fatal(err)
	}
	r.history.Terms(history.Terms{Before: 50, During: 50, After: 50})
	// Faults of workers are none of the producers' business.
	cluster.Rig().Recorder = faultmarks.New(r.history, func(string) history.Fault { return history.Fault{Available: true} })
	t.Cleanup(func() { _ = r.history.Close() }) // again, if it was judged
	t.Cleanup(cluster.Observe(context.WithoutCancel(t.Context()), r.history))
	return r
}

// judge ends the history and judges it. It can be judged again without a cluster.
func judge(t *testing.T, run *run) invariant.Report {
	t.Helper()
	run.history.End()
	report, err := invariant.Report{}, run.history.Close()
	if err == nil {
		report, err = invariant.Replay(run.folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// matcher judges one reading. Those of package assertions are such.
type matcher interface {
	Match(actual any) (bool, error)
	FailureMessage(actual any) string
}

// eventually waits until the reading satisfies the matcher, within the bound.
func eventually[T any](ctx context.Context, t *testing.T, within time.Duration, read func(context.Context) (T, error), m matcher) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ticks := time.NewTicker(200 * time.Millisecond)
	defer ticks.Stop()
	last := errors.New("nothing was read")
	for {
		reading, err := read(ctx)
		if err == nil {
			var ok bool
			if ok, err = m.Match(reading); ok {
				return
			}
			if err == nil {
				err = errors.New(m.FailureMessage(reading))
			}
		}
		if ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %v: %v", within, last)
		case <-ticks.C:
		}
	}
}

// flow waits until so many more records are acknowledged.
func flow(ctx context.Context, t *testing.T, traffic *workload.Traffic, count int64) {
	t.Helper()
	want := traffic.Summary().Acked + count
	eventually(ctx, t, time.Minute, func(context.Context) (int64, error) { return traffic.Summary().Acked, nil }, atLeast(want))
}

type atLeast int64

func (a atLeast) Match(actual any) (bool, error) { return actual.(int64) >= int64(a), nil }
func (a atLeast) FailureMessage(actual any) string {
	return fmt.Sprintf("%d records are acknowledged, want %d", actual, a)
}
