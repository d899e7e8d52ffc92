package scenarios

import (
	"context"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// prompt is how soon after ZooKeeper's event a fault is to be in effect.
const prompt = 10 * time.Millisecond

var _ = Describe("A trigger", Label("faults", "trigger"), func() {
	It("fires the moment its condition comes true", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
		createTopic(ctx, cluster, "orders", 1, 2, 3)
		sink := startSink(ctx, cluster, "orders")
		rig, admin, tree := cluster.Rig(), cluster.Witness().Admin, cluster.Witness().ZooKeeper
		walk := beginTour(cluster)
		fired := func(w *tour) []phase { return w.took("fire") }
		cut := func(broker int) faults.Fault { // what it disturbs least
			return faults.Cut(topology.Link{From: topology.TheClient, To: topology.BrokerNode(broker)})
		}

		By("measuring how soon")
		measure := func(n int, condition faults.Condition, fault faults.Fault, cause func(round int)) {
			var took []phase
			for round := range n {
				walk.forget()
				During(ctx, cluster, faults.When(condition, fault), func() {
					cause(round)
					walk.awaitFired(ctx, 1)
				})
				took = append(took, walk.took("fire")...)
			}
			slices.SortFunc(took, func(a, b phase) int { return int(a.took - b.took) })
			walk.say("%v → %v, %d times: %v", condition, fault, n, took)
			Expect(took).To(HaveLen(n))
			Expect(took[n/2].took).To(BeNumerically("<=", prompt), "the median of %v", took)
		}
		measure(21, faults.Appears("/kafkachaos"), cut(1), func(int) {
			Expect(tree.Create(ctx, "/kafkachaos", nil)).To(Succeed())
			Expect(tree.Delete(ctx, "/kafkachaos")).To(Succeed())
		})
		// Held, not cut: a cut at that moment is what 2.1.0 never recovers from.
		fromController := faults.Hold().On(faults.Between(faults.Controller, faults.ZooKeeperLeader))
		measure(5, faults.Gone("/admin/reassign_partitions"), fromController, func(round int) {
			Expect(admin.Reassign(ctx, "orders", 0, []int{1, 3 - round%2, 2 + round%2})).To(Succeed())
		})
		expectWhole(ctx, cluster)

		controller := holder(ctx, rig, faults.Controller)
		walk.Over(ctx,
			kind{fault: faults.Together(faults.When(faults.ControllerMoved(), cut(1)), faults.When(faults.SessionOpened(controller), cut(2))),
				until: func(ctx SpecContext) {
					before := Read(ctx, cluster.Broker(controller.ID).Registration)
					During(ctx, cluster, faults.Expire(faults.Node(controller)), nil)
					Soon(ctx, recovery, cluster.Broker(controller.ID).Registration, HaveNewSessionSince(before))
					walk.awaitFired(ctx, 2)
				}, after: fired},
			kind{fault: faults.Together(faults.When(faults.InSyncShrunk("orders", 0), cut(1)), faults.When(faults.LeaderMoved("orders", 0), cut(2))),
				until: func(ctx SpecContext) {
					leader := holder(ctx, rig, faults.LeaderOf("orders", 0))
					Expect(cluster.Broker(leader.ID).Restart(ctx)).To(Succeed())
					walk.awaitFired(ctx, 2)
				}, after: fired},
			kind{fault: faults.Together(faults.When(faults.Rebalanced(topology.ConnectGroup), cut(1)), faults.When(faults.TaskMoved(sink, 0), cut(2))),
				until: func(ctx SpecContext) {
					worker := holder(ctx, rig, faults.WorkerOf(sink, 0))
					Expect(cluster.Worker(worker.ID).Kill(ctx)).To(Succeed())
					walk.awaitFired(ctx, 2)
					Expect(cluster.Worker(worker.ID).Start(ctx)).To(Succeed())
				}, after: fired},
		)
		walk.End(ctx)
	})
})

// awaitFired waits until so many triggers have fired, and the cut or hold of each
// was proved.
func (w *tour) awaitFired(ctx context.Context, want int) {
	GinkgoHelper()
	proved := func() (n int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, entry := range w.entries {
			kind, _, _ := strings.Cut(entry.Fault, " ")
			if entry.Did == "prove" && entry.Err == nil && (kind == "cut" || kind == "hold") {
				n++
			}
		}
		return n
	}
	Eventually(ctx, proved).WithTimeout(2 * expiry).WithPolling(10 * time.Millisecond).Should(Equal(want))
}
