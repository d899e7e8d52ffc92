package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"

	"kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/history/faultmarks"
	"kafkachaos/harness/witness"
	"kafkachaos/scenarios/incident"
)

// record is what a scenario leaves: the history of all that happened to faults, of
// all that clients did, and of what was observed, since its cluster was ready. It is
// the recorder of the cluster's rig.
type record struct {
	*faultmarks.Recorder
	history *history.History
	folder  string
	round   int // how many scenarios have had the cluster, this one included

	trafficked bool        // there were clients
	struck     atomic.Bool // there was a fault, or is about to be one
	ended      bool

	also faults.Recorder // is told as well; may be nil

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
	recording.Store(r)
	AddReportEntry(recordEntry, r.folder, ReportEntryVisibilityNever)
	DeferCleanup(r.conclude)
	earlier, err := cluster.Witness().ZooKeeper.Children(ctx, witness.TopicsPath)
	judge(incident.Environment, err)
	DeferCleanup(cluster.Observe(context.WithoutCancel(ctx), r.history, earlier...))
}

// recording is the record of the scenario that runs.
var recording atomic.Pointer[record]

// failing fails a scenario, and has its history say so: what it waited for, if it
// waits for the cluster to be whole again after a fault.
func failing(message string, skip ...int) {
	onStage.Load().fail(message)
	if r := recording.Load(); r != nil {
		why := message
		if finding, found := assertions.ParseFinding(message); found {
			_, why, _ = strings.Cut(message, finding.String())
			why = finding.Assertion + " of " + finding.Subject + ": " + why
		}
		for _, fault := range r.takeHealed() {
			r.Unrecovered(fault.name, fault.step, strings.Join(strings.Fields(why), " "))
		}
	}
	Fail(message, append(skip, 0)[0]+1)
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

// Record implements faults.Recorder.
func (r *record) Record(entry faults.Entry) {
	r.Recorder.Record(entry)
	if r.also != nil {
		r.also.Record(entry)
	}
	onStage.Load().faults.Record(entry)
	if entry.Did == "intend" {
		r.struck.Store(true)
	}
	if entry.Did == "heal" && entry.Err == nil && !entry.Part {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.healed = append(r.healed, healedFault{entry.Fault, entry.Step})
	}
}

// recovered marks that the cluster was read to be whole again after its faults.
func (r *record) recovered() {
	for _, fault := range r.takeHealed() {
		r.Recovered(fault.name, fault.step)
	}
}

func (r *record) takeHealed() []healedFault {
	r.mu.Lock()
	defer r.mu.Unlock()
	healed := r.healed
	r.healed = nil
	return healed
}

// own is the name of a topic or connector for this scenario alone, on a cluster
// that others may have used before.
func (r *record) own(name string) string {
	if r.round == 1 {
		return name
	}
	return fmt.Sprint(name, r.round) // with a dash it would read as a partition or a task
}

// judged ends the history, unless it was ended before, and judges it. The verdict
// is left beside it, for a replay to compare with.
func (r *record) judged() (invariant.Report, error) {
	r.history.End()
	r.ended = true
	if err := r.history.Close(); err != nil {
		return invariant.Report{}, err
	}
	report, err := invariant.Replay(r.folder)
	if err != nil {
		return report, err
	}
	told, _, _ := strings.Cut(report.String(), "\n"+string(invariant.Held)+"\n") // what kept its promises is in the file
	GinkgoWriter.Println(strings.TrimSpace(told))
	AddReportEntry("history", r.folder+"; judge it again with make replay DIR="+r.folder, ReportEntryVisibilityFailureOrVerbose)
	return report, os.WriteFile(filepath.Join(r.folder, invariant.VerdictName), []byte(report.String()), 0o600)
}

// conclude closes the history. That of a scenario that failed before it was judged
// is judged now, once its clients have stopped.
func (r *record) conclude() {
	recording.Store(nil)
	if r.ended || !r.trafficked {
		judge(incident.Environment, r.history.Close(), "recording the history")
		return
	}
	_, err := r.judged()
	judge(incident.Environment, err, "judging the history")
}
