package scenarios

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

var _ = Describe("Tasks of a dead worker", Label("connect", "task", "rebalance", "worker", "kill", "incident", "C"), func() {
	It("move to a worker that lives", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		// No delay: what the dead worker ran is to be given away at once.
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2), consumersGiveUpSoon,
			topology.Configure(topology.Worker, "scheduled.rebalance.max.delay.ms", "0"))
		payments := Payments(ctx, cluster)
		orders := Orders(ctx, cluster, []int{1, 2, 3}, []int{2, 3, 1}, []int{3, 1, 2}, []int{1, 2, 3})
		sink := StartSink(ctx, cluster, "sink", orders, 4)
		Premise(ctx, recovery, sink.Delivered(orders.Send(ctx, 8)), HaveEveryRecord())
		victim := follower(ctx, cluster)
		Premise(ctx, recovery, tasksOn(cluster, victim), BeNumerically(">", 0), "tasks of the victim")

		During(ctx, cluster, faults.WorkerDies(faults.Node(victim)), func() {
			// The group knows of the death. It gives the tasks away in this rebalance or,
			// where that is two steps, in the next, within a session time-out each.
			Soon(ctx, 2*workerSession, sink.Owners, RunEachTaskOnce())
			Soon(ctx, redelivery, sink.Delivered(orders.Send(ctx, 8)), HaveEveryRecord())
		})
		expectWhole(ctx, cluster)
		payments.Judged(ctx)
	})
})

// follower is a worker that does not lead the group: it is the leader who has to
// remember what the others ran.
func follower(ctx SpecContext, cluster *harness.Cluster) topology.Node {
	GinkgoHelper()
	leader := holder(ctx, cluster.Rig(), faults.ConnectLeader)
	for _, worker := range cluster.Workers() {
		if worker.Name() != leader {
			return worker.Name()
		}
	}
	judge(incident.Environment, errors.New("every worker leads the group"))
	return topology.Node{}
}

// tasksOn makes the reading how many tasks the worker was given.
func tasksOn(cluster *harness.Cluster, worker topology.Node) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		group, err := cluster.ConnectGroup(ctx)
		member, _ := group.Member(worker)
		return tasksOf(member), err
	}
}
