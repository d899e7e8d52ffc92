package mesh_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
)

var everyLink = []topology.Link{toZK, toBroker, toWorker, quorum}

func toxic(kind string, stream faults.Stream, attributes map[string]any) faults.Toxic {
	return faults.Toxic{Name: "t", Type: kind, Stream: stream, Attributes: attributes}
}

func TestProbeIsAnsweredOnEveryKindOfLink(t *testing.T) {
	m := open(t, everyLink...)
	for _, link := range everyLink {
		echo, err := m.Probe(within(t), link, patience)
		if err != nil || !echo.Connected || !echo.Answered || echo.Closed || echo.Took <= 0 || echo.Took > patience {
			t.Errorf("%s: %+v, %v", link, echo, err)
		}
		if want := map[topology.Link]int{toZK: 4, toBroker: 14, toWorker: 56, quorum: 0}[link]; echo.Bytes != want {
			t.Errorf("%s: %d bytes, want %d", link, echo.Bytes, want)
		}
	}
}

// shows is what a probe sees of a fault.
type shows struct{ connected, answered, closed bool }

func TestFaultsBiteAndHeal(t *testing.T) {
	silent, closed, slow := shows{connected: true}, shows{connected: true, closed: true}, shows{true, true, false}
	for name, one := range map[string]struct {
		toxic faults.Toxic
		wants shows
	}{
		"blackhole upstream":   {toxic("timeout", faults.Upstream, map[string]any{"timeout": 0}), silent},
		"blackhole downstream": {toxic("timeout", faults.Downstream, map[string]any{"timeout": 0}), silent},
		"hold upstream":        {toxic("hold", faults.Upstream, nil), silent},
		"hold downstream":      {toxic("hold", faults.Downstream, nil), silent},
		"latency upstream":     {toxic("latency", faults.Upstream, map[string]any{"latency": 100}), slow},
		"latency downstream":   {toxic("latency", faults.Downstream, map[string]any{"latency": 100, "jitter": 0}), slow},
		"reset":                {toxic("reset", faults.Upstream, nil), closed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, everyLink...)
			for _, link := range everyLink {
				bites(t, m, link, one.toxic, one.wants)
			}
		})
	}
}

func bites(t *testing.T, m *mesh.Mesh, link topology.Link, toxic faults.Toxic, wants shows) {
	t.Helper()
	if err := m.AddToxic(within(t), link, toxic); err != nil {
		t.Fatal(err)
	}
	limit := silence
	if wants.answered || wants.closed {
		limit = patience
	}
	echo, err := m.Probe(within(t), link, limit)
	if got := (shows{echo.Connected, echo.Answered, echo.Closed}); err != nil || got != wants {
		t.Errorf("%s: the probe shows %+v (%v), want %+v", link, echo, err, wants)
	}
	if toxic.Type == "latency" && echo.Took < 95*time.Millisecond {
		t.Errorf("%s: answered after %v, want 100 ms", link, echo.Took)
	}
	for range 2 { // a heal may be repeated
		if err := m.RemoveToxic(within(t), link, toxic.Name); err != nil {
			t.Fatal(err)
		}
	}
	healed(t, m, link)
}

func healed(t *testing.T, m *mesh.Mesh, link topology.Link) {
	t.Helper()
	if echo, err := m.Probe(within(t), link, patience); err != nil || !echo.Answered {
		t.Errorf("%s after the heal: %+v, %v", link, echo, err)
	}
}

func TestAnAnswerThatIsCutOffIsNone(t *testing.T) {
	links := []topology.Link{toZK, toBroker, toWorker}
	m := open(t, links...)
	for _, link := range links {
		bites(t, m, link, toxic("limit_data", faults.Downstream, map[string]any{"bytes": 3}), shows{connected: true, closed: true})
	}
}

func TestACutLinkRefusesAndOthersGoOn(t *testing.T) {
	m := open(t, everyLink...)
	for range 2 {
		if err := m.SetEnabled(within(t), toZK, false); err != nil {
			t.Fatal(err)
		}
	}
	if echo, err := m.Probe(within(t), toZK, patience); err != nil || echo.Connected || echo.Answered {
		t.Errorf("a cut link: %+v, %v", echo, err)
	}
	healed(t, m, toBroker)
	for range 2 {
		if err := m.SetEnabled(within(t), toZK, true); err != nil {
			t.Fatal(err)
		}
	}
	healed(t, m, toZK)
}

func TestConditionTellsWhatStandsAndHealAllTakesItAway(t *testing.T) {
	m := open(t, everyLink...)
	latency := toxic("latency", faults.Downstream, map[string]any{"latency": 7})
	if err := m.Apply(within(t), mesh.Add(quorum, latency), mesh.Disable(toBroker), mesh.Add(toWorker, latency)); err != nil {
		t.Fatal(err)
	}
	if err := m.UpdateToxic(within(t), toWorker, toxic("latency", faults.Downstream, map[string]any{"latency": 8})); err != nil {
		t.Fatal(err)
	}
	standing, err := m.Condition(within(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range standing {
		got = append(got, s.String())
	}
	if want := []string{
		"broker-1→broker-2: proxy broker-2 is disabled",
		"client→worker-1: toxic t (latency, downstream) on proxy worker-1",
		"zk-1→zk-2: toxic t (latency, downstream) on proxy zk-2.election",
		"zk-1→zk-2: toxic t (latency, downstream) on proxy zk-2.quorum",
	}; !slices.Equal(got, want) {
		t.Errorf("condition %q, want %q", got, want)
	}
	if on := standing[1].Toxic.Attributes["latency"]; on != 8.0 {
		t.Errorf("the updated latency is %v, want 8", on)
	}
	wantState(t, m, quorum, faults.LinkState{Enabled: true, Toxics: []string{"t"}})
	wantState(t, m, toBroker, faults.LinkState{})
	for range 2 {
		if err := m.HealAll(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if standing, err := m.Condition(within(t)); err != nil || len(standing) > 0 {
		t.Errorf("after healing all: %v, %v", standing, err)
	}
	for _, link := range everyLink {
		healed(t, m, link)
	}
}

func wantState(t *testing.T, m *mesh.Mesh, link topology.Link, want faults.LinkState) {
	t.Helper()
	if state, err := m.ReadLink(within(t), link); err != nil || state.Enabled != want.Enabled || !slices.Equal(state.Toxics, want.Toxics) {
		t.Errorf("read %s: %+v, %v; want %+v", link, state, err, want)
	}
}

func TestConnectionsAndDumpSayWhatIsCarried(t *testing.T) {
	m := open(t, toZK, quorum)
	healed(t, m, toZK)
	if err := m.AddToxic(within(t), toZK, toxic("hold", faults.Upstream, nil)); err != nil {
		t.Fatal(err)
	}
	m.Probe(within(t), toZK, silence)
	all, err := m.Connections(within(t))
	got := all[toZK]
	if err != nil || len(all) != 2 || got.Opened != 2 || got.Open != 1 || got.Up != (mesh.Flow{Delivered: 4, Waiting: 4}) || got.Down.Delivered != 4 {
		t.Errorf("connections %+v, %v", got, err)
	}
	dump, err := m.Dump(within(t))
	var read struct {
		Proxies     map[string]struct{ Toxics []faults.Toxic }
		Connections map[string]mesh.Traffic
	}
	if err != nil || json.Unmarshal(dump[broker1], &read) != nil || len(read.Proxies["zk-1"].Toxics) != 1 || read.Connections["zk-1"].Opened != 2 {
		t.Errorf("dump %s, %v", dump[broker1], err)
	}
}
