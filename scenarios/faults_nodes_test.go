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
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

var _ = Describe("Faults of nodes", Label("faults", "node"), func() {
	It("are seen in effect and healed, whatever part the node plays", SpecTimeout(5*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, append(ensemble(), topology.Brokers(3), topology.Workers(2))...)
		createTopic(ctx, cluster, "orders", 2, 3, 1)
		sink := startSink(ctx, cluster, "orders")
		rig := cluster.Rig()
		walk := beginTour(cluster)

		// takes is a fault of who plays a part, which makes another one play it.
		takes := func(fault func(faults.Target) faults.Fault, role faults.Role) kind {
			var was topology.Node
			return kind{fault: fault(role),
				before: func(ctx SpecContext) { was = holder(ctx, rig, role) },
				until: func(ctx SpecContext) {
					Soon(ctx, expiry, holderOf(rig, role), Not(Equal(was)), "another %v", role)
				}}
		}
		walk.Over(ctx,
			takes(faults.Kill, faults.Controller),
			takes(faults.Terminate, faults.LeaderOf("orders", 0)),
			kind{fault: faults.Restart(faults.FollowerOf("orders", 0))},
			kind{fault: faults.Pause(faults.CoordinatorOf(topology.ConnectGroup))},
			kind{fault: faults.Pause(faults.ZooKeeperLeader)},
			takes(faults.Kill, faults.ZooKeeperLeader),
			kind{fault: faults.Bounce(faults.ConnectLeader)},
			kind{fault: faults.Kill(faults.WorkerOf(sink, 0))},
			kind{fault: faults.CrashLoop(faults.Node(cluster.Worker(2).Name()), 2, 500*time.Millisecond, time.Second)},
			kind{fault: faults.RollingRestart(100*time.Millisecond, nodesOf(cluster.Brokers())...)},
			kind{fault: faults.LimitCPU(faults.Controller, 0.2), until: func(ctx SpecContext) {
				Expect(quota(ctx, cluster, holder(ctx, rig, faults.Controller))).To(BeNumerically("~", 0.2))
			}},
		)
		Expect(quota(ctx, cluster, holder(ctx, rig, faults.Controller))).To(BeZero(), "no limit is left")
		for _, broker := range cluster.Brokers() {
			Expect(Read(ctx, broker.Registration)).To(BeRegistered())
		}
		walk.End(ctx)
	})
})

// holder is who plays the part now. That nobody can tell says nothing of Kafka.
func holder(ctx context.Context, rig *faults.Rig, role faults.Role) topology.Node {
	GinkgoHelper()
	node, err := holderOf(rig, role)(ctx)
	judge(incident.Inconclusive, err)
	return node
}

func holderOf(rig *faults.Rig, role faults.Role) func(context.Context) (topology.Node, error) {
	return func(ctx context.Context) (topology.Node, error) { return role.Resolve(ctx, rig) }
}

// quota is the limit that the kernel of the node enforces, in processors; 0 is
// none.
func quota(ctx context.Context, cluster *harness.Cluster, of topology.Node) float64 {
	GinkgoHelper()
	node, err := cluster.Node(of)
	Expect(err).NotTo(HaveOccurred())
	text, err := node.Exec(ctx, "sh", "-c",
		"cat /sys/fs/cgroup/cpu.max 2>/dev/null || cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us")
	Expect(err).NotTo(HaveOccurred())
	var limit, period float64
	if _, err := fmt.Sscan(text, &limit, &period); err != nil || limit < 0 {
		return 0 // "max", or -1 in the older form
	}
	return limit / period
}
