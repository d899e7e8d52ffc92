package scenarios

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

// ledByOthers are partitions that broker-3 follows and does not lead: without it
// two replicas stay in sync, which is enough to acknowledge.
var ledByOthers = [][]int{{1, 2, 3}, {2, 1, 3}}

var _ = Describe("A partition", onReplicated, Label("replication", "follower", "traffic", "broker"), func() {
	// Until a follower that does not fetch is out of the in-sync set, nothing is
	// acknowledged that it has not.
	tolerated := history.Fault{Available: true, Budget: shrunk, Recovery: whole}

	DescribeTable("serves on without a follower, which catches up", func(ctx SpecContext, fault faults.Fault) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, ledByOthers)
		During(ctx, cluster, Promise(cluster, fault, tolerated), func() {
			Soon(ctx, shrunk, load.inSync(0), ConsistOf(1, 2))
			load.Flow(ctx, 4*enough)
		})
		expectWhole(ctx, cluster)
		Soon(ctx, recovery, load.inSync(0), ConsistOf(1, 2, 3))
		load.Judged(ctx)
	},
		Entry("that was killed", Label("kill"), SpecTimeout(3*time.Minute), faults.Kill(faults.Node(brokerNode(3)))),
		Entry("that was paused", Label("pause", "core"), SpecTimeout(3*time.Minute), faults.Pause(faults.Node(brokerNode(3)))),
		Entry("that cannot be answered by its leaders", Label("blackhole", "broker-broker"), SpecTimeout(3*time.Minute), faults.Blackhole(
			topology.Link{From: brokerNode(3), To: brokerNode(1)}, topology.Link{From: brokerNode(3), To: brokerNode(2)}).Downstream()),
	)

	It("serves on with a follower that is slow", Label("cpu"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, ledByOthers)
		before := Read(ctx, throttled(cluster.Broker(3)))
		slow := faults.LimitCPU(faults.Node(brokerNode(3)), 0.05) // a third of what it takes here
		// It may keep everybody waiting until it is taken out of the in-sync set, for
		// which six seconds of traffic leave it time.
		During(ctx, cluster, Promise(cluster, slow, tolerated), func() { load.Flow(ctx, 30*enough) })
		Premise(ctx, recovery, throttled(cluster.Broker(3)), BeNumerically(">=", before+10), "how often it was made to wait for the processor")
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})

	It("serves on with a follower whose link to its leader is slow", Label("delay", "broker-broker"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, ledByOthers)
		// Far below the lag: it stays in sync, and each record waits for it.
		late := faults.Delay(lag/10, topology.Link{From: brokerNode(3), To: brokerNode(1)})
		During(ctx, cluster, Promise(cluster, late, history.Fault{Available: true, Budget: lag, Recovery: whole}), func() {
			load.Flow(ctx, 10*enough)
			Expect(Read(ctx, load.inSync(0))).To(ConsistOf(1, 2, 3))
		})
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})

// throttled makes the reading how often the engine's kernel has let a broker's process
// wait, for a tenth of a second at most, since it had used up its share.
func throttled(broker *harness.Broker) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		text, err := broker.Exec(ctx, "sh", "-c", "cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2>/dev/null || true") // cgroup 2 or 1
		if err != nil {
			return 0, err
		}
		_, count, found := strings.Cut(text, "nr_throttled ")
		if !found {
			return 0, fmt.Errorf("read how often %v was throttled: it is not in %q", broker, text)
		}
		count, _, _ = strings.Cut(count, "\n")
		return strconv.Atoi(count)
	}
}

var _ = Describe("Replicas", onReplicated, Label("replication", "administration", "traffic", "follower", "broker"), func() {
	It("move to other brokers while a link between them flaps", Label("flap", "reassign", "broker-broker", "cut"), SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := LoadOn(ctx, cluster, [][]int{{1, 2}, {2, 1}, {1, 2}})
		// The replica that is new fetches all that there is over the link. Once it is in
		// sync, the others wait for it: half a period, and until it fetches again.
		wave := faults.Square(lag, 3)
		flap := faults.Flap(faults.Cut(topology.Link{From: brokerNode(3), To: brokerNode(1)}), wave)
		During(ctx, cluster, Promise(cluster, flap, history.Fault{Available: true, Budget: 2 * wave.Period, Recovery: whole}), func() {
			judge(incident.Inconclusive, cluster.Rig().Partitions.Reassign(ctx, load.topic(), 0, []int{1, 3}), "ordering a move")
			Soon(ctx, shrunk, load.replicas(0), Equal([]int{1, 3}))
			Soon(ctx, shrunk, load.inSync(0), ConsistOf(1, 3))
			load.Flow(ctx, 4*enough)
		})
		expectWhole(ctx, cluster)
		Expect(Read(ctx, load.inSync(0))).To(ConsistOf(1, 3))
		load.Judged(ctx)
	})
})

var _ = Describe("A rolling restart", onReplicated, Label("replication", "restart", "traffic", "broker"), func() {
	It("of the brokers loses no acknowledged record and keeps every partition available", SpecTimeout(4*time.Minute), func(ctx SpecContext) {
		cluster := Share(ctx, replicated...)
		load := Load(ctx, cluster)
		rolling := faults.RollingRestart(0, brokerNode(1), brokerNode(2), brokerNode(3))
		// Each hands its leaders over before it ends: far below the time that a death costs.
		During(ctx, cluster, Promise(cluster, rolling, history.Fault{Available: true, Budget: sessionTimeout, Recovery: whole}), nil)
		expectWhole(ctx, cluster)
		load.Judged(ctx)
	})
})
