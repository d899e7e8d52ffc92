package scenarios

import (
	"context"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/incident"
)

// traffic is what clients do to a topic of a cluster.
type traffic struct {
	cluster *harness.Cluster
	clients *workload.Traffic
	record  *record
}

// Traffic starts clients on the topic, which it makes with these replicas for
// each partition. All that they do goes into the scenario's history, which is
// judged at their Stop: by what the configuration promises, and by the terms.
func Traffic(ctx context.Context, cluster *harness.Cluster, topic history.Topic, replicas [][]int, terms history.Terms, clients ...workload.Option) *traffic {
	GinkgoHelper()
	return trafficOn(ctx, cluster, harness.OnFaulted, topic, replicas, terms, clients...)
}

// trafficOn is Traffic whose clients take the way of that plane.
func trafficOn(ctx context.Context, cluster *harness.Cluster, plane harness.Plane, topic history.Topic, replicas [][]int, terms history.Terms,
	clients ...workload.Option) *traffic {
	GinkgoHelper()
	t := &traffic{cluster: cluster, record: recordOf(cluster)}
	t.record.trafficked = true
	topic.Name = t.record.own(topic.Name)
	config := map[string]string{"min.insync.replicas": strconv.Itoa(topic.MinInSync),
		"unclean.leader.election.enable": strconv.FormatBool(topic.Unclean)} // true by default before 0.11
	makeTopic(ctx, cluster, topic.Name, replicas, config)
	topic.Partitions, topic.Replicas = len(replicas), len(replicas[0])
	t.record.history.Terms(terms)
	var err error
	t.clients, err = workload.Start(ctx, workload.Target{Run: cluster.Run(), Brokers: cluster.Addresses(topology.Broker),
		Dial: cluster.Dialer(plane), Witness: cluster.Dialer(harness.OnWitness),
		Version: topology.MustVersion(release())}, t.record.history, topic, clients...)
	judge(incident.Environment, err)
	onStage.Load().carry(t.clients)
	DeferCleanup(func(ctx context.Context) { _, _ = t.clients.Stop(ctx) }) // again, if it was judged
	return t
}

// Flow waits until so many more records have been acknowledged: a premise until the
// first fault, and expected of the cluster from then on.
func (t *traffic) Flow(ctx context.Context, count int64) {
	GinkgoHelper()
	await := Premise[state.Acknowledged]
	if t.record.struck.Load() {
		await = Soon[state.Acknowledged]
	}
	await(ctx, recovery, t.acknowledged, HaveAcknowledged(t.clients.Summary().Acked+count))
}

// GroupGoesOn expects that the group of readers commits again within the bound.
func (t *traffic) GroupGoesOn(ctx context.Context, within time.Duration) {
	GinkgoHelper()
	want := t.clients.Summary().Stores + 1
	Soon(ctx, within, func(context.Context) (int64, error) { return t.clients.Summary().Stores, nil }, BeNumerically(">=", want), "commits of offsets")
}

// unsure reads how many requests to produce were written and not answered.
func (t *traffic) unsure(context.Context) (int64, error) { return t.clients.Summary().Unsure, nil }

func (t *traffic) acknowledged(context.Context) (state.Acknowledged, error) {
	return state.Acknowledged{Source: state.Source{By: "the clients", At: time.Now()},
		Topic: t.topic(), Records: t.clients.Summary().Acked}, nil
}

// Try waits until so many more records have been sent, whatever became of them.
func (t *traffic) Try(ctx context.Context, count int64) {
	GinkgoHelper()
	want := t.clients.Summary().Sent + count
	Premise(ctx, recovery, func(context.Context) (int64, error) { return t.clients.Summary().Sent, nil },
		BeNumerically(">=", want), "records sent")
}

// Stop stops the clients, reads everything a last time, and judges the history.
// What is missing then is looked for in the log segments on disk, which the
// history tells, too.
func (t *traffic) Stop(ctx context.Context) invariant.Report {
	GinkgoHelper()
	By("judging the history in " + t.record.folder)
	summary, err := t.clients.Stop(ctx)
	GinkgoWriter.Println(summary)
	judge(incident.Environment, err, "ending the traffic")
	judge(incident.Environment, t.lookOnDisk(ctx), "looking for records on disk")
	report, err := t.record.judged()
	judge(incident.Environment, err, "judging the history")
	return report
}

// lookOnDisk judges the history as far as it goes, and looks for what that names
// in the segments of every broker that runs.
func (t *traffic) lookOnDisk(ctx context.Context) error {
	r, file, err := history.Open(t.record.folder)
	if err != nil {
		return err
	}
	defer file.Close()
	report, err := invariant.JudgeHistory(r)
	if err != nil {
		return err
	}
	brokers := map[int]workload.Segments{}
	for _, broker := range t.cluster.Brokers() {
		brokers[broker.Name().ID] = broker.Segments
	}
	t.clients.OnDisk(ctx, report.Records(), brokers)
	return nil
}
