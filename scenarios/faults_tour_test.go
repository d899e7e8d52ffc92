package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// kind is one kind of fault, shown on a live cluster.
type kind struct {
	fault  faults.Fault
	since  string              // the first release that has it; empty for all
	before func(SpecContext)   // reads how it was; may be nil
	until  func(SpecContext)   // waits for what it should bring about; may be nil
	after  func(*tour) []phase // more to tell in the table; may be nil
}

// phase is how long something took.
type phase struct {
	what string
	took time.Duration
}

// tour takes kinds of faults over one cluster, one after the other, each proved,
// healed, and waited for until the cluster is whole again. What each took goes
// into a table.
type tour struct {
	cluster *harness.Cluster
	table   strings.Builder

	mu      sync.Mutex // guards what follows
	entries []faults.Entry
}

// beginTour begins on a cluster that nobody has faulted yet.
func beginTour(cluster *harness.Cluster) *tour {
	w := &tour{cluster: cluster}
	recordOf(cluster).also = w
	return w
}

// Record implements faults.Recorder.
func (w *tour) Record(entry faults.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, entry)
}

// took is what the steps of that kind took, since the last kind began.
func (w *tour) took(did string) []phase {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []phase
	for _, entry := range w.entries {
		if entry.Did == did {
			all = append(all, phase{did, entry.Took})
		}
	}
	return all
}

// Over goes over the kinds.
func (w *tour) Over(ctx SpecContext, kinds ...kind) {
	GinkgoHelper()
	for _, k := range kinds {
		if k.since != "" && !topology.MustVersion(release()).AtLeast(k.since) {
			w.say("%-70v skipped: Kafka %s has none, it came with %s", k.fault, release(), k.since)
			continue
		}
		w.forget()
		if k.before != nil {
			k.before(ctx)
		}
		During(ctx, w.cluster, k.fault, k.body(ctx))
		began := time.Now()
		Expect(w.cluster.AwaitWhole(ctx)).To(Succeed(), "whole again after %v", k.fault)
		phases := []phase{w.last("inject"), w.last("prove"), w.last("heal"), w.last("prove healed"), {"whole", time.Since(began)}}
		if k.after != nil {
			phases = append(phases, k.after(w)...)
		}
		w.say("%-70v %v", k.fault, phases)
	}
}

// body is nil where During is to wait until the fault has run its course.
func (k kind) body(ctx SpecContext) func() {
	if k.until == nil {
		return nil
	}
	return func() { k.until(ctx) }
}

// last is the step of the fault itself, which is over after those of its parts.
func (w *tour) last(did string) phase {
	all := w.took(did)
	if len(all) == 0 {
		return phase{what: "no " + did}
	}
	return all[len(all)-1]
}

func (w *tour) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = nil
}

// End audits what is left behind, and hands in the table.
func (w *tour) End(ctx context.Context) {
	GinkgoHelper()
	AddReportEntry("faults on Kafka "+release(), "\n"+w.table.String())
	Expect(faults.Audit(ctx, w.cluster.Rig())).To(Succeed())
}

func (w *tour) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	GinkgoWriter.Println(line)
	w.table.WriteString(line + "\n")
}

func (p phase) String() string {
	return fmt.Sprintf("%s %.1f ms", p.what, float64(p.took.Microseconds())/1000)
}

// longest is the phase that took longest.
func longest(phases []phase) time.Duration {
	var most time.Duration
	for _, p := range phases {
		most = max(most, p.took)
	}
	return most
}

// nodesOf are the names of the nodes.
func nodesOf[N interface{ Name() topology.Node }](handles []N) []topology.Node {
	var names []topology.Node
	for _, handle := range handles {
		names = append(names, handle.Name())
	}
	return slices.Clip(names)
}

// createTopic makes a topic with its only partition on these brokers.
func createTopic(ctx SpecContext, cluster *harness.Cluster, topic string, brokers ...int) {
	GinkgoHelper()
	makeTopic(ctx, cluster, topic, [][]int{brokers}, nil)
}
