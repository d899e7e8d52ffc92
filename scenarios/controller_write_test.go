package scenarios

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// inFlight is how long a reply of ZooKeeper is under way: twenty times what a
// busy machine takes to cut the link once the write was executed, and a twelfth
// of the session time-out, so that no session expires by it.
const inFlight = sessionTimeout / 12

// controllerPatience is how long a broker waits for the answer to an order that it
// gave a controller. One that stops being the controller forgets what it was
// asked, and replicas that have caught up are out of sync for so long (seen on
// 3.9.2). 30 s by default.
const controllerPatience = sessionTimeout

// reassignments is where a reassignment is ordered. Every release with ZooKeeper
// obeys it, and its controller deletes it as the last write of many.
const reassignments = "/admin/reassign_partitions"

var _ = Describe("A broker that is the controller", Label("zookeeper", "session", "controller", "incident", "B", "core"), func() {
	It("registers again after a second expired session, with a write in flight when its link dropped",
		SpecTimeout(3*time.Minute), func(ctx SpecContext) {
			cluster := Start(ctx, topology.Brokers(3), topology.Configure(topology.Broker,
				"controller.socket.timeout.ms", fmt.Sprint(controllerPatience.Milliseconds())))
			orders := Orders(ctx, cluster, []int{1, 2, 3})
			orders.Send(ctx, 10)

			By("letting the controller's session expire once")
			broker := controller(ctx, cluster)
			before := Read(ctx, broker.Registration)
			During(ctx, cluster, faults.Blackhole(broker.LinksToZooKeeper()...), func() {
				Premise(ctx, expiry, broker.Registration, Not(BeRegistered()))
			})
			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before), "after the first expiry")

			By("dropping the link of the present controller between a write and its reply")
			broker = controller(ctx, cluster)
			before = Read(ctx, broker.Registration)
			epoch := Read(ctx, cluster.Controller)
			link := broker.LinksToZooKeeper()
			During(ctx, cluster, faults.Together(
				faults.Delay(inFlight, link...).Downstream(),
				faults.When(faults.Gone(reassignments), faults.Cut(link...)),
			), func() {
				Expect(cluster.Witness().Admin.Reassign(ctx, orders.topic, 0, []int{2, 3, 1})).To(Succeed())
				// The controller makes some ten round trips until it deletes the order.
				orders.Send(ctx, 10)
				Premise(ctx, expiry+20*inFlight, broker.Registration, Not(BeRegistered()))
			})

			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before), "after the second expiry")
			Expect(Read(ctx, broker.StuckThreads)).To(HaveNoThreadStuck())
			Expect(Read(ctx, cluster.ControllerServes)).To(Serve(SinceEpoch(epoch)))
			Soon(ctx, controllerPatience+recovery, cluster.Replicas, BeInSync())
			orders.Send(ctx, 10)
			Expect(Read(ctx, orders.Stored)).To(HoldEveryRecord())
		})
})

// controller is the broker that ZooKeeper names the controller.
func controller(ctx SpecContext, cluster *harness.Cluster) *harness.Broker {
	GinkgoHelper()
	return Read(ctx, cluster.ControllerBroker)
}
