package scenarios

import (
	"context"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/witness"
)

// reign is who has been the controller since a scenario began.
type reign struct {
	cluster *harness.Cluster
	boss    *harness.Broker // of when it began
	before  state.ControllerView

	mu    sync.Mutex
	views []state.ControllerView // as they changed
}

// followReign reads who the controller is, and every change of that from now on.
func followReign(ctx SpecContext, cluster *harness.Cluster) *reign {
	GinkgoHelper()
	r := &reign{cluster: cluster, boss: Read(ctx, cluster.ControllerBroker), before: Read(ctx, cluster.Controller)}
	watching, end := context.WithCancel(ctx)
	DeferCleanup(end)
	changes, err := cluster.Witness().ZooKeeper.Watch(watching, witness.EpochPath)
	Expect(err).NotTo(HaveOccurred())
	go func() {
		for range changes {
			if view, err := cluster.Controller(watching); err == nil {
				r.mu.Lock()
				r.views = append(r.views, view)
				r.mu.Unlock()
			}
		}
	}()
	return r
}

// Passes waits until another broker is the controller, and returns what is read then.
func (r *reign) Passes(ctx SpecContext) state.ControllerView {
	GinkgoHelper()
	By("waiting for another controller")
	Soon(ctx, recovery, r.cluster.Controller, And(
		HaveField("Present", true), HaveField("Broker", Not(Equal(r.boss.Name().ID))), HaveField("Epoch", BeNumerically(">", r.before.Epoch))))
	return Read(ctx, r.cluster.Controller)
}

// Serves expects one controller that serves, since when the reign was followed.
func (r *reign) Serves(ctx SpecContext) {
	GinkgoHelper()
	expectOneController(ctx, r.cluster, r.before)
	r.mu.Lock()
	defer r.mu.Unlock()
	var epochs []int
	for _, view := range r.views {
		epochs = append(epochs, view.Epoch)
	}
	Expect(slices.IsSorted(epochs)).To(BeTrue(), "an epoch went back: %v", r.views)
}

// Stands expects that nobody was elected since that reading: who was replaced has
// not come between.
func (r *reign) Stands(ctx SpecContext, since state.ControllerView) {
	GinkgoHelper()
	Expect(Read(ctx, r.cluster.Controller)).To(And(
		HaveField("Broker", since.Broker), HaveField("Session", since.Session), HaveField("Epoch", since.Epoch)))
}

// Other is a broker that was not the controller.
func (r *reign) Other() *harness.Broker {
	GinkgoHelper()
	one, _ := bystanders(r.cluster, r.boss)
	return one
}
