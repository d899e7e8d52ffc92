package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

// longSession outlasts the pause of a controller, in which a broker starts.
const longSession = 30 * time.Second

var _ = Describe("A broker", Label("controller", "broker", "kill", "pause", "incident", "D"), func() {
	It("that bounced while the controller was paused serves again", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3),
			topology.Configure(topology.Broker, "zookeeper.session.timeout.ms", fmt.Sprint(longSession.Milliseconds())))
		payments := Payments(ctx, cluster)
		reign := followReign(ctx, cluster)
		boss := reign.boss
		victim, other := bystanders(cluster, boss)
		createTopic(ctx, cluster, "alone", victim.Name().ID)
		createTopic(ctx, cluster, "shared", victim.Name().ID, other.Name().ID, boss.Name().ID)
		for _, topic := range []string{"alone", "shared"} {
			Premise(ctx, recovery, producing(victim, topic), BeAcked())
		}

		before := Read(ctx, victim.Registration)
		During(ctx, cluster, faults.Pause(faults.Node(boss.Name())), func() {
			During(ctx, cluster, faults.Kill(faults.Node(victim.Name())), func() {
				During(ctx, cluster, faults.Expire(faults.Node(victim.Name())), nil)
			})
			Premise(ctx, longSession*2/3, victim.Registration, HaveNewSessionSince(before), "while the controller is paused")
		})

		// The controller has slept through it all, and finds its work at once.
		for _, topic := range []string{"alone", "shared"} {
			Soon(ctx, recovery, producing(victim, topic), BeAcked())
		}
		reign.Serves(ctx)
		expectWhole(ctx, cluster)
		payments.Judged(ctx)
	})
})

// producing makes the attempt to produce to the topic's partition on the broker.
func producing(broker *harness.Broker, topic string) func(context.Context) (state.Produced, error) {
	return func(ctx context.Context) (state.Produced, error) { return broker.Produce(ctx, topic, 0) }
}

// bystanders are two brokers that are not the controller.
func bystanders(cluster *harness.Cluster, controller *harness.Broker) (one, another *harness.Broker) {
	GinkgoHelper()
	var rest []*harness.Broker
	for _, broker := range cluster.Brokers() {
		if broker.Name() != controller.Name() {
			rest = append(rest, broker)
		}
	}
	if len(rest) < 2 {
		judge(incident.Environment, errors.New("want three brokers or more"))
	}
	return rest[0], rest[1]
}
