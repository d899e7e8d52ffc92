package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

// What becomes of records where too few brokers are left to keep them, and of orders
// that the brokers they are about cannot follow yet.
var _ = Describe("Brokers", onReplicated, Label("replication", "outage", "traffic", "broker"), func() {
	It("keep every acknowledged record when all of them are killed at once", Label("kill"), SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		var each []faults.Fault
		for _, broker := range cluster.Brokers() {
			each = append(each, faults.Kill(faults.Node(broker.Name())))
		}
		// What a process has written outlives it. Three start at once here, and are then
		// as one that came back.
		outage := Promise(cluster, faults.Together(each...), history.Fault{Recovery: slowBoot + whole})
		During(ctx, cluster, outage, func() {
			awaitExpiry(ctx, expiry, cluster.Brokers()...)
			load.Try(ctx, enough)
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

var _ = Describe("A partition", onReplicated, Label("replication", "leader", "traffic", "broker"), func() {
	It("takes no record while too few are in sync to keep it", Label("blackhole", "broker-broker"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		broker, asked := cluster.Broker(leader.ID), recordOf(cluster).own("asked")
		makeTopic(ctx, cluster, asked, [][]int{{1, 2, 3}}, map[string]string{"min.insync.replicas": "2"})
		Premise(ctx, recovery, producing(broker, asked), BeAcked())

		During(ctx, cluster, Promise(cluster, faults.Blackhole(toLeader...), history.Fault{Available: true, Recovery: whole}), func() {
			// Who has all that there is counts as in sync, also if it does not ask.
			Expect(Read(ctx, producing(broker, asked))).NotTo(BeAcked(), "a record that no other has")
			Soon(ctx, shrunk, partitionOf(cluster, asked, 0), HaveField("ISR", ConsistOf(1)))
			Expect(Read(ctx, producing(broker, asked))).NotTo(BeAcked(), "a record with too few in sync")
			load.Flow(ctx, enough) // of partitions that others lead
		})
		expectWhole(ctx, cluster)
		Soon(ctx, recovery, producing(broker, asked), BeAcked())
		load.Judged(ctx)
	})
})

var _ = Describe("Replicas", onReplicated, Label("replication", "administration", "traffic", "follower", "broker"), func() {
	It("finish their move to a broker that was dead when it began", Label("reassign", "kill"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) { expectMove(ctx, faults.Kill, slowBoot+whole) })

	// What the controller told the broker while it slept waits in its socket, and is
	// what it does first when it wakes up, its session over.
	It("finish their move to a broker that slept when it began", Label("reassign", "pause", "incident", "G", "unsolved"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) { expectMove(ctx, faults.Pause, whole) })

	It("get their preferred leader back once it has caught up, and not before", Label("election", "blackhole", "broker-broker", "leader", "restart"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		During(ctx, cluster, faults.Restart(faults.Node(brokerNode(1))), nil)
		expectWhole(ctx, cluster)
		Premise(ctx, failover, load.leader(0), BeElementOf(2, 3), "who leads since broker-1 was away")

		links := []topology.Link{{From: brokerNode(1), To: brokerNode(2)}, {From: brokerNode(1), To: brokerNode(3)}}
		During(ctx, cluster, Promise(cluster, faults.Blackhole(links...), history.Fault{Available: true, Budget: shrunk, Recovery: whole}), func() {
			Soon(ctx, shrunk, load.inSync(0), ConsistOf(2, 3), "broker-1 cannot fetch")
			for range 2 { // the second order is taken once the first was dealt with
				judge(incident.Inconclusive, cluster.Rig().Partitions.ElectPreferred(ctx, load.topic(), 0), "ordering an election")
			}
			load.Flow(ctx, 4*enough)
			Expect(Read(ctx, load.leader(0))).To(BeElementOf(2, 3), "broker-1 is behind")
		})
		expectWhole(ctx, cluster)
		During(ctx, cluster, faults.ElectPreferred(load.topic(), 0), nil)
		Soon(ctx, recovery, load.leader(0), Equal(1))
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

// expectMove orders a partition to move to a broker that has just been taken away, and
// expects that it gets there once the broker is back, as one of a cluster that is in
// sync within the bound.
func expectMove(ctx SpecContext, takeAway func(faults.Target) faults.Fault, bound time.Duration) {
	GinkgoHelper()
	cluster := Share(ctx, replicated...)
	boss := controller(ctx, cluster)
	mover, other := bystanders(cluster, boss) // to a controller that is away nobody gives orders
	from, to := []int{boss.Name().ID, other.Name().ID}, []int{boss.Name().ID, mover.Name().ID}
	load := LoadOn(ctx, cluster, [][]int{from, {from[1], from[0]}})
	away := takeAway(faults.Node(mover.Name()))
	During(ctx, cluster, Promise(cluster, away, history.Fault{Available: true, Budget: unheard, Recovery: bound}), func() {
		// A controller that knows already that the broker is away refuses.
		err := cluster.Rig().Partitions.Reassign(ctx, load.topic(), 0, to)
		judge(incident.Inconclusive, err, "ordering a move")
		Premise(ctx, sessionTimeout, load.replicas(0), ContainElement(mover.Name().ID), "the order is taken")
		awaitExpiry(ctx, expiry, mover)
		load.Flow(ctx, 4*enough)
		Expect(Read(ctx, load.inSync(0))).To(ConsistOf(from), "where the records are until they have moved")
	})
	Soon(ctx, bound, cluster.Replicas, BeInSync(), "once the broker is back")
	Soon(ctx, whole, load.replicas(0), Equal(to))
	Soon(ctx, whole, load.inSync(0), ConsistOf(to))
	expectWhole(ctx, cluster)
	load.Judged(ctx)
}
