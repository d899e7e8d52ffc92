package witness

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kafkachaos/harness/state"
)

func fakeWitness(t *testing.T) (*fakeZK, *ZooKeeper) {
	t.Helper()
	fake, address := startFakeZK(t)
	dial := func(ctx context.Context, network, name string) (net.Conn, error) {
		if name != "zk-1:2181" {
			t.Errorf("dialled %s", name)
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	z := NewZooKeeper(dial, []string{"zk-1:2181"})
	t.Cleanup(z.Close)
	return fake, z
}

func TestZooKeeperReadsAndWrites(t *testing.T) {
	_, z := fakeWitness(t)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	absent, err := z.Get(ctx, "/a")
	must(err)
	if absent.Exists || absent.By != "zk-1" || absent.At.IsZero() {
		t.Errorf("read %+v of an absent node", absent)
	}
	must(z.Create(ctx, "/a", []byte("one")))
	must(z.Set(ctx, "/a", []byte("two")))
	must(z.Create(ctx, "/b", nil))
	node, err := z.Get(ctx, "/a")
	must(err)
	if string(node.Data) != "two" || node.Czxid != 1 || node.Mzxid != 2 || !node.Created.Equal(time.UnixMilli(1000)) {
		t.Errorf("read %+v", node)
	}
	if node, err := z.Exists(ctx, "/a"); err != nil || !node.Exists || node.Data != nil {
		t.Errorf("read %+v, %v", node, err)
	}
	names, err := z.Children(ctx, "/")
	must(err)
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("the children are %v", names)
	}
	must(z.Delete(ctx, "/a"))
	for name, err := range map[string]error{
		"delete /a": z.Delete(ctx, "/a"),
		"set /a":    z.Set(ctx, "/a", nil),
	} {
		if !errors.Is(err, ErrNoNode) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := z.Create(ctx, "/b", nil); !errors.Is(err, ErrNodeExists) {
		t.Errorf("got %v", err)
	}
}

func TestZooKeeperReadsKafka(t *testing.T) {
	fake, z := fakeWitness(t)
	fake.nodes["/brokers/ids/2"] = fakeNode{data: []byte(`{"host":"broker-2","port":9094,"endpoints":["PLAINTEXT://broker-2:9094"]}`), czxid: 5, owner: -9}
	fake.nodes["/brokers/ids/10"] = fakeNode{data: []byte(`{}`)}
	fake.nodes["/controller"] = fakeNode{data: []byte(`{"brokerid":2}`), owner: -9}
	fake.nodes["/controller_epoch"] = fakeNode{data: []byte(`3`)}
	ctx := t.Context()
	if r, err := z.Registration(ctx, 2); err != nil || r.Session != -9 || r.Host != "broker-2" || r.By != "zk-1" {
		t.Errorf("read %v, %v", r, err)
	}
	if r, err := z.Registration(ctx, 1); err != nil || r.Present {
		t.Errorf("read %v, %v", r, err)
	}
	if r, err := z.Registration(ctx, 10); err == nil {
		t.Errorf("read %v", r)
	}
	if ids, err := z.LiveBrokers(ctx); err != nil || !slices.Equal(ids, []int{2, 10}) {
		t.Errorf("read %v, %v", ids, err)
	}
	if c, err := z.Controller(ctx); err != nil || c.Broker != 2 || c.Epoch != 3 || c.Session != -9 {
		t.Errorf("read %v, %v", c, err)
	}
}

func TestZooKeeperComesBackAfterARestart(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		fake, z := fakeWitness(t)
		fake.do("create /a")
		for round := range 3 {
			if node, err := z.Get(t.Context(), "/a"); err != nil || !node.Exists {
				t.Fatalf("round %d: read %v, %v", round, node, err)
			}
			fake.restart(forgets)
		}
	}
}

func TestAnUnreachableZooKeeperIsAnError(t *testing.T) {
	refused := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody home") }
	for name, z := range map[string]*ZooKeeper{
		"nobody home":   NewZooKeeper(refused, []string{"zk-1:2181"}),
		"not connected": NewZooKeeper((&net.Dialer{}).DialContext, []string{listen(t, hangUp)}),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 120*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := z.Registration(ctx, 4)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "broker-4") {
			t.Errorf("got %v, want broker-4 and %q", err, name)
		}
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		z.Close()
		if _, err := z.Get(t.Context(), "/a"); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("after Close got %v", err)
		}
	}
}

func TestASilentServerIsAnError(t *testing.T) {
	fake, z := fakeWitness(t)
	if _, err := z.Get(t.Context(), "/a"); err != nil {
		t.Fatal(err)
	}
	fake.mu.Lock()
	fake.deaf = true
	fake.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := z.Get(ctx, "/a")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer by zk-1") {
		t.Errorf("got %v", err)
	}
}

func TestFourLetterWords(t *testing.T) {
	const srvr = "Zookeeper version: 3.4.6-1, built\nConnections: 1\nZxid: 0x3b\nMode: leader\n"
	answer := func(text string) *ZooKeeper {
		address := listen(t, func(conn net.Conn) {
			conn.Read(make([]byte, 4))
			conn.Write([]byte(text))
			conn.Close()
		})
		dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		return NewZooKeeper(dial, []string{"zk-1:2181"})
	}
	view, err := answer(srvr).Server(t.Context(), "zk-1:2181")
	if err != nil || view.Mode != state.ModeLeader || view.By != "zk-1" {
		t.Errorf("read %v, %v", view, err)
	}
	cons, err := answer(" /10.0.0.1:7[1](sid=0x5,est=1,to=6000)\n").Connections(t.Context(), "zk-1:2181")
	if err != nil || len(cons.All) != 1 || cons.All[0].Session != 5 {
		t.Errorf("read %v, %v", cons, err)
	}
	for _, text := range []string{"", "cons is not executed because it is not in the whitelist.\n", "what?"} {
		if got, err := answer(text).Connections(t.Context(), "zk-1:2181"); err == nil || !strings.Contains(err.Error(), "zk-1") {
			t.Errorf("%q: read %v, %v", text, got, err)
		}
	}
}

// At a start something may accept connections before the server does.
func TestZooKeeperDialsAgainWhoDoesNotAnswer(t *testing.T) {
	_, address := startFakeZK(t)
	var dials atomic.Int32
	z := NewZooKeeper(func(ctx context.Context, network, _ string) (net.Conn, error) {
		if dials.Add(1) > 1 {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		mute, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		return mute, nil
	}, []string{"zk-1:2181"})
	t.Cleanup(z.Close)
	if _, err := z.Get(t.Context(), "/a"); err != nil {
		t.Errorf("read after %d dials: %v", dials.Load(), err)
	}
	if dials.Load() != 2 {
		t.Errorf("%d dials, want 2", dials.Load())
	}
}
