package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

var _ = Describe("Workers", onWorkers, Label("connect", "rebalance", "worker"), func() {
	It("find their coordinator where it moves", Label("coordinator", "administration"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		During(ctx, p.cluster, faults.MoveCoordinator(""), func() {
			p.CarriedBy(ctx, pipelineWorkers, "by another coordinator")
		})
		p.Settled(ctx)
	})

	It("find another coordinator when theirs is killed", Label("coordinator", "kill"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		coordinator := faults.Node(holder(ctx, p.cluster.Rig(), faults.CoordinatorOf(topology.ConnectGroup)))
		During(ctx, p.cluster, faults.Kill(coordinator), func() {
			// Its group is led by nobody until its session is over, a tick later at most.
			soon(ctx, expiry, unhurried, holderOf(p.cluster.Rig(), faults.CoordinatorOf(topology.ConnectGroup)),
				Not(Equal(topology.Node(coordinator))), "who coordinates")
			p.CarriedBy(ctx, pipelineWorkers, "without broker %v", coordinator)
		})
		p.Settled(ctx)
	})

	It("join again when they are removed from outside, leader and all", Label("evict"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		During(ctx, p.cluster, faults.Rebalance("", faults.Evict("", faults.ConnectLeader)), nil)
		p.CarriedBy(ctx, pipelineWorkers, "after their leader was removed")
		During(ctx, p.cluster, faults.Rebalance("", faults.Evict("", faults.Node(follower(ctx, p.cluster)))), nil)
		During(ctx, p.cluster, faults.Evict(state.ConnectorGroup(p.sink.name), faults.WorkerOf(p.sink.name, 0)), nil)
		p.Settled(ctx)
	})

	It("take back what they gave to a member that does nothing", Label("phantom"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		During(ctx, p.cluster, faults.Rebalance("", faults.PhantomJoins()), func() {
			premise(ctx, settling, unhurried, p.GivenToStrangers, BeNumerically(">", 0), "tasks that the phantom was given")
		})
		p.Settled(ctx)
	})

	It("go on while a rebalance waits for a member that stalls, and settle when it is gone", Label("phantom"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		victim := follower(ctx, p.cluster) // who leads nobody may tell while the group waits
		During(ctx, p.cluster, faults.Rebalance("", faults.PhantomStalls()), func() {
			During(ctx, p.cluster, faults.Evict("", faults.Node(victim)), nil)
			premise(ctx, workerSession, unhurried, p.cluster.ConnectGroup, HaveField("State", "PreparingRebalance"), "the group")
			if workers().IncrementalRebalance() { // others stop what they run before they join
				p.FlowsThrough(ctx, "while the group waits")
			}
		})
		p.Settled(ctx)
	})

	It("run every task once after a storm of joins, leaves, and changed configurations", Label("storm", "kill", "evict", "slow"),
		SpecTimeout(4*time.Minute), func(ctx SpecContext) {
			p := Pipeline(ctx, ShareConnect(ctx))
			const storm = 2 * workerSession
			gone := faults.Node(follower(ctx, p.cluster))
			stays := faults.Node(connectLeader(ctx, p))
			members := []faults.Fault{faults.Evict("", stays), faults.PhantomJoins()}
			configs := []faults.Fault{faults.TouchConfig(p.sink.name), faults.TouchConfig(p.source.name),
				faults.ChangeConfig(p.sink.name, "tasks.max", "1")}
			err := undergo(ctx, p.cluster, faults.Together(
				faults.CrashLoop(gone, 2, time.Second, workerSession),
				faults.AtRandomTimes(seed(), 5, storm, members...),
				faults.AtRandomTimes(seed()+1, 5, storm, configs...)), nil)
			p.Whole(ctx) // first: what is wrong with the workers may be why a fault could not be
			judge(classOf(err), err, "the storm")
			p.Judged(ctx)
		})

	It("are all bounced in turn, and lose nothing", Label("restart", "rolling"), SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		During(ctx, p.cluster, faults.RollingRestart(0, nodesOf(p.cluster.Workers())...), nil)
		p.Settled(ctx)
	})

	It("resume where they were when all of them are killed at once", Label("kill", "restart"), SpecTimeout(4*time.Minute),
		func(ctx SpecContext) {
			p := Pipeline(ctx, ShareConnect(ctx))
			var all []faults.Fault
			for _, worker := range p.cluster.Workers() {
				all = append(all, faults.Kill(faults.Node(worker.Name())))
			}
			During(ctx, p.cluster, faults.Together(all...), nil)
			p.Settled(ctx)
		})
})
