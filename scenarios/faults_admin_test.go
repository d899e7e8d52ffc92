package scenarios

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// deletes lets brokers before 1.0.0 delete topics, as later ones do.
var deletes = topology.Configure(topology.Broker, "delete.topic.enable", "true")

var _ = Describe("Faults of administration", Label("faults", "admin"), func() {
	It("change topics and take it back, and compose", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), deletes)
		createTopic(ctx, cluster, "orders", 1, 2, 3)
		createTopic(ctx, cluster, "bills", 1, 2)
		rig := cluster.Rig()
		walk := beginTour(cluster)

		By("administering")
		walk.Over(ctx,
			kind{fault: faults.CreateTopic("fresh", 3, 2)},
			kind{fault: faults.DeleteTopic("bills")},
			kind{fault: faults.ChangeTopic("orders", "retention.ms", "60000")},
			kind{fault: faults.Reassign("orders", 0, 3, 1, 2), until: func(ctx SpecContext) {
				During(ctx, cluster, faults.ElectPreferred("orders", 0), nil)
				Expect(holder(ctx, rig, faults.LeaderOf("orders", 0))).To(Equal(topology.BrokerNode(3)))
			}},
			kind{fault: faults.Reassign("bills", 0, 3)},
		)

		By("composing")
		client := func(broker int) topology.Link {
			return topology.Link{From: topology.TheClient, To: topology.BrokerNode(broker)}
		}
		blip := faults.For(300*time.Millisecond, faults.Cut(client(1)))
		walk.Over(ctx,
			kind{fault: faults.Sequence(blip, faults.Expire(faults.Controller), blip)},
			kind{fault: faults.Together(faults.Blackhole(client(1)), faults.Delay(100*time.Millisecond, client(2)),
				faults.Pause(faults.Node(topology.BrokerNode(3))))},
			kind{fault: faults.Repeat(3, 500*time.Millisecond, blip)},
			kind{fault: faults.AtRandomTimes(seed(), 4, 2*time.Second, blip, faults.For(time.Second, faults.Cut(client(2))))},
			kind{fault: faults.Flap(faults.Cut(client(3)), faults.Square(400*time.Millisecond, 3))},
			kind{fault: faults.Guarded(1, faults.Pause(faults.Controller)), until: func(ctx SpecContext) {
				second := faults.Guarded(1, faults.Pause(faults.FollowerOf("bills", 0)))
				for _, other := range cluster.Brokers() {
					if other.Name() != holder(ctx, rig, faults.Controller) {
						second = faults.Guarded(1, faults.Kill(faults.Node(other.Name())))
					}
				}
				Expect(faults.During(ctx, rig, second, nil)).To(MatchError(faults.ErrGuarded), "the second of three")
			}},
		)
		walk.End(ctx)
	})

	It("are inconclusive where they cannot be proved", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(2), deletes)
		createTopic(ctx, cluster, "orders", 1, 2)
		broker := faults.Node(cluster.Broker(1).Name())
		for _, fault := range []faults.Fault{
			faults.ElectPreferred("orders", 0),                // it leads already
			faults.ExpireRepeatedly(broker, 2, 4*time.Second), // it registers within the gap
			faults.When(faults.Gone("/never/there"), faults.Pause(broker)),
			faults.For(2*time.Second, faults.Rebalance("nobody", faults.Expire(broker))), // the group has no generation
			faults.For(100*time.Millisecond, faults.Starve(broker)),                      // shorter than a session
		} {
			err := faults.During(ctx, cluster.Rig(), fault, func(context.Context) error { return nil })
			GinkgoWriter.Printf("%v: %v\n", fault, err)
			Expect(err).To(MatchError(faults.ErrInconclusive), "%v", fault)
			Expect(errors.Is(err, faults.ErrNotHealed)).To(BeFalse(), "%v: %v", fault, err)
			expectWhole(ctx, cluster)
			Expect(faults.Audit(ctx, cluster.Rig())).To(Succeed())
		}
	})
})
