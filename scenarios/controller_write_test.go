package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// inFlight is how long a reply of ZooKeeper is under way: twenty times what a
// busy machine takes to cut the link once the write was executed, and a twelfth
// of the session time-out, so that no session expires by it.
const inFlight = sessionTimeout / 12

// few is as much traffic as a history of this scenario needs, which is kept: some
// seconds of it.
const few = 20

// reassignments is where a reassignment is ordered. Every release with ZooKeeper
// obeys it, and its controller deletes it as the last write of many.
const reassignments = "/admin/reassign_partitions"

var _ = Describe("A broker that is the controller", Label("zookeeper", "session", "controller", "cut", "reassign", "broker", "broker-zookeeper", "delay", "slow", "incident", "B", "core"), func() {
	It("registers again after a second expired session, with a write in flight when its link dropped",
		SpecTimeout(3*time.Minute), func(ctx SpecContext) {
			cluster := Start(ctx, topology.Brokers(3))
			orders := Orders(ctx, cluster, []int{1, 2, 3})
			orders.Send(ctx, 10)
			payments := Traffic(ctx, cluster, history.Topic{Name: "payments", MinInSync: 2}, spread(cluster, 3),
				history.Terms{Before: few, After: few}, workload.Producer{Rate: 10},
				workload.Producer{Kind: workload.AcksAll, Rate: 5}, workload.Consumer{Group: "readers"}, workload.Consumer{})
			payments.Flow(ctx, few)
			registers := history.Fault{Recovery: recovery} // and a broker that leads on is found meanwhile

			By("letting the controller's session expire once")
			broker := controller(ctx, cluster)
			before := Read(ctx, broker.Registration)
			During(ctx, cluster, Promise(cluster, faults.Blackhole(broker.LinksToZooKeeper()...), registers), func() {
				Premise(ctx, expiry, broker.Registration, Not(BeRegistered()))
			})
			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before), "after the first expiry")
			recordOf(cluster).recovered()
			payments.Flow(ctx, few)

			By("dropping the link of the present controller between a write and its reply")
			broker = controller(ctx, cluster)
			before = Read(ctx, broker.Registration)
			epoch := Read(ctx, cluster.Controller)
			link := broker.LinksToZooKeeper()
			During(ctx, cluster, Promise(cluster, faults.Together(
				faults.Delay(inFlight, link...).Downstream(),
				faults.When(faults.Gone(reassignments), faults.Cut(link...)),
			), registers), func() {
				Expect(cluster.Witness().Admin.Reassign(ctx, orders.topic, 0, []int{2, 3, 1})).To(Succeed())
				// The controller makes some ten round trips until it deletes the order.
				orders.Send(ctx, 10)
				Premise(ctx, expiry+20*inFlight, broker.Registration, Not(BeRegistered()))
			})

			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before), "after the second expiry")
			recordOf(cluster).recovered()
			Expect(Read(ctx, broker.StuckThreads)).To(HaveNoThreadStuck())
			Expect(Read(ctx, cluster.ControllerServes)).To(Serve(SinceEpoch(epoch)))
			Soon(ctx, controllerPatience+recovery, cluster.Replicas, BeInSync())
			orders.Send(ctx, 10)
			Expect(Read(ctx, orders.Stored)).To(HoldEveryRecord())
			expectWhole(ctx, cluster)
			payments.Judged(ctx)
		})
})

// controller is the broker that ZooKeeper names the controller.
func controller(ctx SpecContext, cluster *harness.Cluster) *harness.Broker {
	GinkgoHelper()
	return Read(ctx, cluster.ControllerBroker)
}
