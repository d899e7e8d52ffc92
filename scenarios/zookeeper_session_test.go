package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness/history"
)

var _ = Describe("A broker that loses ZooKeeper", onBrokers, Label("zookeeper", "session", "broker", "broker-zookeeper"), func() {
	// While nobody reaches ZooKeeper nobody leads less than before. What it forgets
	// meanwhile is found out afterwards, one broker after the other.
	servesOn := history.Fault{Available: true, Budget: replaced, Recovery: whole}

	It("registers again after every expired session, under a black hole", Label("blackhole", "core"), SpecTimeout(4*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx)
			load := Load(ctx, cluster)
			links := linksToZooKeeper(cluster)
			for round := range 2 {
				before := registrations(ctx, cluster)
				During(ctx, cluster, Promise(cluster, faults.Blackhole(links...), servesOn), func() {
					awaitExpiry(ctx, expiry, cluster.Brokers()...)
					load.Flow(ctx, 2*enough)
				})
				expectNewSessions(ctx, cluster, before, "after expiry %d", round+1)
				expectOwned(ctx, cluster)
				expectWhole(ctx, cluster)
			}
			load.Judged(ctx)
		})

	It("registers again after every expired session, under a flapping network", Label("flap", "slow", "core"), SpecTimeout(4*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx)
			load := Load(ctx, cluster)
			// Off for one and a half time-outs, on for as long as two thirds of that, and
			// each drawn to be longer or shorter by a quarter of the time-out.
			wave := faults.Wave{Period: 5 * sessionTimeout / 2, Duty: 3.0 / 5, Count: 2, Jitter: sessionTimeout / 4, Seed: seed()}
			flapping := faults.Flap(faults.Blackhole(linksToZooKeeper(cluster)...), wave)
			before := registrations(ctx, cluster)

			During(ctx, cluster, Promise(cluster, flapping, servesOn), func() {
				for round := range 2 {
					// The link has to go off first, which it may not do for so long.
					awaitExpiry(ctx, wave.Period+expiry, cluster.Brokers()...)
					expectNewSessions(ctx, cluster, before, "after expiry %d", round+1)
					before = registrations(ctx, cluster)
				}
			})
			expectOwned(ctx, cluster)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})

	It("keeps its session through blips shorter than the time-out", Label("flap"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx)
			load := Load(ctx, cluster)
			before := registrations(ctx, cluster)
			// Off for a third of the time-out, then on for long enough to connect again,
			// for which the client takes up to a second: without it, blips add up.
			blips := faults.Flap(faults.Blackhole(linksToZooKeeper(cluster)...),
				faults.Wave{Period: sessionTimeout, Duty: 1.0 / 3, Count: 2})

			During(ctx, cluster, Promise(cluster, blips, history.Fault{Available: true, Budget: unnoticed, Recovery: recovery}), nil)
			expectOwned(ctx, cluster)
			expectSameSessions(ctx, cluster, before)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})

	It("keeps its session if all that was said arrives just before the time-out", Label("hold"), SpecTimeout(2*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx)
			load := Load(ctx, cluster)
			before := registrations(ctx, cluster)
			// As late as it is certain to be in time, but for a tick of ZooKeeper.
			late := faults.For(sessionTimeout-pinged-tick, faults.Hold(linksToZooKeeper(cluster)...))

			During(ctx, cluster, Promise(cluster, late, history.Fault{Available: true, Budget: unnoticed, Recovery: recovery}), nil)
			expectOwned(ctx, cluster)
			expectSameSessions(ctx, cluster, before)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})

	It("registers again if all that was said arrives just after the time-out", Label("hold"), SpecTimeout(2*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx)
			load := Load(ctx, cluster)
			broker := cluster.Broker(1)
			before := Read(ctx, broker.Registration)

			held := Promise(cluster, faults.Hold(broker.LinksToZooKeeper()...), history.Fault{Available: true, Budget: replaced, Recovery: whole})
			During(ctx, cluster, held, func() { awaitExpiry(ctx, expiry, broker) })
			Soon(ctx, recovery, broker.Registration, HaveNewSessionSince(before))
			expectWhole(ctx, cluster)
			expectOwned(ctx, cluster)
			load.Judged(ctx)
		})

	It("keeps its session while ZooKeeper is slow to reach, but alive", Label("delay"), SpecTimeout(2*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx)
			load := Load(ctx, cluster)
			before := registrations(ctx, cluster)
			// There and back in a third of the time-out, half of what a client waits for an
			// answer; for longer than a session lives that nobody hears of.
			slow := faults.For(3*sessionTimeout/2, faults.Delay(sessionTimeout/6, linksToZooKeeper(cluster)...))

			During(ctx, cluster, Promise(cluster, slow, history.Fault{Available: true, Budget: unnoticed, Recovery: recovery}), nil)
			expectOwned(ctx, cluster)
			expectSameSessions(ctx, cluster, before)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})
})

// tick is how often ZooKeeper looks for sessions that are over, and how much later
// that may make them.
const tick = 500 * time.Millisecond
