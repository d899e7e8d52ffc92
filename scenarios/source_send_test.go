package scenarios

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

var _ = Describe("A source", onWorkers, Label("connect", "task", "worker"), func() {
	It("that cannot send is restarted all the same, and loses nothing", Label("blackhole", "source", "worker-broker"), oneWorker, func(ctx SpecContext) {
		Needs("tasks that are restarted by REST", workers().TellsStatus())
		cluster := ShareConnect(ctx)
		apart := brokerApart(ctx, cluster)
		led := []int{apart, 1 + apart%3, 1 + (1+apart)%3}
		p := PipelineOn(ctx, cluster, [][]int{led, led, led})
		owner := holder(ctx, cluster.Rig(), faults.WorkerOf(p.source.name, 0))
		During(ctx, cluster, faults.Blackhole().On(faults.Between(faults.Node(owner), faults.Node(topology.BrokerNode(apart)))), func() {
			starts := p.source.holdsLines(ctx)
			p.FlowsThrough(ctx, "while a source cannot send")
			restartInVain(ctx, cluster, owner, state.TaskID{Connector: p.source.name})
			// It starts where it cannot send either.
			soon(ctx, rejoin, unhurried, p.source.Starts, BeNumerically(">", starts), "starts of a source that cannot send")
			soon(ctx, rejoin, unhurried, cluster.Worker(owner.ID).Liveness, surviving(), "while its source cannot send")
			soon(ctx, rejoin, unhurried, p.source.Owners, RunEachTaskOnce(), "of a source that cannot send")
		})
		p.Settled(ctx)
	})
})

// holdsLines waits until the task has run for as long as two batches of lines take to
// come, so that it has some that it cannot send: rebalances of older releases may go
// on after the workers have settled. It tells how often the task had started.
func (c connector) holdsLines(ctx context.Context) (starts int) {
	GinkgoHelper()
	since := time.Now()
	premise(ctx, settling, unhurried, func(ctx context.Context) (time.Duration, error) {
		now, err := c.Starts(ctx)
		if now != starts {
			starts, since = now, time.Now()
		}
		return time.Since(since), err
	}, BeNumerically(">", 2*lineBatch), "how long the source's task has run")
	return starts
}

// brokerApart is a broker that does nothing for the workers: it neither coordinates
// their group nor leads their topics.
func brokerApart(ctx SpecContext, cluster *harness.Cluster) int {
	GinkgoHelper()
	busy := map[topology.Node]bool{}
	for _, role := range []faults.Role{faults.CoordinatorOf(topology.ConnectGroup), faults.LeaderOf(topology.ConfigTopic, 0),
		faults.LeaderOf(topology.OffsetTopic, 0), faults.LeaderOf(topology.StatusTopic, 0)} {
		busy[holder(ctx, cluster.Rig(), role)] = true
	}
	for _, broker := range cluster.Brokers() {
		if !busy[broker.Name()] {
			return broker.Name().ID
		}
	}
	judge(incident.Environment, fmt.Errorf("every broker is busy: %v", busy))
	return 0
}
