package scenarios

import (
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
)

// A connector is somebody's code. What it does wrong is its own affair.

var _ = Describe("A connector", onWorkers, Label("connect", "connector", "worker"), func() {
	It("that fails to start says so, hinders nobody, and starts when it can", Label("fail"), oneWorker, func(ctx SpecContext) {
		Needs("status of connectors", workers().TellsStatus())
		p := Pipeline(ctx, ShareConnect(ctx))
		for _, place := range []string{"connector-start", "start"} {
			other := p.Other("failing-in-" + place)
			again := faults.RestartConnector(other.name)
			if place == "start" {
				again = faults.RestartTask(other.name, 0)
			}
			During(ctx, p.cluster, other.Cue("fail "+place), func() {
				other.Put(ctx)
				soon(ctx, settling, unhurried, other.Failures, ContainElement(ContainSubstring("failed in "+place)), "by REST")
				p.FlowsThrough(ctx, "beside a connector that failed in %s", place)
			})
			During(ctx, p.cluster, again, nil)
			soon(ctx, settling, unhurried, other.Failures, BeEmpty(), "by REST, after a restart")
			soon(ctx, redelivery, unhurried, other.Delivered, HaveDelivered(1), "after a restart")
			other.Remove(ctx)
		}
		p.Settled(ctx)
	})

	DescribeTable("that blocks hinders nobody", func(ctx SpecContext, place, method string) {
		p := Pipeline(ctx, ShareConnect(ctx))
		other := p.Other("blocking")
		victim := faults.WorkerOf(p.sink.name, 0)
		starts := slices.Contains([]string{"connector-start", "start"}, place)
		if !starts {
			other.Put(ctx)
			Premise(ctx, settling, other.Delivered, HaveDelivered(1), "before it blocks")
			victim = faults.WorkerOf(other.name, 0)
		}
		During(ctx, p.cluster, other.Cue("block "+place), func() {
			switch {
			case starts:
				other.Put(ctx)
			case place == "stop":
				other.Doom(ctx)
				victim = faults.WorkerOf(p.sink.name, 0)
			}
			other.IsBlocked(ctx, method)
			// Its worker is to give all its work away, and others their configuration anew.
			During(ctx, p.cluster, faults.Rebalance("", faults.Evict("", victim)), nil)
			p.Survives(ctx, rejoin, "beside a connector that blocks")
			During(ctx, p.cluster, faults.TouchConfig(p.source.name), nil)
			p.Survives(ctx, rejoin, "beside a connector that blocks")
			if workers().NamedTaskThreads() {
				soon(ctx, settling, unhurried, p.sink.Owners, RunEachTaskOnce(), "beside a connector that blocks")
				soon(ctx, settling, unhurried, p.source.Owners, RunEachTaskOnce(), "beside a connector that blocks")
			}
			p.FlowsThrough(ctx, "beside a connector that blocks")
		})
		other.Remove(ctx)
		p.Settled(ctx)
	},
		Entry("when it starts", Label("block"), oneWorker, "connector-start", "kafkachaos.CueSink.start"),
		Entry("when its task starts", Label("block"), oneWorker, "start", "kafkachaos.CueSinkTask.start"),
		Entry("in mid-work", Label("block"), oneWorker, "put", "kafkachaos.CueSinkTask.put"),
		Entry("when its task stops", Label("block"), oneWorker, "stop", "kafkachaos.CueSinkTask.stop"),
	)

	It("that blocks its source delivers all when it goes on", Label("block", "source"), oneWorker, func(ctx SpecContext) {
		p := Pipeline(ctx, ShareConnect(ctx))
		During(ctx, p.cluster, p.source.Cue("block poll"), func() {
			p.source.IsBlocked(ctx, "kafkachaos.CueSourceTask.poll")
			During(ctx, p.cluster, faults.Rebalance("", faults.Evict("", faults.WorkerOf(p.source.name, 0))), nil)
			if !workers().IncrementalRebalance() {
				// Twice they stop what they run before they share it, which the source is
				// given its time for.
				soon(ctx, rejoin, unhurried, p.cluster.ConnectGroup, ShareTheWork(pipelineWorkers, pipelineTasks), "beside a source that blocks")
			}
			p.FlowsThrough(ctx, "what others send")
		})
		p.Settled(ctx)
	})
})
