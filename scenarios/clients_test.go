package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

// toBrokers are the links from the clients to all brokers.
func toBrokers() []topology.Link {
	var links []topology.Link
	for id := range 3 {
		links = append(links, topology.Link{From: topology.TheClient, To: brokerNode(id + 1)})
	}
	return links
}

// What a network between clients and brokers may do to records: not lose them, nor
// double or reorder what is sent idempotently.
var _ = Describe("Records of clients", onReplicated, Label("clients", "links", "traffic"), func() {
	DescribeTable("are neither lost, doubled nor reordered", func(ctx SpecContext, fault faults.Fault) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		During(ctx, cluster, Promise(cluster, fault, history.Fault{Recovery: recovery}), nil)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	},
		Entry("while links flap", Label("flap", "core"), SpecTimeout(3*time.Minute),
			faults.Flap(faults.Cut(toBrokers()...), faults.Drawn(time.Second, 6, 400*time.Millisecond, 7))),
		Entry("when connections are reset in mid-message", Label("reset"), SpecTimeout(3*time.Minute),
			faults.Repeat(8, 500*time.Millisecond, faults.CloseAfter(20_000, toBrokers()...))),
		Entry("when answers are lost", Label("blackhole"), SpecTimeout(3*time.Minute),
			faults.For(unanswered, faults.Blackhole(toBrokers()...).Downstream())),
		Entry("when one broker is out of reach", Label("blackhole"), SpecTimeout(3*time.Minute),
			faults.For(unanswered, faults.Blackhole(toBrokers()[:1]...))),
		Entry("when everything stands still and goes on", Label("hold"), SpecTimeout(3*time.Minute),
			faults.For(unanswered, faults.Hold(toBrokers()...))),
		// Those that were open have had theirs: they are cut before.
		Entry("when the first answer to each connection is lost", Label("swallow"), SpecTimeout(3*time.Minute),
			faults.Sequence(faults.For(100*time.Millisecond, faults.Cut(toBrokers()[:1]...)), faults.For(unanswered, faults.SwallowFirstReply(toBrokers()[:1]...)))),
		Entry("over links that are slow and narrow", Label("bandwidth", "delay"), SpecTimeout(3*time.Minute),
			faults.For(unanswered, faults.Together(faults.Bandwidth(200, toBrokers()[:2]...), faults.Delay(200*time.Millisecond, toBrokers()[2])))),
	)
})

// unanswered is longer than clients wait for an answer, which is 5 s.
const unanswered = 8 * time.Second

var _ = Describe("A group of consumers", onReplicated, Label("clients", "group", "traffic"), func() {
	It("goes on where it committed when its coordinator is killed", Label("kill", "coordinator"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		killed := faults.Kill(faults.CoordinatorOf("readers"))
		During(ctx, cluster, Promise(cluster, killed, history.Fault{Available: true, Budget: failover, Recovery: whole}), func() { load.Flow(ctx, 4*enough) })
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("goes on where it committed when its coordinator moves", Label("coordinator", "administration"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		During(ctx, cluster, Promise(cluster, faults.MoveCoordinator("readers"), history.Fault{Available: true, Budget: sessionTimeout, Recovery: whole}),
			func() { load.Flow(ctx, 4*enough) })
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("commits nothing after its coordinator slept past the session and woke up", Label("pause", "coordinator"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		coordinator := holder(ctx, cluster.Rig(), faults.CoordinatorOf("readers"))
		asleep := faults.Pause(faults.Node(coordinator))
		During(ctx, cluster, Promise(cluster, asleep, history.Fault{Available: true, Budget: unheard, Recovery: whole}), func() {
			Soon(ctx, failover, cluster.Broker(coordinator.ID).Registration, Not(BeRegistered()))
			load.Flow(ctx, 4*enough)
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})
