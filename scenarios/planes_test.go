package scenarios

import (
	"context"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

var _ = Describe("A client of the cluster", Label("harness"), func() {
	It("meets the faults of its links on one plane, and none on the other", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(1), topology.Workers(1))
		broker, worker := topology.BrokerNode(1), topology.WorkerNode(1)
		for _, plane := range []harness.Plane{harness.OnFaulted, harness.OnWitness} {
			Expect(ping(ctx, cluster, plane)).To(Succeed(), "Kafka on the %s plane", plane)
			Expect(root(ctx, cluster, plane)).To(Succeed(), "REST on the %s plane", plane)
		}
		mine := []topology.Link{{From: topology.TheClient, To: broker}, {From: topology.TheClient, To: worker}}
		During(ctx, cluster, faults.Blackhole(mine...), func() {
			Expect(ping(ctx, cluster, harness.OnFaulted)).NotTo(Succeed())
			Expect(root(ctx, cluster, harness.OnFaulted)).NotTo(Succeed())
			Expect(ping(ctx, cluster, harness.OnWitness)).To(Succeed())
			Expect(root(ctx, cluster, harness.OnWitness)).To(Succeed())
		})
		Expect(ping(ctx, cluster, harness.OnFaulted)).To(Succeed())
		Expect(root(ctx, cluster, harness.OnFaulted)).To(Succeed())
	})
})

// answerBound is how long an answer may take that nothing delays: a hundred times
// what it does.
const answerBound = 2 * time.Second

// ping asks the brokers over franz-go.
func ping(ctx context.Context, cluster *harness.Cluster, plane harness.Plane) error {
	ctx, cancel := context.WithTimeout(ctx, answerBound)
	defer cancel()
	client, err := cluster.NewClient(plane)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Ping(ctx)
}

// root asks the worker for its first page.
func root(ctx context.Context, cluster *harness.Cluster, plane harness.Plane) error {
	ctx, cancel := context.WithTimeout(ctx, answerBound)
	defer cancel()
	url, err := cluster.REST(plane, topology.WorkerNode(1))
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
