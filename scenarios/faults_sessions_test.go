package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

var _ = Describe("Faults of sessions", Label("faults", "session"), func() {
	It("end sessions, in every way that there is", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3))
		createTopic(ctx, cluster, "orders", 2, 3, 1)
		first, second := cluster.Broker(1), cluster.Broker(2)
		slow := faults.Delay(700*time.Millisecond, first.LinksToZooKeeper()...).Upstream()
		walk := beginTour(cluster)

		before := registrations(ctx, cluster)
		walk.Over(ctx,
			kind{fault: faults.Expire(faults.Controller)},
			kind{fault: faults.Expire(faults.LeaderOf("orders", 0))},
			// Slow on the way there, it cannot register between two expiries.
			kind{fault: faults.Together(slow, faults.ExpireRepeatedly(faults.Node(first.Name()), 3, 0))},
			kind{fault: faults.ExpireAll()},
			kind{fault: faults.ExpireWhileBlackholed(faults.Node(second.Name())), until: func(ctx SpecContext) {
				Consistently(ctx, second.Registration).WithTimeout(time.Second).ShouldNot(BeRegistered(), "it cannot know yet")
			}},
			kind{fault: faults.Starve(faults.Node(cluster.Broker(3).Name()))},
		)
		for i, broker := range cluster.Brokers() {
			Expect(Read(ctx, broker.Registration)).To(HaveNewSessionSince(before[i]))
		}

		By("measuring how soon a session is over")
		var took []phase
		for n := range 5 {
			broker := cluster.Brokers()[n%3]
			was := Read(ctx, broker.Registration)
			took = append(took, phase{broker.String(), expireAndSee(ctx, cluster, broker)})
			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(was))
			expectWhole(ctx, cluster) // 2.1.0 forgets replicas when expiries come faster than that
		}
		walk.say("from the call to the ephemeral gone: %v", took)
		Expect(longest(took)).To(BeNumerically("<=", 50*time.Millisecond))
		walk.End(ctx)
	})
})

// expireAndSee is the time from the call of Expire to the moment when ZooKeeper
// told a watch that the registration is gone.
func expireAndSee(ctx SpecContext, cluster *harness.Cluster, broker *harness.Broker) time.Duration {
	GinkgoHelper()
	watching, end := context.WithCancel(ctx)
	defer end()
	changes, err := cluster.Witness().ZooKeeper.Watch(watching, witness.RegistrationPath(broker.Name().ID))
	Expect(err).NotTo(HaveOccurred())
	session := Read(ctx, broker.Registration).Session
	began := time.Now()
	Expect(cluster.Rig().Sessions.Expire(ctx, faults.SessionID(session))).To(Succeed())
	for change := range changes {
		if change.Event == state.ZNodeDeleted {
			return change.Node.At.Sub(began)
		}
	}
	Fail("ZooKeeper did not tell that the registration is gone")
	return 0
}
