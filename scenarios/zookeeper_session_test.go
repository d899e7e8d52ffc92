package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
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
)

var _ = Describe("A broker that loses ZooKeeper", Label("zookeeper", "session"), func() {
	It("registers again after every expired session, under a black hole", Label("blackhole"), SpecTimeout(4*time.Minute),
		func(ctx SpecContext) {
			cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
			links := linksToZooKeeper(cluster)

			for round := range 2 {
				before := registrations(ctx, cluster)
				During(ctx, cluster, faults.Blackhole(links...), func() {
					for _, broker := range cluster.Brokers() {
						Soon(ctx, expiry, broker.Registration, Not(BeRegistered()), "expiry %d", round+1)
					}
				})
				expectNewSessions(ctx, cluster, before, round+1)
			}
			expectWhole(ctx, cluster)
		})

	It("registers again after every expired session, under a flapping network", Label("flap"), SpecTimeout(4*time.Minute),
		func(ctx SpecContext) {
			cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
			// Off for one and a half time-outs, on for as long, twice.
			const period = 3 * sessionTimeout
			flapping := faults.Flap(faults.Blackhole(linksToZooKeeper(cluster)...), faults.Square(period, 2))
			before := registrations(ctx, cluster)

			During(ctx, cluster, flapping, func() {
				for round := range 2 {
					for _, broker := range cluster.Brokers() {
						// The link may have to go off first, after half a period.
						Soon(ctx, period/2+expiry, broker.Registration, Not(BeRegistered()), "expiry %d", round+1)
					}
					expectNewSessions(ctx, cluster, before, round+1)
					before = registrations(ctx, cluster)
				}
			})
			expectWhole(ctx, cluster)
		})

	It("keeps its session through blips shorter than the time-out", Label("flap"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
			before := registrations(ctx, cluster)
			// Off for a third of the time-out, then on for long enough to connect again,
			// for which the client takes up to a second: without it, blips add up.
			blips := faults.Flap(faults.Blackhole(linksToZooKeeper(cluster)...),
				faults.Wave{Period: sessionTimeout, Duty: 1.0 / 3, Count: 3})

			During(ctx, cluster, blips, nil)
			expectWhole(ctx, cluster)
			for i, broker := range cluster.Brokers() {
				Expect(Read(ctx, broker.Registration)).To(KeepSessionOf(before[i]))
			}
		})
})

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

func expectNewSessions(ctx SpecContext, cluster *harness.Cluster, before []state.Registration, round int) {
	GinkgoHelper()
	By("waiting for every broker to register again")
	for i, broker := range cluster.Brokers() {
		Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before[i]), "after expiry %d", round)
	}
}

// expectWhole waits until the cluster is as it was: nodes ready, a
// controller, all replicas in sync, every worker in the group and serving.
func expectWhole(ctx SpecContext, cluster *harness.Cluster) {
	GinkgoHelper()
	By("waiting for the cluster to be whole again")
	Expect(cluster.AwaitWhole(ctx)).To(Succeed())
	recordOf(cluster).recovered()
}
