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
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

var _ = Describe("A cluster whose controller", onBrokers, Label("controller", "broker"), func() {
	// Over the same link the controller fetches what the other one leads, which waits
	// for it.
	delaying := history.Fault{Available: true, Budget: replaced, Recovery: whole}

	// expectInformed has a fault on the link to one broker, or on that and its way back,
	// which does not hear of a new topic meanwhile.
	expectInformed := func(ctx SpecContext, fault func(topology.Link) faults.Fault) {
		GinkgoHelper()
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)
		other := reign.Other()

		var probe *harness.ControllerProbe
		unheard := fault(topology.Link{From: reign.boss.Name(), To: other.Name()})
		During(ctx, cluster, Promise(cluster, unheard, delaying), func() {
			probe = uninformed(ctx, cluster, other)
		})
		Soon(ctx, whole, probe.Read, Serve(SinceEpoch(reign.before)))
		reign.Serves(ctx)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	}

	It("is cut from one broker has that one know its orders afterwards", Label("blackhole", "broker-broker"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		expectInformed(ctx, func(link topology.Link) faults.Fault { return faults.Blackhole(link, link.Back()) })
	})

	// The first order is answered in vain, and the others wait for that.
	It("hears no answer of one broker has that one know its orders afterwards", Label("blackhole", "downstream", "broker-broker"), SpecTimeout(2*time.Minute),
		func(ctx SpecContext) {
			expectInformed(ctx, func(link topology.Link) faults.Fault { return faults.Blackhole(link).Downstream() })
		})

	It("is replaced while its orders are under way has them refused", Label("hold", "expire", "broker-broker"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)
		other := reign.Other()
		successor := reign.before

		link := topology.Link{From: reign.boss.Name(), To: other.Name()}
		orders := func(ctx context.Context) (harness.Flow, error) {
			traffic, err := cluster.LinkTraffic(ctx, link)
			return traffic.Up, err
		}
		lost := Read(ctx, orders).Swallowed
		During(ctx, cluster, Promise(cluster, faults.Hold(link), delaying), func() {
			probe := uninformed(ctx, cluster, other)
			Premise(ctx, recovery, orders, HaveField("Waiting", BeNumerically(">", 0)), "bytes that are under way")
			During(ctx, cluster, faults.Expire(faults.Node(reign.boss.Name())), nil)
			successor = reign.Passes(ctx)
			Soon(ctx, whole, probe.Read, Serve(), "by orders of the other one")
		})
		Premise(ctx, recovery, orders, And(HaveField("Waiting", BeZero()), HaveField("Swallowed", lost)), "bytes that have arrived")
		Consistently(ctx, cluster.Witness().Brokers.View).WithArguments(other.Name().ID).WithTimeout(sessionTimeout / 3).
			Should(HaveField("Controller", BeElementOf(successor.Broker, unsaid)))
		reign.Stands(ctx, successor)
		reign.Serves(ctx)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("is cut off while it moves a partition has another one finish the move", Label("blackhole", "reassign", "broker-zookeeper", "broker-broker", "delay"), SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := threeBrokers(ctx)
		load := Load(ctx, cluster)
		reign := followReign(ctx, cluster)
		one, another := bystanders(cluster, reign.boss)
		topic, to := recordOf(cluster).own("moved"), []int{another.Name().ID, one.Name().ID}
		createTopic(ctx, cluster, topic, reign.boss.Name().ID, one.Name().ID)
		Premise(ctx, recovery, producing(reign.boss, topic), BeAcked())

		// The replica that is new is twice so long about its first fetch, and the order
		// stands until it has the records.
		slow := faults.Delay(inFlight, topology.Link{From: another.Name(), To: reign.boss.Name()})
		cut := faults.When(faults.Appears(reassignments), faults.Blackhole(reign.boss.LinksToZooKeeper()...))
		During(ctx, cluster, Promise(cluster, faults.Together(slow, cut), delaying), func() {
			Expect(cluster.Witness().Admin.Reassign(ctx, topic, 0, to)).To(Succeed())
			Premise(ctx, inFlight, linkOf(cluster, reign.boss.LinksToZooKeeper()[0]), HaveField("Toxics", Not(BeEmpty())), "the controller is cut off")
			Premise(ctx, moment, partitionOf(cluster, topic, 0), Not(HaveField("ISR", ConsistOf(to))), "a move that is not done")
			reign.Passes(ctx)
			Soon(ctx, recovery, partitionOf(cluster, topic, 0), HaveField("Replicas", to))
		})
		reign.Serves(ctx)
		Soon(ctx, recovery, producing(another, topic), BeAcked())
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

// linkOf makes the reading what a link has on it.
func linkOf(cluster *harness.Cluster, link topology.Link) func(context.Context) (faults.LinkState, error) {
	return func(ctx context.Context) (faults.LinkState, error) {
		reader, ok := cluster.Rig().Links.(faults.LinkReader)
		if !ok {
			return faults.LinkState{}, errors.New("read a link: it is not known what is on it")
		}
		return reader.ReadLink(ctx, link)
	}
}

// unsaid is the controller by the word of brokers before 0.10.0.0.
const unsaid = -1

// uninformed asks the controller for a topic, and waits until all brokers know who
// leads it but this one.
func uninformed(ctx SpecContext, cluster *harness.Cluster, only *harness.Broker) *harness.ControllerProbe {
	GinkgoHelper()
	probe, err := cluster.ProbeController(ctx)
	Expect(err).NotTo(HaveOccurred())
	Premise(ctx, recovery, func(ctx context.Context) ([]string, error) {
		service, err := probe.Read(ctx)
		return service.Unserved(), err
	}, ConsistOf(HavePrefix(only.String()+" ")), "who does not know the leaders of a new topic")
	return probe
}
