package scenarios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/incident"
)

// traffic is what clients do to a topic of a cluster.
type traffic struct {
	clients *workload.Traffic
	record  *record
}

// Traffic starts clients on the topic, which it makes with these replicas for
// each partition. All that they do goes into the scenario's history, which is
// judged at their Stop: by what the configuration promises, and by the terms.
func Traffic(ctx context.Context, cluster *harness.Cluster, topic history.Topic, replicas [][]int, terms history.Terms, clients ...workload.Option) *traffic {
	GinkgoHelper()
	t := &traffic{record: recordOf(cluster)}
	topic.Name = t.record.own(topic.Name)
	config := map[string]string{"min.insync.replicas": strconv.Itoa(topic.MinInSync)}
	if topic.Unclean {
		config["unclean.leader.election.enable"] = "true"
	}
	makeTopic(ctx, cluster, topic.Name, replicas, config)
	topic.Partitions, topic.Replicas = len(replicas), len(replicas[0])
	t.record.history.Terms(terms)
	var err error
	t.clients, err = workload.Start(ctx, workload.Target{Run: cluster.Run(), Brokers: cluster.Addresses(topology.Broker),
		Dial: cluster.Dialer(harness.OnFaulted), Witness: cluster.Dialer(harness.OnWitness),
		Version: topology.MustVersion(release())}, t.record.history, topic, clients...)
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
	folder := t.record.folder
	By("judging the history in " + folder)
	summary, err := t.clients.Stop(ctx)
	GinkgoWriter.Println(summary)
	judge(incident.Environment, errors.Join(err, t.record.end()), "ending the traffic")
	report, err := invariant.Replay(folder)
	judge(incident.Environment, err, "judging the history")
	judge(incident.Environment, os.WriteFile(filepath.Join(folder, invariant.VerdictName), []byte(report.String()), 0o600))
	GinkgoWriter.Print(report)
	AddReportEntry("history", folder+"; judge it again with make replay DIR="+folder, ReportEntryVisibilityFailureOrVerbose)
	return report
}
