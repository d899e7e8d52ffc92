package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

var _ = Describe("Faults of Connect", Label("faults", "connect"), func() {
	It("make the workers rebalance, in every way that there is", SpecTimeout(5*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
		createTopic(ctx, cluster, "orders", 1, 2, 3)
		sink := startSink(ctx, cluster, "orders")
		second := faults.Node(cluster.Worker(2).Name())
		walk := beginTour(cluster)

		rebalance := func(fault faults.Fault) faults.Fault { return faults.Rebalance("", fault) }
		walk.Over(ctx,
			kind{fault: faults.WorkerLeaves(second)},
			kind{fault: faults.WorkerDies(second)},
			kind{fault: faults.TouchConfig(sink)}, // older releases restart the connector and no more
			kind{fault: rebalance(faults.ChangeConfig(sink, "tasks.max", "2"))},
			kind{fault: rebalance(faults.Evict("", faults.ConnectLeader))},
			kind{fault: faults.Evict(state.ConnectorGroup(sink), faults.WorkerOf(sink, 0))},
			kind{fault: rebalance(faults.PhantomJoins())},
			kind{fault: rebalance(faults.PhantomStalls())},
			kind{fault: faults.MoveCoordinator("")},
			kind{fault: faults.RestartConnector(sink), since: "0.10.0.0"},
			kind{fault: faults.RestartTask(sink, 0), since: "0.10.0.0"},
			kind{fault: rebalance(faults.WorkerLosesCoordinator(faults.ConnectLeader, topology.ConnectGroup))},
			kind{fault: faults.WorkerLosesCoordinator(faults.WorkerOf(sink, 0), state.ConnectorGroup(sink))},
		)
		Expect(cluster.Worker(2).Terminate(ctx)).To(Succeed())
		During(ctx, cluster, faults.WorkerJoins(second), func() { expectWhole(ctx, cluster) })
		Expect(cluster.Worker(2).Start(ctx)).To(Succeed())

		storm := []faults.Fault{rebalance(faults.Evict("", second)), rebalance(faults.ChangeConfig(sink, "tasks.max", "2")), faults.PhantomJoins()}
		if workers().TellsStatus() {
			storm = append(storm, faults.RestartTask(sink, 0))
		}
		walk.Over(ctx, kind{fault: faults.AtRandomTimes(seed(), 6, 6*time.Second, storm...)})
		walk.End(ctx)
	})
})

// startSink starts a connector with one task that writes the topic to a file,
// and waits until a worker has the task.
func startSink(ctx SpecContext, cluster *harness.Cluster, topic string) string {
	GinkgoHelper()
	const name = "sink"
	Expect(cluster.Witness().Connect.SetConfig(ctx, cluster.Worker(1).Name(), name,
		workload.FileSink(name, "/tmp/"+name, topic, 1))).To(Succeed())
	Soon(ctx, recovery, func(ctx context.Context) (int, error) {
		group, err := cluster.ConnectGroup(ctx)
		return len(group.OwnersOf(state.TaskID{Connector: name})), err
	}, Equal(1))
	return name
}
