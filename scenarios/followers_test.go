package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

// ledByOthers are partitions that broker-3 follows and does not lead: without it
// two replicas stay in sync, which is enough to acknowledge.
var ledByOthers = [][]int{{1, 2, 3}, {2, 1, 3}}

var _ = Describe("A partition", onReplicated, Label("replication", "follower", "traffic"), func() {
	// Until a follower that does not fetch is out of the in-sync set, nothing is
	// acknowledged that it has not.
	tolerated := history.Fault{Available: true, Budget: shrunk, Recovery: whole}

	DescribeTable("serves on without a follower, which catches up", func(ctx SpecContext, fault faults.Fault) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, ledByOthers)
		During(ctx, cluster, Promise(cluster, fault, tolerated), func() {
			Soon(ctx, shrunk, load.inSync(0), ConsistOf(1, 2))
			load.Flow(ctx, 4*enough)
		})
		expectWhole(ctx, cluster)
		Soon(ctx, recovery, load.inSync(0), ConsistOf(1, 2, 3))
		load.Judged(ctx)
	},
		Entry("that was killed", Label("kill"), SpecTimeout(3*time.Minute), faults.Kill(faults.Node(brokerNode(3)))),
		Entry("that was paused", Label("pause", "core"), SpecTimeout(3*time.Minute), faults.Pause(faults.Node(brokerNode(3)))),
		Entry("that cannot be answered by its leaders", Label("blackhole"), SpecTimeout(3*time.Minute), faults.Blackhole(
			topology.Link{From: brokerNode(3), To: brokerNode(1)}, topology.Link{From: brokerNode(3), To: brokerNode(2)}).Downstream()),
	)

	It("serves on with a follower that is slow", Label("cpu"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, ledByOthers)
		slow := faults.LimitCPU(faults.Node(brokerNode(3)), 0.1)
		// It may keep everybody waiting until it is taken out of the in-sync set, for
		// which six seconds of traffic leave it time.
		During(ctx, cluster, Promise(cluster, slow, tolerated), func() { load.Flow(ctx, 30*enough) })
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("serves on with a follower whose link to its leader is slow", Label("delay"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, ledByOthers)
		// Far below the lag: it stays in sync, and each record waits for it.
		late := faults.Delay(lag/10, topology.Link{From: brokerNode(3), To: brokerNode(1)})
		During(ctx, cluster, Promise(cluster, late, history.Fault{Available: true, Budget: lag, Recovery: whole}), func() {
			load.Flow(ctx, 10*enough)
			Expect(Read(ctx, load.inSync(0))).To(ConsistOf(1, 2, 3))
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

var _ = Describe("Replicas", onReplicated, Label("replication", "administration", "traffic"), func() {
	It("move to other brokers while a link between them flaps", Label("flap", "reassign"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		flap := faults.Flap(faults.Cut(topology.Link{From: brokerNode(2), To: brokerNode(1)}), faults.Square(lag/2, 3))
		moved := faults.Reassign(load.topic(), 0, 2, 3, 1)
		During(ctx, cluster, faults.Together(flap, moved), nil)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

var _ = Describe("A rolling restart", onReplicated, Label("replication", "restart", "traffic"), func() {
	It("of the brokers loses no acknowledged record and keeps every partition available", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		rolling := faults.RollingRestart(0, brokerNode(1), brokerNode(2), brokerNode(3))
		// Each hands its leaders over before it ends: far below the time that a death costs.
		During(ctx, cluster, Promise(cluster, rolling, history.Fault{Available: true, Budget: sessionTimeout, Recovery: whole}), nil)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})
