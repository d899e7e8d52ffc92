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
)

// What becomes of a partition whose leader is lost, in one way or another.
var _ = Describe("A partition", onReplicated, Label("replication", "leader", "traffic", "broker"), func() {
	It("loses no acknowledged record when its leader is killed", Label("kill", "core"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		expectSuccessor(ctx, faults.Kill(faults.Node(brokerNode(1))), failover)
	})

	It("loses no acknowledged record when its followers cannot reach its leader", Label("blackhole", "broker-broker"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		During(ctx, cluster, Promise(cluster, faults.Blackhole(toLeader...), history.Fault{Available: true, Recovery: whole}), func() {
			Soon(ctx, shrunk, load.inSync(0), ConsistOf(1), "who is in sync while nobody can fetch")
			load.Flow(ctx, 4*enough) // of the other partitions: this one has too few in sync to acknowledge
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	alone := []topology.Node{brokerNode(1)}
	others := []topology.Node{brokerNode(2), brokerNode(3), {Role: topology.ZooKeeper, ID: 1}}

	It("moves to a leader that can serve when its own is left with nobody but its clients", Label("partition", "broker-broker", "broker-zookeeper", "blackhole"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) { expectSuccessor(ctx, faults.Split(alone, others), unheard) })

	It("has one leader when what its own sends to the others is lost", Label("partition", "oneway", "broker-broker", "broker-zookeeper", "blackhole"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) { expectSuccessor(ctx, faults.OneWay(alone, others), unheard) })

	// Awake, it takes itself for the leader until it hears otherwise, and acknowledges
	// nothing.
	It("loses no acknowledged record when its leader sleeps past its session and wakes up", Label("pause"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) { expectSuccessor(ctx, faults.Pause(faults.Node(brokerNode(1))), unheard) })

	It("loses no acknowledged record when its leader is bounced again and again", Label("crashloop", "slow"), SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		loop := faults.CrashLoop(faults.Node(brokerNode(1)), 2, sessionTimeout/6, sessionTimeout)
		During(ctx, cluster, Promise(cluster, loop, history.Fault{Available: true, Budget: failover, Recovery: whole}), nil)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

// expectSuccessor has a fault take broker-1 away from the partition that it leads, and
// expects that another one leads and serves meanwhile, no partition waits longer than
// the budget, and all is whole afterwards.
func expectSuccessor(ctx SpecContext, fault faults.Fault, budget time.Duration) {
	GinkgoHelper()
	cluster := Share(ctx, replicated...)
	load := Load(ctx, cluster)
	During(ctx, cluster, Promise(cluster, fault, history.Fault{Available: true, Budget: budget, Recovery: whole}), func() {
		Soon(ctx, failover, load.leader(0), BeElementOf(2, 3))
		load.Flow(ctx, 4*enough)
	})
	expectWhole(ctx, cluster)
	load.Judged(ctx)
}

// What becomes of a cluster that falls apart.
var _ = Describe("Brokers", onReplicated, Label("replication", "partition", "traffic", "broker"), func() {
	It("serve on when a minority of them is cut off", Label("blackhole", "broker-broker", "broker-zookeeper", "client-broker"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		before := registrations(ctx, cluster)
		During(ctx, cluster, Promise(cluster, faults.Isolate(faults.Node(brokerNode(3))), history.Fault{Available: true, Budget: unheard, Recovery: whole}), func() {
			Soon(ctx, failover, cluster.Broker(3).Registration, Not(BeRegistered()))
			load.Flow(ctx, 4*enough)
		})
		Soon(ctx, recovery, cluster.Broker(3).Registration, HaveNewSessionSince(before[2]))
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("lose no acknowledged record when two of them see each other through the third alone", Label("bridge", "broker-broker", "blackhole"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		boss := controller(ctx, cluster) // leaders tell it who is behind, since 2.7 (KAFKA-8836)
		one, another := bystanders(cluster, boss)
		During(ctx, cluster, Promise(cluster, faults.Bridge(boss.Name()), history.Fault{Available: true, Recovery: whole}), func() {
			for leader, follower := range map[*harness.Broker]*harness.Broker{one: another, another: one} {
				Soon(ctx, shrunk, load.inSync(leader.Name().ID-1), ConsistOf(leader.Name().ID, boss.Name().ID), "%v cannot fetch from %v", follower, leader)
			}
			load.Flow(ctx, 4*enough)
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

var _ = Describe("Brokers", Label("replication", "partition", "traffic", "broker"), func() {
	It("lose no acknowledged record when each of five sees another majority", Label("ring", "broker-broker", "blackhole"), SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(5), lagging)
		var replicas [][]int // of each partition one follower goes on to reach the leader, and one does not
		for p := range 5 {
			replicas = append(replicas, []int{p + 1, (p+1)%5 + 1, (p+4)%5 + 1})
		}
		load := LoadOn(ctx, cluster, replicas)
		controller := Read(ctx, cluster.Controller)
		During(ctx, cluster, Promise(cluster, faults.MajoritiesRing(topology.Broker), history.Fault{Available: true, Recovery: whole}), func() {
			// The others may be unable to tell the controller who is behind, and wait.
			led := replicas[controller.Broker-1]
			Soon(ctx, shrunk, load.inSync(controller.Broker-1), ConsistOf(led[0], led[1]), "of the partition that the controller leads")
			load.Flow(ctx, enough)
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})
