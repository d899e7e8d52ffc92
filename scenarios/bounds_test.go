package scenarios

import (
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/harness/topology"
)

// What bounds are multiples of stands in the configuration as well.
var _ = Describe("The bounds of scenarios", Label("harness"), func() {
	It("are multiples of what is configured", func() {
		spec := specOf(append([]topology.Option{topology.Workers(1), consumersGiveUpSoon}, replicated...))
		configured := func(node topology.Node, key string) time.Duration {
			ms, err := strconv.Atoi(spec.Config(node)[key])
			Expect(err).NotTo(HaveOccurred(), "%s of %v", key, node)
			return time.Duration(ms) * time.Millisecond
		}
		for _, bound := range []struct {
			of   topology.Node
			key  string
			want time.Duration
		}{
			{topology.Node{Role: topology.ZooKeeper, ID: 1}, "tickTime", tick},
			{brokerNode(1), "zookeeper.session.timeout.ms", sessionTimeout},
			{brokerNode(1), "controller.socket.timeout.ms", controllerPatience},
			{brokerNode(1), "replica.lag.time.max.ms", lag},
			{topology.WorkerNode(1), "session.timeout.ms", workerSession},
			{topology.WorkerNode(1), "consumer.session.timeout.ms", workerSession},
			{topology.WorkerNode(1), "rebalance.timeout.ms", rebalanceTimeout},
		} {
			Expect(configured(bound.of, bound.key)).To(Equal(bound.want), bound.key)
		}
		if workers().IncrementalRebalance() {
			Expect(configured(topology.WorkerNode(1), "scheduled.rebalance.max.delay.ms")).To(Equal(scheduledDelay))
		}
		// Kafka's own is right for this one.
		Expect(spec.Config(topology.WorkerNode(1))).NotTo(HaveKey("task.shutdown.graceful.timeout.ms"))
	})
})
