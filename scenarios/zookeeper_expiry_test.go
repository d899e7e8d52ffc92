package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/witness"
)

var _ = Describe("A broker whose session is ended", onBrokers, Label("zookeeper", "session", "broker", "expire"), func() {
	// It learns of that at its next ping, and is back within seconds. The fault lasts
	// until then, though nothing is done any more, so that clients are seen to be served.
	comesBack := history.Fault{Available: true, Budget: replaced, Recovery: whole}

	expectBack := func(ctx SpecContext, fault func(*harness.Broker) faults.Fault) {
		GinkgoHelper()
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		broker := cluster.Broker(1)
		before := Read(ctx, broker.Registration)

		During(ctx, cluster, Promise(cluster, fault(broker), comesBack), func() {
			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before))
		})
		expectWhole(ctx, cluster)
		expectOwned(ctx, cluster)
		load.Judged(ctx)
	}

	It("registers again", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		expectBack(ctx, func(broker *harness.Broker) faults.Fault { return faults.Expire(faults.Node(broker.Name())) })
	})

	It("registers again after expiries faster than it can register", Label("delay", "broker-zookeeper", "incident", "H"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		expectBack(ctx, func(broker *harness.Broker) faults.Fault {
			// What it sends is late, so that each session is over before it could register by
			// it.
			late := faults.Delay(sessionTimeout/6, broker.LinksToZooKeeper()...).Upstream()
			return faults.Together(late, faults.ExpireRepeatedly(faults.Node(broker.Name()), 3, 0))
		})
	})

	It("while it is cut off registers again once it is not", Label("blackhole", "broker-zookeeper"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		broker := cluster.Broker(1)
		before := Read(ctx, broker.Registration)

		During(ctx, cluster, Promise(cluster, faults.ExpireWhileBlackholed(faults.Node(broker.Name())), comesBack), func() {
			Consistently(ctx, broker.Registration).WithTimeout(sessionTimeout/3).ShouldNot(BeRegistered(), "it cannot know yet")
		})
		Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before))
		expectWhole(ctx, cluster)
		expectOwned(ctx, cluster)
		load.Judged(ctx)
	})

	It("at the same time as those of all others registers again", Label("all"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		before := registrations(ctx, cluster)
		epoch := Read(ctx, cluster.Controller)

		// No record need be acknowledged meanwhile: a controller whose session is the last
		// to end takes the others out of those in sync before that (seen on 3.9.2), and
		// one replica is too few until they are back.
		During(ctx, cluster, Promise(cluster, faults.ExpireAll(), history.Fault{Budget: replaced, Recovery: whole}), func() {
			expectNewSessions(ctx, cluster, before)
		})
		expectOneController(ctx, cluster, epoch)
		expectWhole(ctx, cluster)
		expectOwned(ctx, cluster)
		load.Judged(ctx)
	})

	It("registers again if ZooKeeper's answer to that is lost", Label("cut", "broker-zookeeper", "delay"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		broker := cluster.Broker(1)
		before := Read(ctx, broker.Registration)

		// Answers are under way for long enough to cut the link once the node is there.
		link := broker.LinksToZooKeeper()
		lost := faults.Together(faults.Delay(inFlight, link...).Downstream(),
			faults.When(faults.Appears(registrationOf(broker)), faults.Cut(link...)))
		During(ctx, cluster, Promise(cluster, lost, comesBack), func() {
			During(ctx, cluster, faults.Expire(faults.Node(broker.Name())), nil)
			Premise(ctx, recovery, broker.Registration, HaveNewSessionSince(before))
			Premise(ctx, recovery, openSessions(cluster, broker), BeEmpty(), "of a broker that was not answered")
		})
		// The node that it knows nothing of is its own, and has to stay or to be made anew
		// when its session ends.
		expectWhole(ctx, cluster)
		expectOwned(ctx, cluster)
		Consistently(ctx, broker.Registration).WithTimeout(sessionTimeout+2*tick).Should(BeRegistered(), "when an old session would be over")
		load.Judged(ctx)
	})

	It("while it stops ends all the same, and leaves nothing in ZooKeeper", Label("stop"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		broker := cluster.Broker(1)
		before := Read(ctx, broker.Registration)

		// It has begun to stop when it hands over what it leads.
		handsOver := faults.When(faults.LeaderMoved(load.topic(), 0), faults.Expire(faults.Node(broker.Name())))
		During(ctx, cluster, handsOver, func() {
			began := time.Now()
			During(ctx, cluster, Promise(cluster, faults.Terminate(faults.Node(broker.Name())), comesBack), func() {
				Expect(time.Since(began)).To(BeNumerically("<", stopBound), "until it had ended")
				Soon(ctx, expiry, broker.Registration, Not(BeRegistered()))
			})
		})
		Soon(ctx, readyAgain, broker.Registration, HaveNewSessionSince(before))
		expectWhole(ctx, cluster)
		expectOwned(ctx, cluster)
		load.Judged(ctx)
	})
})

// stopBound is how long a broker may take to shut down, ZooKeeper or not: it asks
// the controller at most four times to take over, half a second apart and for a
// session time-out each, and is the faster the less it waits in vain.
const stopBound = 4*sessionTimeout + 2*time.Second

// readyAgain is how long a broker may take to start: five times what it does.
const readyAgain = 3 * sessionTimeout

// registrationOf is where ZooKeeper holds the registration of the broker.
func registrationOf(broker *harness.Broker) string {
	return witness.RegistrationPath(broker.Name().ID)
}

// openSessions reads the sessions for which ZooKeeper holds a connection of the
// broker.
func openSessions(cluster *harness.Cluster, broker *harness.Broker) func(context.Context) ([]faults.SessionID, error) {
	return func(ctx context.Context) ([]faults.SessionID, error) {
		return cluster.Rig().Sessions.Open(ctx, broker.Name())
	}
}
