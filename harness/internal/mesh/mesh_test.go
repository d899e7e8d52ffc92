package mesh_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
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

func TestUnknownLinksAreRefusedBeforeAnythingIsDone(t *testing.T) {
	m := open(t, everyLink...)
	for _, one := range []struct {
		link topology.Link
		want string
	}{
		{topology.Link{From: broker1, To: topology.BrokerNode(9)}, "find link broker-1→broker-9: no such link; from broker-1 there are broker-1→broker-2, broker-1→zk-1"},
		{topology.Link{From: worker1, To: zk1}, "find link worker-1→zk-1: no such link; from worker-1 there is none"},
	} {
		err := m.AddToxics(within(t), []topology.Link{toZK, one.link}, toxic("hold", faults.Upstream, nil))
		if !errors.Is(err, mesh.ErrNoLink) || !strings.Contains(err.Error(), one.want) {
			t.Errorf("error %v, want %q in it", err, one.want)
		}
		if _, err := m.Probe(within(t), one.link, silence); !errors.Is(err, mesh.ErrNoLink) {
			t.Errorf("probe: %v", err)
		}
		if _, err := m.ReadLink(within(t), one.link); !errors.Is(err, mesh.ErrNoLink) {
			t.Errorf("read: %v", err)
		}
	}
	wantState(t, m, toZK, faults.LinkState{Enabled: true})
}

func TestAHalfAppliedChangeIsUndoneAndOthersStay(t *testing.T) {
	api := serve(t)
	links := map[topology.Link][]mesh.Proxy{quorum: lines(t, quorum)}
	m, err := mesh.New(within(t), map[topology.Node]string{zk1: api}, links)
	if err != nil {
		t.Fatal(err)
	}
	taken := `{"name":"t","type":"hold","stream":"upstream"}`
	if _, err := http.Post("http://"+api+"/proxies/zk-2.election/toxics", "", strings.NewReader(taken)); err != nil {
		t.Fatal(err)
	}
	other := faults.Toxic{Name: "other", Type: "hold", Stream: faults.Upstream}
	err = m.Apply(within(t), mesh.Add(quorum, toxic("hold", faults.Upstream, nil)), mesh.Add(quorum, other))
	if err == nil || !strings.Contains(err.Error(), "add t on zk-1→zk-2: zk-2.election: toxic already exists") {
		t.Errorf("error %v", err)
	}
	standing, _ := m.Condition(within(t))
	if got, want := fmt.Sprint(standing), "[zk-1→zk-2: toxic t (hold, upstream) on proxy zk-2.election "+
		"zk-1→zk-2: toxic other (hold, upstream) on proxy zk-2.election zk-1→zk-2: toxic other (hold, upstream) on proxy zk-2.quorum]"; got != want {
		t.Errorf("left %s, want %s", got, want)
	}
}

func TestAnEgressThatComesUpLateIsAskedAgain(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), silence)
	defer cancel()
	_, err = mesh.New(ctx, map[topology.Node]string{broker1: address}, nil)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "egress of broker-1") {
		t.Errorf("an egress that never comes up: %v", err)
	}
	turns := 0
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if turns++; turns < 3 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusCreated)
	}))
	defer late.Close()
	if _, err := mesh.New(within(t), map[topology.Node]string{broker1: late.Listener.Addr().String()}, nil); err != nil || turns != 3 {
		t.Errorf("an egress that comes up late: %v after %d turns", err, turns)
	}
}

func TestNewRefusesWhatCannotBe(t *testing.T) {
	proxy := mesh.Proxy{Name: "zk-1", Listen: "127.0.0.1:0", Upstream: "127.0.0.1:1"}
	taken := mesh.Proxy{Name: "zk-1", Listen: strings.TrimPrefix(serve(t), "http://"), Upstream: "127.0.0.1:1"}
	for want, links := range map[string]map[topology.Link][]mesh.Proxy{
		"worker-1 has no egress": {topology.Link{From: worker1, To: broker1}: {proxy}},
		"it has no proxy":        {toZK: {}},
		"proxy zk-1 belongs to":  {toZK: {proxy, proxy}},
		"address already in use": {toZK: {taken}},
	} {
		_, err := mesh.New(within(t), map[topology.Node]string{broker1: serve(t)}, links)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestACallToAnEgressThatHangsEndsWithItsContext(t *testing.T) {
	hung := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/populate" {
			return
		}
		<-hung
	}))
	defer hangs.Close()
	defer close(hung)
	links := map[topology.Link][]mesh.Proxy{toZK: {{Name: "zk-1", Upstream: "127.0.0.1:1"}}}
	m, err := mesh.New(within(t), map[topology.Node]string{broker1: hangs.Listener.Addr().String()}, links)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), silence)
	defer cancel()
	if err := m.RemoveToxic(ctx, toZK, "t"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "broker-1→zk-1") {
		t.Errorf("error %v", err)
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
