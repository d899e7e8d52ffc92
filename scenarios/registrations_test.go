package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// The bounds are multiples of the session time-out of the fast profile.
const (
	sessionTimeout = 6 * time.Second
	// A session that hears nothing is over after its time-out and a tick at most.
	expiry = 2 * sessionTimeout
	// The client notices within two thirds of the time-out that a connection is
	// dead, connects within another third, learns that the session is over, and
	// registers with a new one; double that for a busy machine.
	recovery = 2 * sessionTimeout
	// pinged is how often a client that has nothing to ask shows that it lives: a
	// third of the time-out. ZooKeeper may have heard of it last so long before a
	// fault.
	pinged = sessionTimeout / 3
	// unnoticed is what clients may wait where nobody is to notice a fault: half of
	// what a client takes to think a connection dead.
	unnoticed = sessionTimeout / 3
	// replaced is what clients may wait for the leader that takes over from a broker
	// whose session is over: ZooKeeper's time-out, that of a request to the broker
	// which does not know yet, and as much again to find the new one.
	replaced = 3 * sessionTimeout
)

// controllerPatience is how long a broker waits for the answer to an order that it
// gave a controller (controller.socket.timeout.ms of the fast profile). One that
// stops being the controller forgets what it was asked, and replicas that have caught
// up are out of sync for so long (seen on 3.9.2).
const controllerPatience = sessionTimeout

// whole is how long after a heal all may be in sync again: a broker is back, and a
// wait for a controller that has forgotten is over.
const whole = recovery + controllerPatience

// threeBrokers is a cluster for scenarios that leave it as it was.
func threeBrokers(ctx context.Context, options ...topology.Option) *harness.Cluster {
	GinkgoHelper()
	return Share(ctx, append([]topology.Option{topology.Brokers(3)}, options...)...)
}

func linksToZooKeeper(cluster *harness.Cluster) []topology.Link {
	var links []topology.Link
	for _, broker := range cluster.Brokers() {
		links = append(links, broker.LinksToZooKeeper()...)
	}
	return links
}

// registrations reads who is registered now, which has to be everybody.
func registrations(ctx SpecContext, cluster *harness.Cluster) []state.Registration {
	GinkgoHelper()
	var all []state.Registration
	for _, broker := range cluster.Brokers() {
		registration := Read(ctx, broker.Registration)
		Expect(registration).To(BeRegistered())
		all = append(all, registration)
	}
	return all
}

// awaitExpiry waits until the sessions of these brokers are over, which their fault
// is to bring about.
func awaitExpiry(ctx SpecContext, within time.Duration, brokers ...*harness.Broker) {
	GinkgoHelper()
	for _, broker := range brokers {
		Premise(ctx, within, broker.Registration, Not(BeRegistered()))
	}
}

func expectNewSessions(ctx SpecContext, cluster *harness.Cluster, before []state.Registration, explain ...any) {
	GinkgoHelper()
	By("waiting for every broker to register again")
	for i, broker := range cluster.Brokers() {
		Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before[i]), explain...)
	}
}

func expectSameSessions(ctx SpecContext, cluster *harness.Cluster, before []state.Registration) {
	GinkgoHelper()
	for i, broker := range cluster.Brokers() {
		Expect(Read(ctx, broker.Registration)).To(KeepSessionOf(before[i]))
	}
}

// expectOwned expects that every broker is registered by a session that it has open.
// A node whose session nobody has any more looks well for a time-out.
func expectOwned(ctx SpecContext, cluster *harness.Cluster) {
	GinkgoHelper()
	for _, broker := range cluster.Brokers() {
		Soon(ctx, recovery, broker.Registration, BeRegistered())
		Soon(ctx, recovery, func(ctx context.Context) (bool, error) {
			owner, err := cluster.Rig().Sessions.Owner(ctx, broker.Name())
			if err != nil {
				return false, err
			}
			open, err := cluster.Rig().Sessions.Open(ctx, broker.Name())
			return slices.Contains(open, owner), err
		}, BeTrue(), "%v has the session open that it is registered by", broker)
	}
}

// expectWhole waits until the cluster is as it was: nodes ready, a
// controller, all replicas in sync, every worker in the group and serving.
func expectWhole(ctx SpecContext, cluster *harness.Cluster) {
	GinkgoHelper()
	By("waiting for the cluster to be whole again")
	if err := cluster.AwaitWhole(ctx); err != nil {
		for _, broker := range cluster.Brokers() { // one that ended is a finding of its own
			Expect(Read(ctx, broker.Process)).To(BeRunning(), "%v", err)
		}
		Fail(fmt.Sprintf("%v\n%v", Finding{Assertion: Whole, Subject: "the cluster"}, err))
	}
	recordOf(cluster).recovered()
}

// expectOneController expects exactly one controller, of no earlier epoch than that,
// which every broker knows and which finds leaders for a new topic.
func expectOneController(ctx SpecContext, cluster *harness.Cluster, since state.ControllerView) {
	GinkgoHelper()
	By("asking the controller for leaders of a new topic")
	probe, err := cluster.ProbeController(ctx)
	Expect(err).NotTo(HaveOccurred())
	Soon(ctx, whole, probe.Read, Serve(SinceEpoch(since)))
}
