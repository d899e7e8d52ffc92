package mesh_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
)

// Every fault of links, on real proxies: proved by its probes, in effect, and
// healed for certain.
func TestEveryFaultOfLinksIsProvedAndHealedOnRealProxies(t *testing.T) {
	links := []topology.Link{toBroker, toZK}
	all := []faults.Fault{
		faults.Cut(links...),
		faults.Blackhole(links...), faults.Blackhole(links...).Upstream(), faults.Blackhole(links...).Downstream(),
		faults.Hold(links...), faults.Hold(links...).Upstream(), faults.Hold(links...).Downstream(),
		faults.Delay(100*time.Millisecond, links...), faults.Delay(100*time.Millisecond, links...).Upstream(),
		faults.Delay(200*time.Millisecond, links...).Downstream().Jitter(50*time.Millisecond, 100*time.Millisecond, 1),
		faults.Bandwidth(1, links...), faults.Bandwidth(1, links...).Downstream(),
		faults.Slice(1, 20*time.Millisecond, links...), faults.Slice(1, 20*time.Millisecond, links...).Upstream(),
		faults.Reset(links...),
		faults.CloseAfter(2, links...).Downstream(), faults.CloseAfter(1_000_000, links...),
		faults.SwallowFirstReply(links...),
		faults.Flap(faults.Blackhole(links...), faults.Square(600*time.Millisecond, 2)),
		faults.Flap(faults.Cut(links...), faults.Drawn(300*time.Millisecond, 3, 50*time.Millisecond, 1)),
		faults.OneWay([]topology.Node{broker1}, []topology.Node{broker2}),
		faults.Isolate(faults.Node(broker1)),
		faults.Sequence(faults.For(300*time.Millisecond, faults.Cut(toZK)), faults.For(300*time.Millisecond, faults.Hold(toBroker))),
	}
	for _, fault := range all {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			m := open(t, links...)
			rig := meshRig(m, links)
			if err := faults.During(t.Context(), rig, fault, nil); err != nil {
				t.Error(err)
			}
			if err := faults.Audit(t.Context(), rig); err != nil {
				t.Error(err)
			}
		})
	}
}

func meshRig(m *mesh.Mesh, links []topology.Link) *faults.Rig {
	return faults.NewRig(faults.Tools{Links: m,
		Layout: faults.Layout{Nodes: []topology.Node{broker1, broker2, zk1}, Links: links}})
}

// A proxy that forgets the fault behind its back must not pass for faulted.
func TestAFaultThatIsNotThereIsInconclusiveOnRealProxies(t *testing.T) {
	for _, fault := range []faults.Fault{faults.Cut(toZK), faults.Blackhole(toZK), faults.Hold(toZK), faults.Delay(100*time.Millisecond, toZK),
		faults.Reset(toZK), faults.CloseAfter(1_000_000, toZK), faults.SwallowFirstReply(toZK), faults.Bandwidth(1, toZK)} {
		m := open(t, toZK)
		rig := faults.NewRig(faults.Tools{Links: m, Layout: faults.Layout{Nodes: []topology.Node{broker1, zk1}, Links: []topology.Link{toZK}}})
		injection, err := rig.Prepare(fault)
		if err == nil {
			err = injection.Inject(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := m.HealAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := injection.Prove(t.Context()); !errors.Is(err, faults.ErrInconclusive) {
			t.Errorf("%v that was taken away: %v, want inconclusive", fault, err)
		}
		if err := injection.Heal(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("heal %v: %v", fault, err)
		}
	}
}
