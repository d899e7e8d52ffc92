package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
	"kafkachaos/scenarios/incident"
)

// A sink cannot commit while the coordinator of its group does not answer. Then
// its task is not done with stopping when the worker's patience is over.

var _ = Describe("A worker", Label("connect", "rebalance", "worker", "worker-broker", "blackhole", "incident", "A", "core"), func() {
	It("survives a rebalance while its sink cannot commit", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2), consumersGiveUpSoon, sinksCommitLate)
		payments := Payments(ctx, cluster)
		worker, second := leaveAlone(ctx, cluster)
		orders := Orders(ctx, cluster, []int{1, 2, 3})
		sink := StartSink(ctx, cluster, sinkCoordinatedApart(ctx, cluster), orders, 1)
		Premise(ctx, recovery, sink.Delivered(orders.Send(ctx, 10)), HaveEveryRecord())

		During(ctx, cluster, faults.WorkerLosesCoordinator(faults.Node(worker.Name()), sink.group()), func() {
			sent := orders.Send(ctx, 10)
			Premise(ctx, recovery, sink.Delivered(sent), HaveEveryRecord(), "records that are not committed")
			During(ctx, cluster, faults.WorkerJoins(second), func() {
				Soon(ctx, rejoin, worker.Liveness, surviving(), "after another worker joined")
			})
		})

		Soon(ctx, rejoin, worker.Liveness, surviving(), "after the other worker left and the coordinator came back")
		Soon(ctx, redelivery, sink.Delivered(orders.Send(ctx, 10)), HaveEveryRecord())
		Soon(ctx, redelivery, sink.Owners, RunEachTaskOnce())
		Expect(cluster.Worker(second.ID).Start(ctx)).To(Succeed())
		expectWhole(ctx, cluster)
		payments.Judged(ctx)
	})
})

// surviving is BeAlive of a worker that nobody starts again: once its process has
// ended there is nothing to wait for.
func surviving() types.GomegaMatcher { return survival{BeAlive()} }

type survival struct{ types.GomegaMatcher }

// Match tells Eventually to wait no longer, and what it has found.
func (s survival) Match(actual any) (bool, error) {
	alive, err := s.GomegaMatcher.Match(actual)
	if liveness, ok := actual.(state.Liveness); ok && err == nil && !alive && liveness.Process.Exited() {
		return false, StopTrying(s.FailureMessage(actual))
	}
	return alive, err
}

// leaveAlone ends one of two workers and takes it out of the group at once, so
// that the other one has all the work: the leader, which need not learn who leads.
// It is not asked before the group is settled, for each question wakes a herder of
// 0.9 up, also while it joins, and then it misses what it was given.
func leaveAlone(ctx SpecContext, cluster *harness.Cluster) (stays *harness.Worker, goes faults.Node) {
	GinkgoHelper()
	stays, goes = cluster.Worker(1), faults.Node(topology.WorkerNode(2))
	if holder(ctx, cluster.Rig(), faults.ConnectLeader) != stays.Name() {
		stays, goes = cluster.Worker(2), faults.Node(topology.WorkerNode(1))
	}
	judge(incident.Environment, cluster.Worker(goes.ID).Kill(ctx))
	During(ctx, cluster, faults.Evict("", goes), nil)
	Premise(ctx, recovery, func(ctx context.Context) (string, error) {
		group, err := cluster.ConnectGroup(ctx)
		return fmt.Sprintf("%s with %d members", group.State, len(group.Members)), err
	}, Equal("Stable with 1 members"), "the group of the workers")
	return stays, goes
}

// gently is the time between two orders to a worker, each of which wakes its
// herder up.
const gently = time.Second

var _ = Describe("A task", Label("connect", "task", "worker", "worker-broker", "blackhole", "incident", "E"), func() {
	It("that could not stop starts again", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		Needs("tasks that are restarted by REST", workers().TellsStatus())
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(1), consumersGiveUpSoon, sinksCommitLate)
		payments := Payments(ctx, cluster)
		orders := Orders(ctx, cluster, []int{1, 2, 3})
		sink := StartSink(ctx, cluster, sinkCoordinatedApart(ctx, cluster), orders, 1)
		Premise(ctx, recovery, sink.Delivered(orders.Send(ctx, 10)), HaveEveryRecord())

		During(ctx, cluster, faults.WorkerLosesCoordinator(faults.WorkerOf(sink.name, 0), sink.group()), func() {
			sent := orders.Send(ctx, 10)
			Premise(ctx, recovery, sink.Delivered(sent), HaveEveryRecord(), "records that are not committed")
			restartInVain(ctx, cluster, cluster.Worker(1).Name(), state.TaskID{Connector: sink.name})
		})

		Soon(ctx, redelivery, sink.Delivered(orders.Send(ctx, 1)), HaveEveryRecord())
		Soon(ctx, redelivery, sink.Owners, RunEachTaskOnce())
		expectWhole(ctx, cluster)
		payments.Judged(ctx)
	})
})

// restartInVain orders a worker to restart a task of its own, which is to take
// longer than it waits for the task to stop. What the worker answers proves nothing:
// that it could not start the task says that it was asked to.
func restartInVain(ctx SpecContext, cluster *harness.Cluster, owner topology.Node, task state.TaskID) {
	GinkgoHelper()
	By("restarting the task, which cannot stop")
	began := time.Now()
	err := cluster.Witness().Connect.RestartTask(ctx, owner, task)
	if !errors.Is(err, witness.ErrServer) {
		judge(incident.Inconclusive, err, "ordering a restart")
	}
	if took := time.Since(began); took < graceful {
		judge(incident.Inconclusive, fmt.Errorf("the task could stop: it was restarted after %v", took))
	}
}
