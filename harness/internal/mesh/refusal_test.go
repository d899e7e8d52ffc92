package mesh_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
)

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
	m, err := filled(within(t), map[topology.Node]string{zk1: api}, links)
	if err != nil {
		t.Fatal(err)
	}
	taken := `{"name":"t","type":"hold","stream":"upstream"}`
	response, err := http.Post("http://"+api+"/proxies/zk-2.election/toxics", "", strings.NewReader(taken))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
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
	_, err = filled(ctx, map[topology.Node]string{broker1: address}, nil)
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
	if _, err := filled(within(t), map[topology.Node]string{broker1: late.Listener.Addr().String()}, nil); err != nil || turns != 3 {
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
		_, err := filled(within(t), map[topology.Node]string{broker1: serve(t)}, links)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

func TestAnEgressIsFilledByItself(t *testing.T) {
	links := map[topology.Link][]mesh.Proxy{toZK: lines(t, toZK), quorum: lines(t, quorum)}
	m, err := mesh.New(map[topology.Node]string{broker1: serve(t), zk1: serve(t)}, links)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.Fill(within(t), broker1); err != nil {
		t.Fatal(err)
	}
	standing, err := m.Condition(within(t))
	if err != nil || len(standing) != 2 || !standing[0].Missing || standing[0].Link != quorum {
		t.Errorf("stands %v, %v: want the quorum's two proxies to be missing", standing, err)
	}
	if err := m.Fill(within(t), worker1); err == nil || !strings.Contains(err.Error(), "worker-1") {
		t.Errorf("fill what has no egress: %v", err)
	}
}

func TestACallToAnEgressThatHangsEndsWithItsContext(t *testing.T) {
	hung := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/populate" {
			return
		}
		<-hung
	}))
	defer hangs.Close()
	defer close(hung)
	links := map[topology.Link][]mesh.Proxy{toZK: {{Name: "zk-1", Upstream: "127.0.0.1:1"}}}
	m, err := filled(within(t), map[topology.Node]string{broker1: hangs.Listener.Addr().String()}, links)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), silence)
	defer cancel()
	if err := m.RemoveToxic(ctx, toZK, "t"); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "broker-1→zk-1") {
		t.Errorf("error %v", err)
	}
}
