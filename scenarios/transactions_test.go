package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/assertions/invariant"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/incident"
)

const (
	// A coordinator looks every 10 s for transactions whose time is over, by default.
	coordinatorLooks = 10 * time.Second
	// missed is longer than a broker's session, and leaves time for its heirs to serve.
	missed = 3 * sessionTimeout / 2
	// abandoned is longer than any transaction lasts whose producer is not heard of.
	abandoned = workload.TransactionTimeout + coordinatorLooks + 2*time.Second
	// A producer that finds its transaction gone gives up an answer, starts again under
	// the same name, and waits until the coordinator has settled what it left open,
	// which is a transaction's time at most.
	settled = workload.TransactionTimeout + workload.GivesUp
)

var _ = Describe("Transactions", onReplicated, Label("clients", "transactions", "traffic"), func() {
	// What is aborted is never read, and none hangs: the last reader of committed
	// records comes to the end of every partition, and the producer goes on to commit.
	DescribeTable("are whole or not there, and none hangs", func(ctx SpecContext, fault faults.Fault) {
		cluster, load := transactional(ctx)
		During(ctx, cluster, Promise(cluster, fault, history.Fault{Recovery: whole}), nil)
		expectWhole(ctx, cluster)
		load.Transact(ctx, 2)
		load.Judged(ctx, invariant.Aborted, invariant.Duplicate)
	},
		Entry("when a leader is killed", Label("kill", "leader", "core"), SpecTimeout(3*time.Minute),
			faults.For(missed, faults.Kill(faults.Node(brokerNode(1))))),
		Entry("when a broker sleeps past its session", Label("pause", "broker"), SpecTimeout(3*time.Minute),
			faults.For(missed, faults.Pause(faults.Node(brokerNode(2))))),
		Entry("when their coordinators move from broker to broker", Label("restart", "coordinator"), SpecTimeout(3*time.Minute),
			faults.RollingRestart(0, brokerNode(1), brokerNode(2), brokerNode(3))),
		Entry("when links of clients flap", Label("flap", "client-broker", "blackhole"), SpecTimeout(3*time.Minute),
			faults.Flap(faults.Blackhole(toBrokers()...), faults.Square(2*time.Second, 3))),
		Entry("when their producer is not heard of for longer than they may last", Label("blackhole", "client-broker", "slow"), SpecTimeout(3*time.Minute),
			faults.For(abandoned, faults.Blackhole(toBrokers()...))),
	)

	It("are whole or not there, and none hangs, when their own coordinator is killed", Label("kill", "coordinator"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster, load := transactional(ctx)
			killed := faults.Kill(load.transactionCoordinator(ctx))
			During(ctx, cluster, Promise(cluster, killed, history.Fault{Available: true, Budget: failover, Recovery: whole}), func() {
				load.Flow(ctx, 4*enough)
				load.Transact(ctx, 1)
			})
			expectWhole(ctx, cluster)
			load.Transact(ctx, 2)
			load.Judged(ctx, invariant.Aborted, invariant.Duplicate)
		})
})

// transactional is the usual traffic and a producer of transactions, with readers
// of what they commit, one of them in a group. It goes on once one has committed.
func transactional(ctx context.Context) (*harness.Cluster, *traffic) {
	GinkgoHelper()
	Needs("transactions", brokers().Idempotence())
	cluster := Share(ctx, replicated...)
	load := Load(ctx, cluster, workload.Producer{Name: recordOf(cluster).own(transactor), Kind: workload.Transactional, Rate: 100, Seed: seed()},
		workload.Consumer{Group: recordOf(cluster).own("committed"), Committed: true}, workload.Consumer{Committed: true})
	Premise(ctx, recovery, load.committed, BeNumerically(">", 0), "transactions committed")
	return cluster, load
}

// transactor is the producer of transactions.
const transactor = "transactor"

// Transact waits until so many more transactions have been committed.
func (t *traffic) Transact(ctx context.Context, count int64) {
	GinkgoHelper()
	want := t.clients.Summary().Commits + count
	Soon(ctx, settled, t.committed, BeNumerically(">=", want), "transactions committed")
}

func (t *traffic) committed(context.Context) (int64, error) { return t.clients.Summary().Commits, nil }

// transactionCoordinator is the leader of the partition that holds the state of the
// transactor's transactions (TransactionStateManager.partitionFor, which counts as
// groups are counted).
func (t *traffic) transactionCoordinator(ctx context.Context) faults.Target {
	GinkgoHelper()
	const topic = "__transaction_state"
	view, err := t.cluster.Witness().Admin.Topic(ctx, topic)
	judge(incident.Environment, err)
	return faults.LeaderOf(topic, state.GroupPartition(workload.TransactionalID(t.cluster.Run(), t.record.own(transactor)), len(view.Partitions)))
}
