package scenarios

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// What the harness itself promises, shown on a real cluster.
var _ = Describe("The harness", Label("harness"), func() {
	It("reads on the witness plane what the faulted plane cannot reach", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(1))
		zookeeper := cluster.ZooKeeper(1).Name()
		link := topology.Link{From: topology.TheClient, To: zookeeper}
		Expect(imok(ctx, cluster, harness.OnFaulted)).To(Equal("imok"))

		During(ctx, cluster, faults.Blackhole(link), func() {
			Expect(imok(ctx, cluster, harness.OnFaulted)).To(BeEmpty(), "the client's link is a black hole")
			Expect(imok(ctx, cluster, harness.OnWitness)).To(Equal("imok"))
			Expect(Read(ctx, cluster.Broker(1).Registration)).To(BeRegistered())

			By("collecting evidence while the fault is active")
			folder := GinkgoT().TempDir()
			Expect(cluster.Evidence(ctx, folder, cluster.Symptoms(ctx))).To(Succeed())
			Expect(os.ReadFile(filepath.Join(folder, "readings.txt"))).To(ContainSubstring("broker-1 is registered by session"))
			Expect(os.ReadFile(filepath.Join(folder, "proxies.json"))).To(ContainSubstring("timeout"))
			Expect(os.ReadFile(filepath.Join(folder, "broker-1.log"))).To(ContainSubstring("broker.id = 1"))
			Expect(os.ReadFile(filepath.Join(folder, "zk-1.properties"))).To(ContainSubstring("clientPort=2181"))
		})
		Expect(imok(ctx, cluster, harness.OnFaulted)).To(Equal("imok"))
	})

	It("sees a connection that bypasses its proxy, and lets no scenario pass with it", Label("planted"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(1))
		broker, zookeeper := cluster.Broker(1), cluster.ZooKeeper(1).Name()
		Expect(cluster.ProveNoBypass(ctx)).To(Succeed())

		bypass, end := context.WithCancel(ctx)
		defer end()
		go func() {
			defer GinkgoRecover()
			dial := fmt.Sprintf("exec 3<>/dev/tcp/%s/%d; sleep 5", zookeeper.DirectName(), zookeeper.Port())
			_, _ = broker.Exec(bypass, "bash", "-c", dial) // ends by its context
		}()
		Eventually(cluster.ProveNoBypass).WithContext(ctx).WithTimeout(10 * time.Second).
			Should(MatchError(harness.ErrBypass))
		Expect(settle(ctx, cluster, false)).To(MatchError(harness.ErrBypass), "a scenario that passed otherwise")
		Eventually(cluster.ProveNoBypass).WithContext(ctx).WithTimeout(90*time.Second).Should(Succeed(), "a minute after the connection has ended")
	})
})

// imok asks ZooKeeper over a plane whether it serves; empty if no answer comes.
func imok(ctx context.Context, cluster *harness.Cluster, plane harness.Plane) string {
	GinkgoHelper()
	conn, err := cluster.Dialer(plane)(ctx, "tcp", cluster.ZooKeeper(1).Name().Address())
	Expect(err).NotTo(HaveOccurred())
	defer conn.Close()
	Expect(conn.SetDeadline(time.Now().Add(2 * time.Second))).To(Succeed())
	_, err = conn.Write([]byte("ruok"))
	Expect(err).NotTo(HaveOccurred())
	answer, _ := io.ReadAll(conn) // a time-out leaves it empty
	return string(answer)
}
