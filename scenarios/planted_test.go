package scenarios

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// Planted: what must turn a verdict red, or inconclusive, and for which reason.
var _ = Describe("A verdict", onReplicated, Label("harness", "planted", "traffic"), func() {
	// What is lost is waited for in vain: not for a minute.
	brief := workload.Patience{Final: 10 * time.Second}
	demand := history.Terms{Demand: []string{invariant.Lost.String(), invariant.Unseen.String(), invariant.Conflict.String()}}

	It("names the records that a leader acknowledged alone and took with it", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		orders := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 1}, [][]int{{1, 2, 3}}, demand,
			workload.Producer{Kind: workload.AcksLeader, Rate: 400}, brief)
		orders.Flow(ctx, 800) // followers of a new topic wait for a second until they fetch (seen on 3.9.2)

		During(ctx, cluster, faults.Blackhole(toLeader...), func() {
			orders.Flow(ctx, 100) // nobody fetches them, and both count as in sync for a lag
			During(ctx, cluster, faults.Kill(faults.Node(leader)), func() { orders.Flow(ctx, 100) })
		})
		expectWhole(ctx, cluster)

		report := orders.Stop(ctx)
		Expect(report).To(Or(Break(invariant.Lost), Break(invariant.Unseen)))
		expectEvidence(report, invariant.Lost, invariant.Unseen)
	})

	It("names the records that an unclean election threw away", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		orders := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 1, Unclean: true}, [][]int{{1, 2, 3}}, demand,
			workload.Producer{Kind: workload.AcksLeader, Rate: 200}, workload.Consumer{}, brief)
		orders.Flow(ctx, 200)

		During(ctx, cluster, faults.Blackhole(toLeader...), func() {
			Premise(ctx, shrunk, orders.inSync(0), Equal([]int{leader.ID}))
			orders.Flow(ctx, 200)
			During(ctx, cluster, faults.Kill(faults.Node(leader)), func() { orders.Flow(ctx, 200) })
		})
		expectWhole(ctx, cluster)

		report := orders.Stop(ctx)
		Expect(report).To(And(Break(invariant.Lost), Break(invariant.Conflict)))
		expectEvidence(report, invariant.Lost, invariant.Conflict)
	})

	It("is red where min.insync.replicas=1 left the records of acks=all to a leader that is killed", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		orders := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 1}, [][]int{{1, 2, 3}}, history.Terms{},
			workload.Producer{Rate: 200})
		orders.Flow(ctx, 200)

		During(ctx, cluster, faults.Blackhole(toLeader...), func() {
			Premise(ctx, shrunk, orders.inSync(0), Equal([]int{leader.ID}))
			orders.Flow(ctx, 200)
			killed := Promise(cluster, faults.Kill(faults.Node(leader)), history.Fault{Available: true})
			During(ctx, cluster, killed, func() { orders.Try(ctx, 200) })
		})
		expectWhole(ctx, cluster)
		orders.Flow(ctx, 100)

		report := orders.Stop(ctx)
		Expect(report).To(Break(invariant.NoProgress), "nobody else may lead")
		Expect(report.Of(invariant.Lost).NotPromised).To(ConsistOf("min.insync.replicas=1 of 3, a broker stopped uncleanly"))
	})
})

// Planted on one broker, which is enough for what says nothing.
var _ = Describe("A verdict", Label("harness", "planted", "traffic"), func() {
	It("is inconclusive if the fault did nothing", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, topology.Brokers(1))
		orders := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 1}, spread(cluster, 1), history.Terms{}, workload.Producer{Rate: 200})
		orders.Flow(ctx, 100)

		err := faults.During(ctx, cluster.Rig(), idle{faults.Blackhole(cluster.Broker(1).LinksToZooKeeper()...)}, func(context.Context) error {
			return errors.New("the body ran, though the fault did nothing")
		})
		Expect(err).To(MatchError(faults.ErrInconclusive))

		orders.Flow(ctx, 100)
		Expect(orders.Stop(ctx)).To(BeInconclusive("could not be seen in effect"))
	})

	It("is inconclusive if clients went past their proxies", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, topology.Brokers(1))
		orders := trafficOn(ctx, cluster, harness.OnWitness, history.Topic{Name: "orders", MinInSync: 1}, spread(cluster, 1), history.Terms{},
			workload.Producer{Rate: 200})
		orders.Flow(ctx, 100)

		mine := faults.Blackhole(topology.Link{From: topology.TheClient, To: topology.BrokerNode(1)})
		During(ctx, cluster, Promise(cluster, mine, history.Fault{Severs: true}), func() { orders.Flow(ctx, 100) })

		orders.Flow(ctx, 100)
		Expect(orders.Stop(ctx)).To(BeInconclusive("acknowledged past it"))
	})
})

// expectEvidence expects that what is broken of the laws says all that is known of
// a record: its offset, who acknowledged it, the faults of then, and what is on disk.
func expectEvidence(report invariant.Report, laws ...invariant.Law) {
	GinkgoHelper()
	var told []invariant.Violation
	for _, law := range laws {
		told = append(told, report.Of(law).Kept...)
	}
	Expect(told).To(HaveEach(And(HaveField("Offset", BeNumerically(">=", 0)), HaveField("Broker", BeNumerically(">", 0)), HaveField("Disk", HaveLen(3)))))
	hole := report.Faults[0]
	for _, one := range told { // the first ones may be of before
		if one.At > hole.At && one.At < hole.At+hole.Lasted {
			Expect(one.Faults).To(ContainElement(HavePrefix("blackhole")), "%v was acknowledged while nobody fetched", one)
		}
	}
}

// idle is a fault that has fallen off as soon as it is injected.
type idle struct{ faults.Fault }

func (f idle) Prepare(rig *faults.Rig) faults.Effect { return idleEffect{f.Fault.Prepare(rig)} }

type idleEffect struct{ faults.Effect }

func (e idleEffect) Inject(ctx context.Context) error {
	return errors.Join(e.Effect.Inject(ctx), e.Heal(ctx))
}
