package scenarios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/assertions/invariant"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/history/faultmarks"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/incident"
)

// traffic is what clients do to a topic of a cluster, with its history.
type traffic struct {
	clients *workload.Traffic
	history *history.History
	folder  string
}

// Traffic starts clients on the topic, which it makes with these replicas for
// each partition. All that they do and all that happens to faults from now on
// goes into a history, which is judged at their Stop: by what the configuration
// promises, and by the terms.
func Traffic(ctx context.Context, cluster *harness.Cluster, topic history.Topic, replicas [][]int, terms history.Terms, clients ...workload.Option) *traffic {
	GinkgoHelper()
	makeTopic(ctx, cluster, topic.Name, replicas, map[string]string{"min.insync.replicas": strconv.Itoa(topic.MinInSync)})
	topic.Partitions, topic.Replicas = len(replicas), len(replicas[0])
	t := &traffic{folder: filepath.Join(outFolder(), "histories", cluster.Run())}
	var err error
	t.history, err = history.Create(filepath.Join(t.folder, history.FileName), history.Header{
		Run: cluster.Run(), Brokers: release(), Workers: workersRelease(), Command: commandOf(CurrentSpecReport().FullText())})
	judge(incident.Environment, err)
	DeferCleanup(func() { _ = t.history.Close() }) // again, if it was judged
	t.history.Terms(terms)
	cluster.Rig().Recorder = &stops{Recorder: faultmarks.New(t.history, nil), history: t.history}
	t.clients, err = workload.Start(ctx, workload.Target{Run: cluster.Run(), Brokers: cluster.Addresses(topology.Broker),
		Dial: cluster.Dialer(harness.OnFaulted), Witness: cluster.Dialer(harness.OnWitness),
		Version: topology.MustVersion(release())}, t.history, topic, clients...)
	judge(incident.Environment, err)
	DeferCleanup(func(ctx context.Context) { _, _ = t.clients.Stop(ctx) }) // again, if it was judged
	return t
}

// Flow waits until so many more records have been acknowledged.
func (t *traffic) Flow(ctx context.Context, count int64) {
	GinkgoHelper()
	want := t.clients.Summary().Acked + count
	Premise(ctx, recovery, func(context.Context) (int64, error) { return t.clients.Summary().Acked, nil },
		BeNumerically(">=", want), "records acknowledged")
}

// Stop stops the clients, reads everything a last time, and judges the history.
// The verdict is left beside it, for a replay to compare with.
func (t *traffic) Stop(ctx context.Context) invariant.Report {
	GinkgoHelper()
	By("judging the history in " + t.folder)
	summary, err := t.clients.Stop(ctx)
	GinkgoWriter.Println(summary)
	t.history.End()
	judge(incident.Environment, errors.Join(err, t.history.Close()), "ending the traffic")
	report, err := invariant.Replay(t.folder)
	judge(incident.Environment, err, "judging the history")
	judge(incident.Environment, os.WriteFile(filepath.Join(t.folder, invariant.VerdictName), []byte(report.String()), 0o600))
	GinkgoWriter.Print(report)
	AddReportEntry("history", t.folder+"; judge it again with make replay DIR="+t.folder, ReportEntryVisibilityFailureOrVerbose)
	return report
}

// stops also marks the brokers that a fault ended without a word: what only they
// had in memory is gone.
type stops struct {
	faults.Recorder
	history *history.History
}

// Record implements faults.Recorder.
func (s *stops) Record(entry faults.Entry) {
	if node, killed := strings.CutPrefix(entry.Fault, "kill node="); killed && entry.Did == "inject" && entry.Err == nil {
		s.history.Stopped(node, false)
	}
	s.Recorder.Record(entry)
}

// commandOf is how a scenario is run again.
func commandOf(title string) string {
	return "make chaos KAFKA=" + release() + " FOCUS='" + title + "'"
}
