package scenarios

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/history/faultmarks"
	"kafkachaos/scenarios/incident"
)

// record is what a scenario leaves: the history of all that happened to faults, of
// all that clients did, and of what was observed, since its cluster was ready. It is the recorder of
// the cluster's rig.
type record struct {
	*faultmarks.Recorder
	history *history.History
	folder  string
	round   int // how many scenarios have had the cluster, this one included

	mu       sync.Mutex
	promised map[string]history.Fault // by the fault's text
	healed   []healedFault            // and not yet recovered from
}

type healedFault struct {
	name string
	step int
}

// begin begins the record of the scenario that runs.
func begin(ctx context.Context, cluster *harness.Cluster, round int) {
	GinkgoHelper()
	title := CurrentSpecReport().FullText()
	r := &record{folder: filepath.Join(outFolder(), "histories", folderName(title, cluster.Run())), round: round,
		promised: map[string]history.Fault{}}
	var err error
	r.history, err = history.Create(filepath.Join(r.folder, history.FileName), history.Header{
		Run: cluster.Run(), Brokers: release(), Workers: workersRelease(), Command: commandOf(title)})
	judge(incident.Environment, err)
	r.Recorder = faultmarks.New(r.history, r.expected)
	cluster.Rig().Recorder = r
	DeferCleanup(r.history.Close) // once more does no harm
	DeferCleanup(cluster.Observe(context.WithoutCancel(ctx), r.history))
}

// recordOf is the record of the scenario that has the cluster.
func recordOf(cluster *harness.Cluster) *record { return cluster.Rig().Recorder.(*record) }

// Promise says what is expected of a fault from now on: that the cluster stays
// available, within which budget, and when it has recovered. The history is
// judged by it.
func Promise(cluster *harness.Cluster, fault faults.Fault, expect history.Fault) faults.Fault {
	r := recordOf(cluster)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.promised[fault.String()] = expect
	return fault
}

func (r *record) expected(fault string) history.Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.promised[fault]
}

// Record implements faults.Recorder. It also marks the brokers that a fault ended
// without a word: what only they had in memory is gone.
func (r *record) Record(entry faults.Entry) {
	if node, killed := strings.CutPrefix(entry.Fault, "kill node="); killed && entry.Did == "inject" && entry.Err == nil {
		r.history.Stopped(node, false)
	}
	r.Recorder.Record(entry)
	if entry.Did == "heal" && entry.Err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.healed = append(r.healed, healedFault{entry.Fault, entry.Step})
	}
}

// recovered marks that the cluster was read to be whole again after its faults.
func (r *record) recovered() {
	r.mu.Lock()
	healed := r.healed
	r.healed = nil
	r.mu.Unlock()
	for _, fault := range healed {
		r.Recovered(fault.name, fault.step)
	}
}

// own is the name of a topic or connector for this scenario alone, on a cluster
// that others may have used before.
func (r *record) own(name string) string {
	if r.round == 1 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, r.round)
}

// end brings the history to its planned end.
func (r *record) end() error {
	r.history.End()
	return r.history.Close()
}

// commandOf is how a scenario is run again.
func commandOf(title string) string {
	return "make chaos KAFKA=" + release() + " FOCUS='" + title + "'"
}
