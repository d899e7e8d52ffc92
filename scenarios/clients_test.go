package scenarios

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/assertions/invariant"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// toBrokers are the links from the clients to all brokers.
func toBrokers() []topology.Link {
	var links []topology.Link
	for id := range 3 {
		links = append(links, topology.Link{From: topology.TheClient, To: brokerNode(id + 1)})
	}
	return links
}

const (
	// unanswered is longer than a producer waits for an answer.
	unanswered = workload.GivesUp + 2*time.Second
	// brief is longer than a client takes to connect again, and to try what it tried.
	brief = 400 * time.Millisecond
	// midMessage is less than a request of the usual traffic has, and than the first
	// answer on a connection has, in bytes.
	midMessage = 300
)

// What a network between clients and brokers may do to records: not lose them, nor
// double or reorder what is sent idempotently.
var _ = Describe("Records of clients", onReplicated, Label("clients", "client-broker", "traffic"), func() {
	unserved := history.Fault{Recovery: recovery}
	served := history.Fault{Available: true, Recovery: recovery} // by some of the brokers, or now and then

	// expectUnharmed has something done to links, and expects of the records that all is
	// well. If it loses requests or answers for certain, some are to be of producers.
	expectUnharmed := func(ctx SpecContext, loses bool, do func(*harness.Cluster)) {
		GinkgoHelper()
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		do(cluster)
		if loses {
			Premise(ctx, moment, load.unsure, BeNumerically(">", 0), "requests to produce without an answer, which are sent again")
		}
		expectWhole(ctx, cluster)
		load.GroupGoesOn(ctx, workload.Regroups)
		load.Judged(ctx, invariant.Duplicate, invariant.Reordered, invariant.CommitBackwards)
	}
	const loses, losesNothing = true, false

	DescribeTable("are neither lost, doubled nor reordered", func(ctx SpecContext, loses bool, expect history.Fault, fault faults.Fault) {
		expectUnharmed(ctx, loses, func(cluster *harness.Cluster) { During(ctx, cluster, Promise(cluster, fault, expect), nil) })
	},
		Entry("while links flap", Label("flap", "cut", "core"), SpecTimeout(3*time.Minute), losesNothing, unserved,
			faults.Flap(faults.Cut(toBrokers()...), faults.Drawn(time.Second, 6, brief, seed()))),
		Entry("when connections are closed in mid-message", Label("close"), SpecTimeout(3*time.Minute), loses, unserved,
			faults.Repeat(6, time.Second, faults.For(brief, faults.CloseAfter(midMessage, toBrokers()...)))),
		Entry("when answers are lost", Label("blackhole"), SpecTimeout(3*time.Minute), loses, unserved,
			faults.For(unanswered, faults.Blackhole(toBrokers()...).Downstream())),
		Entry("when one broker is out of reach", Label("blackhole"), SpecTimeout(3*time.Minute), loses, served,
			faults.For(unanswered, faults.Blackhole(toBrokers()[:1]...))),
		Entry("when everything stands still and goes on", Label("hold"), SpecTimeout(3*time.Minute), loses, unserved,
			faults.For(unanswered, faults.Hold(toBrokers()...))),
		// Those that were open have had theirs: they are cut before.
		Entry("when the first answer to each connection is lost", Label("swallow"), SpecTimeout(3*time.Minute), losesNothing, served,
			faults.Sequence(faults.For(brief/4, faults.Cut(toBrokers()[:1]...)), faults.For(sessionTimeout, faults.SwallowFirstReply(toBrokers()[:1]...)))),
		Entry("over links that are slow and narrow", Label("bandwidth", "delay"), SpecTimeout(3*time.Minute), losesNothing,
			history.Fault{Available: true, Budget: unnoticed, Recovery: recovery},
			faults.For(2*lag, faults.Together(faults.Bandwidth(200, toBrokers()[:2]...), faults.Delay(brief/2, toBrokers()[2])))),
	)

	It("are neither lost, doubled nor reordered when connections are reset in mid-message", Label("reset", "delay"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			expectUnharmed(ctx, loses, func(cluster *harness.Cluster) {
				// For as long as answers are under way at any time.
				slow := faults.Delay(brief/2, toBrokers()...).Downstream()
				During(ctx, cluster, Promise(cluster, slow, served), func() {
					resets := faults.Repeat(6, time.Second, faults.Reset(toBrokers()...))
					During(ctx, cluster, Promise(cluster, resets, unserved), nil)
				})
			})
		})
})

var _ = Describe("A group of consumers", onReplicated, Label("clients", "group", "traffic"), func() {
	// expectGroup has a fault befall the coordinator of the group, which goes on with
	// another one meanwhile, where it committed.
	expectGroup := func(ctx SpecContext, fault func(topology.Node, *traffic) faults.Fault, budget time.Duration, meanwhile func(*traffic)) {
		GinkgoHelper()
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		group := faults.CoordinatorOf(load.readers())
		coordinator := holder(ctx, cluster.Rig(), group)
		During(ctx, cluster, Promise(cluster, fault(coordinator, load), history.Fault{Available: true, Budget: budget, Recovery: whole}), func() {
			Soon(ctx, expiry+recovery, holderOf(cluster.Rig(), group), Not(Equal(coordinator)), "who coordinates")
			load.GroupGoesOn(ctx, workload.Regroups)
			load.Flow(ctx, enough)
			if meanwhile != nil {
				meanwhile(load)
			}
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx, invariant.CommitBackwards, invariant.Backwards, invariant.Skipped)
	}

	It("goes on where it committed when its coordinator is killed", Label("kill", "coordinator"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		expectGroup(ctx, func(coordinator topology.Node, _ *traffic) faults.Fault { return faults.Kill(faults.Node(coordinator)) }, failover, nil)
	})

	It("goes on where it committed when its coordinator moves", Label("administration", "coordinator"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		expectGroup(ctx, func(_ topology.Node, load *traffic) faults.Fault { return faults.MoveCoordinator(load.readers()) }, sessionTimeout, nil)
	})

	// Awake, it may take itself for what it was, and be asked.
	It("goes on where it committed when its coordinator sleeps past its session and wakes up", Label("pause", "coordinator"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			expectGroup(ctx, func(coordinator topology.Node, _ *traffic) faults.Fault {
				return faults.Pause(faults.Node(coordinator))
			}, unheard,
				func(load *traffic) {
					Premise(ctx, unanswered, load.unsure, BeNumerically(">", 0), "requests to produce that it has left unanswered for too long")
				})
		})
})
