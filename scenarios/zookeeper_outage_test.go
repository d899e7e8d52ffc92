package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"

	"kafkachaos/faults"
	"kafkachaos/harness/history"
)

// tooLong is longer than any session lives of which ZooKeeper hears nothing.
const tooLong = 5 * sessionTimeout / 4

var _ = Describe("A cluster whose ZooKeeper", onBrokers, Label("zookeeper", "outage"), func() {
	It("restarts keeps every session", Label("restart"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		before := registrations(ctx, cluster)
		epoch := Read(ctx, cluster.Controller)

		// A server that starts gives every session that it finds on its disk all of its
		// time-out anew.
		During(ctx, cluster, Promise(cluster, faults.Restart(faults.ZooKeeperLeader),
			history.Fault{Available: true, Budget: unnoticed, Recovery: recovery}), func() { expectOwned(ctx, cluster) })
		expectSameSessions(ctx, cluster, before)
		expectOneController(ctx, cluster, epoch)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("is killed and long away serves on, and has all its brokers afterwards", Label("kill", "core"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		epoch := Read(ctx, cluster.Controller)

		dead := faults.For(tooLong, faults.Kill(faults.ZooKeeperLeader))
		During(ctx, cluster, Promise(cluster, dead, history.Fault{Available: true, Budget: replaced, Recovery: whole}), nil)
		expectOwned(ctx, cluster)
		expectOneController(ctx, cluster, epoch)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("is paused for longer than sessions live serves on, and has all its brokers afterwards", Label("pause"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		epoch := Read(ctx, cluster.Controller)

		// Thawed, it finds that all sessions are over, or that they had more to say.
		frozen := faults.For(tooLong, faults.Pause(faults.ZooKeeperLeader))
		During(ctx, cluster, Promise(cluster, frozen, history.Fault{Available: true, Budget: replaced, Recovery: whole}), nil)
		expectOwned(ctx, cluster)
		expectOneController(ctx, cluster, epoch)
		expectWhole(ctx, cluster)
		expectOwned(ctx, cluster)
		load.Judged(ctx)
	})
})
