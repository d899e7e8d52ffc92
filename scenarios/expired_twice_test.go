package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

var _ = Describe("A controller", Label("zookeeper", "session", "controller", "expire", "broker", "broker-zookeeper", "delay", "incident", "F"), func() {
	It("that was expired twice serves", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(1))
		payments := Payments(ctx, cluster)
		broker := cluster.Broker(1)
		before := Read(ctx, broker.Registration)
		epoch := Read(ctx, cluster.Controller)

		// What it sends is late, so that its second session is over before it could
		// register by it.
		late := faults.Delay(sessionTimeout/6, broker.LinksToZooKeeper()...).Upstream()
		twice := faults.ExpireRepeatedly(faults.Node(broker.Name()), 2, sessionTimeout/24)
		During(ctx, cluster, faults.Together(late, twice), nil)

		Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before))
		for range 2 { // one that took up its part and resigns may still serve once
			probe, err := cluster.ProbeController(ctx)
			Expect(err).NotTo(HaveOccurred())
			Soon(ctx, recovery, probe.Read, Serve(SinceEpoch(epoch)))
		}
		expectWhole(ctx, cluster)
		payments.Judged(ctx)
	})
})
