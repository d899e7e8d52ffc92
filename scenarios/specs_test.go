package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/harness/topology"
)

var _ = Describe("A cluster", Label("harness", "spec"), func() {
	It("of the production profile has Kafka's own session time-out", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(1), topology.Workers(1), topology.Use(topology.Production))
		session := Read(ctx, cluster.Broker(1).Registration).Session
		zookeeper := cluster.Witness().ZooKeeper
		view, err := zookeeper.Connections(ctx, zookeeper.Servers()[0])
		Expect(err).NotTo(HaveOccurred())
		want := time.Duration(brokers().SessionOfBrokers()) * time.Second
		Expect(view.All).To(ContainElement(And(
			HaveField("Session", session), HaveField("Timeout", want))), "the broker's session in %v", view)
	})

	It("runs workers of another release than its brokers", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		if !topology.MustVersion(release()).AtLeast("2.1.1") {
			Skip("workers of 2.1.0 are to be older than the brokers, as every broker understands")
		}
		cluster := Start(ctx, topology.Brokers(1), topology.Workers(1), topology.VersionOf(topology.Worker, "2.1.0"))
		worker := cluster.Worker(1).Name()
		view, err := cluster.Witness().Connect.Worker(ctx, worker)
		Expect(err).NotTo(HaveOccurred())
		Expect(view).To(HaveField("Version", "2.1.0"))
		group, err := cluster.ConnectGroup(ctx)
		Expect(err).NotTo(HaveOccurred())
		_, found := group.Member(worker)
		Expect(found).To(BeTrue(), "%v in %v", worker, group)
	})
})
