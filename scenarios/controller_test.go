package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/witness"
)

var _ = Describe("A cluster whose controller", onBrokers, Label("controller", "broker"), func() {
	// What it led is led by others once its session is over.
	replacing := history.Fault{Available: true, Budget: replaced, Recovery: whole}

	It("is expired has one that serves", Label("expire"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)
		before := Read(ctx, reign.boss.Registration)

		During(ctx, cluster, Promise(cluster, faults.Expire(faults.Node(reign.boss.Name())), replacing), func() {
			Soon(ctx, recovery, reign.boss.Registration, HaveNewSessionSince(before))
			reign.Serves(ctx)
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("is expired again and again, whoever it is, has one that serves", Label("expire"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)

		// The next one has been elected, and has hardly begun.
		thrice := faults.Repeat(3, sessionTimeout/4, faults.Expire(faults.Controller))
		During(ctx, cluster, Promise(cluster, thrice, replacing), nil)
		expectOwned(ctx, cluster)
		reign.Serves(ctx)
		Expect(Read(ctx, cluster.Controller).Epoch).To(BeNumerically(">=", reign.before.Epoch+3))
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("is killed has another one that serves, and takes it back as a broker", Label("kill"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)

		During(ctx, cluster, Promise(cluster, faults.Kill(faults.Node(reign.boss.Name())), replacing), func() {
			reign.Passes(ctx)
			reign.Serves(ctx)
			load.Flow(ctx, 2*enough)
		})
		expectWhole(ctx, cluster)
		reign.Serves(ctx)
		load.Judged(ctx)
	})

	// expectObedience has a fault keep the controller away past its session.
	expectObedience := func(ctx SpecContext, fault func(boss *harness.Broker) faults.Fault) {
		GinkgoHelper()
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)
		before := Read(ctx, reign.boss.Registration)
		successor := reign.before

		During(ctx, cluster, Promise(cluster, fault(reign.boss), replacing), func() {
			successor = reign.Passes(ctx)
			reign.Serves(ctx) // of what it makes now the one that is away finds word when it is back
			load.Flow(ctx, 2*enough)
		})
		Soon(ctx, recovery, reign.boss.Registration, HaveNewSessionSince(before))
		reign.Serves(ctx)
		reign.Stands(ctx, successor)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	}

	It("is paused past its session has another one, which it obeys once it is thawed", Label("pause", "core"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		expectObedience(ctx, func(boss *harness.Broker) faults.Fault { return faults.Pause(faults.Node(boss.Name())) })
	})

	It("loses ZooKeeper has another one, which it obeys once it is back", Label("blackhole", "broker-zookeeper"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		expectObedience(ctx, func(boss *harness.Broker) faults.Fault { return faults.Blackhole(boss.LinksToZooKeeper()...) })
	})

	It("is struck from ZooKeeper by hand has one that serves", Label("operator"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)
		before := registrations(ctx, cluster)

		Expect(cluster.Witness().ZooKeeper.Delete(ctx, witness.ControllerPath)).To(Succeed())
		Soon(ctx, recovery, cluster.Controller, And(HaveField("Present", true), HaveField("Epoch", BeNumerically(">", reign.before.Epoch))))
		reign.Serves(ctx)
		expectSameSessions(ctx, cluster, before)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})
