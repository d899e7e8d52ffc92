package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

var _ = Describe("Traffic of every kind", Label("harness", "traffic", "connect"), func() {
	It("is recorded and judged from end to end", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
		source, sink := fileToFile(cluster)
		load := Load(ctx, cluster, source, sink,
			workload.Producer{Kind: workload.AcksLeader, Rate: 50},
			workload.Producer{Kind: workload.Transactional, Rate: 100, Most: 10, Aborts: 0.5},
			workload.Consumer{Group: "movers", Cooperative: true}, workload.Consumer{Group: "movers", Cooperative: true},
			workload.Consumer{Committed: true}, workload.Administrator{})
		// One after the other, the sink last: a sink that has not joined its group yet when
		// it is to stop for the next rebalance takes a worker of 0.9 with it.
		deploy(ctx, cluster, source.Name, workload.FileSource(source.Name, source.Path, load.topic()), 1)
		deploy(ctx, cluster, sink.Name, workload.FileSink(sink.Name, sink.Path, load.topic(), 1), 2)
		load.Flow(ctx, 2500)

		report := load.Judged(ctx)
		laws := []invariant.Law{invariant.Phantom, invariant.Refused, invariant.Moved, invariant.Conflict, invariant.Backwards, invariant.Skipped,
			invariant.CommitBackwards, invariant.SourceGap, invariant.SinkGap, invariant.SinkDuplicate, invariant.SinkReordered, invariant.TwoOwners}
		if brokers().Idempotence() {
			laws = append(laws, invariant.Duplicate, invariant.Aborted)
			Expect(load.clients.Summary().Commits).To(BeNumerically(">", 0))
			Expect(load.clients.Summary().Aborts).To(BeNumerically(">", 0))
		}
		Expect(report).To(Uphold(laws...))
		ledger := load.clients.Ledger()
		GinkgoWriter.Println(ledger)
		Expect(ledger.Sources).To(HaveEach(Satisfy(workload.Passage.Whole)))
		Expect(ledger.Sources).To(HaveEach(HaveField("In", BeNumerically(">", enough))))
	})
})

// fileToFile is a source that sends the lines of a file to the topic of the
// traffic, and a sink that writes what is on the topic to another file, each file
// on whichever worker runs the task. Both are yet to be deployed.
func fileToFile(cluster *harness.Cluster) (workload.Source, workload.Sink) {
	GinkgoHelper()
	source, sink := recordOf(cluster).own("lines"), recordOf(cluster).own("copies")
	return workload.Source{Name: source, Path: "/tmp/" + source, Append: onAll(cluster), Rate: 40},
		workload.Sink{Name: sink, Path: "/tmp/" + sink, Files: filesOf(cluster)}
}

// connectOf is the first worker, for orders that reach it whatever is done to its
// links.
func connectOf(cluster *harness.Cluster) *workload.Connect {
	GinkgoHelper()
	url, err := cluster.REST(harness.OnWitness, topology.WorkerNode(1))
	Expect(err).NotTo(HaveOccurred())
	return &workload.Connect{URL: url}
}

// Planted, too.
var _ = Describe("A verdict on a sink", Label("harness", "planted", "traffic", "connect"), func() {
	DescribeTable("names the records that it drops", func(ctx SpecContext, config map[string]string, meanwhile func(context.Context, *harness.Cluster, string)) {
		Needs("a transformation that drops records", config == nil || workers().FiltersRecords())
		cluster := Share(ctx, topology.Brokers(3), topology.Workers(1))
		sink := workload.Sink{Name: recordOf(cluster).own("copies"), Files: filesOf(cluster), Every: time.Hour} // so it is read in the end
		sink.Path = "/tmp/" + sink.Name
		source := recordOf(cluster).own("lines") // which the filter lets through
		orders := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 2}, spread(cluster, 1), history.Terms{},
			workload.Producer{Rate: 100}, workload.Source{Name: source, Path: "/tmp/" + source, Append: onAll(cluster), Connect: connectOf(cluster)},
			sink, workload.Patience{Final: redelivery})
		settings := workload.FileSink(sink.Name, sink.Path, orders.topic(), 1)
		for key, value := range config {
			settings[key] = value
		}
		Expect(connectOf(cluster).Put(ctx, sink.Name, settings)).To(Succeed())
		orders.Flow(ctx, 200)
		meanwhile(ctx, cluster, sink.Path)
		orders.Flow(ctx, 200)

		report := orders.Stop(ctx)
		Expect(report.Broken()).To(Equal([]invariant.Law{invariant.SinkGap}))
		gap := report.Of(invariant.SinkGap)
		Expect(gap.Violations).To(BeNumerically("<", gap.Checked), "some came through")
		Expect(gap.Kept).To(HaveEach(HaveField("Text", HavePrefix("it is not in sink "+sink.Name))))
		if config != nil {
			Expect(gap.Kept).To(HaveEach(HaveField("Record", HavePrefix("producer-"))), "lines came through")
		}
	},
		Entry("by a filter", SpecTimeout(2*time.Minute), map[string]string{
			"transforms": "drop", "transforms.drop.type": "org.apache.kafka.connect.transforms.Filter", "transforms.drop.predicate": "produced",
			"predicates": "produced", "predicates.produced.type": "org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
			"predicates.produced.name": workload.SentHeader,
		}, func(context.Context, *harness.Cluster, string) {}),
		Entry("with its file, which somebody empties", SpecTimeout(2*time.Minute), nil, func(ctx context.Context, cluster *harness.Cluster, path string) {
			worker := cluster.Worker(1)
			Premise(ctx, redelivery, func(ctx context.Context) (string, error) { return worker.File(ctx, path) }, Not(BeEmpty()))
			_, err := worker.Exec(ctx, "sh", "-c", `: > "$0"`, path)
			Expect(err).NotTo(HaveOccurred())
		}),
	)
})
