package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// away is how a worker is away for longer than its session, and comes back.
type away struct {
	role  func(SpecContext, *pipeline) topology.Node
	fault func(faults.Node) faults.Fault
}

var _ = Describe("Workers", onWorkers, Label("connect", "rebalance", "worker"), func() {
	DescribeTable("carry on with one less, share with it when it is back, and lose nothing",
		func(ctx SpecContext, how away) {
			p := Pipeline(ctx, ShareConnect(ctx))
			victim := faults.Node(how.role(ctx, p))
			During(ctx, p.cluster, how.fault(victim), func() {
				p.CarriedBy(ctx, pipelineWorkers-1, "without %v", victim)
			})
			p.Settled(ctx)
		},
		Entry("when their leader is killed", Label("kill", "leader", "core"), oneWorker,
			away{connectLeader, func(n faults.Node) faults.Fault { return faults.WorkerDies(n) }}),
		Entry("when one that follows is killed", Label("kill", "follower"), oneWorker,
			away{anyFollower, func(n faults.Node) faults.Fault { return faults.WorkerDies(n) }}),
		Entry("when one is stopped", Label("terminate", "follower"), oneWorker,
			away{anyFollower, func(n faults.Node) faults.Fault { return faults.WorkerLeaves(n) }}),
		Entry("when their leader is paused past its session", Label("pause", "leader"), oneWorker,
			away{connectLeader, func(n faults.Node) faults.Fault { return faults.Pause(n) }}),
		Entry("when one is cut from the coordinator", Label("blackhole", "follower", "worker-broker"), oneWorker,
			away{anyFollower, func(n faults.Node) faults.Fault { return faults.WorkerLosesCoordinator(n, topology.ConnectGroup) }}),
		Entry("when their leader is cut from all brokers", Label("blackhole", "leader", "worker-broker"), oneWorker,
			away{connectLeader, func(n faults.Node) faults.Fault {
				return faults.Blackhole().On(faults.Towards(n, topology.Broker))
			}}),
	)
})

// oneWorker bounds a scenario in which a worker is away: a boot, and settling twice.
var oneWorker = SpecTimeout(3 * time.Minute)

func connectLeader(ctx SpecContext, p *pipeline) topology.Node {
	return holder(ctx, p.cluster.Rig(), faults.ConnectLeader)
}

func anyFollower(ctx SpecContext, p *pipeline) topology.Node { return follower(ctx, p.cluster) }
