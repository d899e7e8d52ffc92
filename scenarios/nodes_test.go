package scenarios

import (
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

var _ = Describe("A node", Label("harness", "node"), func() {
	It("comes back on the same names and links, however it went", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
		broker, worker, zookeeper := cluster.Broker(1), cluster.Worker(1), cluster.ZooKeeper(1)

		By("reading the threads of a broker and of a worker")
		Expect(Read(ctx, broker.ThreadDump).Find("main")).NotTo(BeEmpty())
		Expect(Read(ctx, worker.ThreadDump).Find("DistributedHerder")).NotTo(BeEmpty())

		before := Read(ctx, broker.Registration)
		By("killing and starting a broker")
		Expect(broker.Kill(ctx)).To(Succeed())
		Expect(Read(ctx, broker.Process).Running).To(BeFalse())
		Expect(broker.Start(ctx)).To(Succeed())
		Expect(Read(ctx, broker.Registration)).To(HaveNewSessionSince(before))

		before = Read(ctx, broker.Registration)
		By("restarting a broker")
		Expect(broker.Restart(ctx)).To(Succeed())
		Expect(Read(ctx, broker.Registration)).To(HaveNewSessionSince(before))

		By("pausing a worker and resuming it")
		Expect(worker.Pause(ctx)).To(Succeed())
		Expect(Read(ctx, worker.Process).Paused).To(BeTrue())
		Expect(worker.Pause(ctx)).To(Succeed(), "twice is no error")
		Expect(worker.Resume(ctx)).To(Succeed())
		Expect(Read(ctx, worker.Process).Paused).To(BeFalse())

		By("killing a paused worker and starting it")
		Expect(worker.Pause(ctx)).To(Succeed())
		Expect(worker.Kill(ctx)).To(Succeed())
		Expect(worker.Start(ctx)).To(Succeed())

		By("restarting ZooKeeper")
		Expect(zookeeper.Restart(ctx)).To(Succeed())
		expectWhole(ctx, cluster)
		Expect(cluster.ProveNoBypass(ctx)).To(Succeed())

		By("cutting a link of the broker that came back")
		During(ctx, cluster, faults.Blackhole(broker.LinksToZooKeeper()...), func() {
			Soon(ctx, expiry, broker.Registration, Not(BeRegistered()))
		})
		expectWhole(ctx, cluster)
	})

	It("finds the plug-ins that a folder gives it", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		Expect(os.MkdirAll(filepath.Join(folder, "mine"), 0o755)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(folder, "mine", "readme.txt"), []byte("hello"), 0o600)).To(Succeed())
		cluster := Start(ctx, topology.Brokers(1), topology.Workers(1), topology.Plugins(folder))
		Expect(cluster.Worker(1).Exec(ctx, "cat", topology.PluginFolder+"/1/mine/readme.txt")).To(Equal("hello"))
	})

	It("that dies at its start says its last lines, and leaves nothing behind", SpecTimeout(2*time.Minute),
		func(ctx SpecContext) {
			spec, err := topology.New(topology.Kafka(release()), topology.Brokers(1),
				topology.Configure(topology.Broker, "num.io.threads", "many"))
			Expect(err).NotTo(HaveOccurred())
			cluster, err := harness.Start(ctx, spec)
			DeferCleanup(cluster.Stop)
			Expect(err).To(MatchError(And(ContainSubstring("broker-1"), ContainSubstring("num.io.threads"))))
			Expect(cluster.Stop(ctx)).To(Succeed())
			Expect(harness.Runs(ctx)).NotTo(ContainElement(cluster.Run()))
		})
})
