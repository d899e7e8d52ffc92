package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

var _ = Describe("A broker that leads", Label("replication", "kill", "traffic"), func() {
	It("loses no acknowledged record when it is killed", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3))
		orders := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 2}, [][]int{{1, 2, 3}, {2, 3, 1}},
			history.Terms{Before: 100, After: 100},
			workload.Producer{Rate: 500}, workload.Producer{Kind: workload.AcksAll, Rate: 100}, workload.Consumer{Group: "readers"}, workload.Consumer{})
		orders.Flow(ctx, 500)

		During(ctx, cluster, faults.Kill(faults.Node(topology.BrokerNode(1))), func() { orders.Flow(ctx, 500) })
		orders.Flow(ctx, 500)
		expectWhole(ctx, cluster)

		report := orders.Stop(ctx)
		Expect(report).To(KeepEveryPromise())
		Expect(report).To(LoseNoAck())
	})
})
