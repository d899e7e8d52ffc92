package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
	"kafkachaos/scenarios/incident"
)

var _ = Describe("Workers", onWorkers, Label("connect", "brokers", "worker"), func() {
	It("come together again after all of them lose all brokers", Label("blackhole", "worker-broker"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		During(ctx, p.cluster, faults.Blackhole().On(faults.ByRole(topology.Worker, topology.Broker)), func() {
			soon(ctx, 2*workerSession, unhurried, p.cluster.ConnectGroup, HaveField("Members", BeEmpty()), "once their sessions are over")
		})
		p.Settled(ctx)
	})

	It("answer writes, and take them, when the leader of their internal topics dies", Label("kill", "rest", "leader", "core"), oneWorker,
		func(ctx SpecContext) {
			p := Pipeline(ctx, ShareConnect(ctx))
			ledByOne(ctx, p.cluster, topology.ConfigTopic, topology.OffsetTopic, topology.StatusTopic)
			connect, asked := p.cluster.Witness().Connect, follower(ctx, p.cluster)
			During(ctx, p.cluster, faults.Kill(faults.LeaderOf(topology.ConfigTopic, 0)), func() {
				p.source.config["kafkachaos.written"] = "in vain or not"
				// A worker gives up writing after 30 s (KafkaConfigBackingStore), which is as
				// long as the witness waits; a broker that died has a successor long before.
				err := connect.SetConfig(ctx, asked, p.source.name, p.source.config)
				Expect(err).To(Or(BeNil(), MatchError(witness.ErrServer), MatchError(witness.ErrRebalancing)), "what %v answers", asked)
				soon(ctx, expiry+settling, gently, func(ctx context.Context) (bool, error) {
					err := connect.SetConfig(ctx, asked, p.source.name, p.source.config)
					return err == nil, err
				}, BeTrue(), "%v takes a configuration", asked)
				p.CarriedBy(ctx, pipelineWorkers, "with two brokers")
			})
			p.Settled(ctx)
		})

	It("hear of a configuration that changed while they were away", Label("pause", "config"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		const tasks = pipelineTasks - 1
		During(ctx, p.cluster, faults.Pause(faults.Node(follower(ctx, p.cluster))), func() {
			soon(ctx, settling, unhurried, p.cluster.ConnectGroup, ShareTheWork(pipelineWorkers-1, pipelineTasks), "without the one that is paused")
			p.sink.Put(ctx, "tasks.max", "2")
			soon(ctx, settling, unhurried, p.cluster.ConnectGroup, ShareTheWork(pipelineWorkers-1, tasks), "with a task less")
		})
		soon(ctx, settling, unhurried, p.cluster.ConnectGroup, ShareTheWork(pipelineWorkers, tasks), "with the one that was paused")
		soon(ctx, redelivery, unhurried, p.sink.Owners, RunEachTaskOnce())
		p.sink.Put(ctx)
		p.Settled(ctx)
	})
})

var _ = Describe("A worker", onWorkers, Label("connect", "brokers", "worker"), func() {
	It("ends in time when it is stopped while all brokers are away", Label("terminate", "blackhole", "worker-broker", "slow"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		worker := p.cluster.Worker(holder(ctx, p.cluster.Rig(), faults.WorkerOf(p.source.name, 0)).ID)
		During(ctx, p.cluster, faults.Blackhole().On(faults.Towards(faults.Node(worker.Name()), topology.Broker)), func() {
			soon(ctx, 2*workerSession, unhurried, p.cluster.ConnectGroup, Not(HaveField("Members", HaveLen(pipelineWorkers))), "once its session is over")
			By("stopping a worker that reaches no broker")
			within, cancel := context.WithTimeout(ctx, farewell)
			defer cancel()
			Expect(worker.Terminate(within)).To(Succeed(), "within %v", farewell)
		})
		Expect(worker.Start(ctx)).To(Succeed())
		p.Settled(ctx)
	})
})

// ledByOne has one broker lead these topics, whose partitions prefer the same.
func ledByOne(ctx SpecContext, cluster *harness.Cluster, topics ...string) {
	GinkgoHelper()
	one := Read(ctx, partitionOf(cluster, topics[0], 0)).Replicas[0]
	for _, topic := range topics {
		judge(incident.Inconclusive, cluster.Rig().Partitions.ElectPreferred(ctx, topic, 0), "ordering an election")
		Premise(ctx, recovery, partitionOf(cluster, topic, 0), HaveField("Leader", one), "the first partition of %s", topic)
	}
}

// farewell bounds the end of a worker that cannot say what it has to. Its herder is
// given worker.sync.timeout.ms of 3 s, the time that tasks and connectors have to
// stop, and 10 s; then it is interrupted, and given as much again
// (DistributedHerder.stop, ThreadUtils). The process has the rest.
const farewell = 2*(3*time.Second+graceful+graceful+10*time.Second) + graceful
