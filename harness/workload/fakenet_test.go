package workload

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// network is one in memory, so that a fake cluster and its clients can live in a
// bubble of package synctest.
type network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	conns     []net.Conn
	refusing  bool // every connection
	swallow   bool // what clients write, silently
}

type listener struct {
	address net.Addr
	conns   chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func newNetwork() *network { return &network{listeners: map[string]*listener{}} }

func (n *network) listen(_, _ string) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &listener{address: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9092 + len(n.listeners)},
		conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners[l.address.String()] = l
	return l, nil
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return l.address }

var errRefused = errors.New("connection refused")

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	l, refusing := n.listeners[address], n.refusing
	n.mu.Unlock()
	if l == nil || refusing {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errRefused}
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errRefused}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns = append(n.conns, near)
	return &faulty{near, n}, nil
}

// set makes the network refuse or swallow; either way of a change closes what was
// open.
func (n *network) set(refusing, swallow bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refusing, n.swallow = refusing, swallow
	if !swallow {
		for _, conn := range n.conns {
			conn.Close()
		}
		n.conns = nil
	}
}

type faulty struct {
	net.Conn
	n *network
}

func (f *faulty) Write(b []byte) (int, error) {
	f.n.mu.Lock()
	swallow := f.n.swallow
	f.n.mu.Unlock()
	if swallow {
		return len(b), nil
	}
	return f.Conn.Write(b)
}

// bubble is a fake cluster in a bubble, and a history.
type bubble struct {
	*kfake.Cluster
	network *network
	target  Target
	text    bytes.Buffer
	history *history.History
	release string
	topic   int // the number of orders, once there is traffic on it
}

// inBubble runs a test in a bubble with a fake cluster of three brokers that has
// a topic orders of three partitions. All goroutines must have ended in the end.
func inBubble(t *testing.T, test func(t *testing.T, b *bubble), options ...kfake.Opt) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{network: newNetwork(), release: "3.9.2"}
		cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3), kfake.ListenFn(b.network.listen), kfake.SeedTopics(3, "orders")}, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		defer time.Sleep(time.Second) // what it is at comes to an end
		defer cluster.Close()
		b.Cluster = cluster
		b.target = Target{Run: "r", Brokers: cluster.ListenAddrs(), Dial: b.network.dial}
		b.history = history.New(&b.text, history.Header{Run: "r", Brokers: b.release})
		test(t, b)
	})
}

var orders = history.Topic{Name: "orders", Partitions: 3, Replicas: 3, MinInSync: 2}

// start starts traffic on orders.
func (b *bubble) start(t *testing.T, options ...Option) *Traffic {
	t.Helper()
	topic := orders
	topic.Number = b.topic
	traffic, err := Start(t.Context(), b.target, b.history, topic, options...)
	if err != nil {
		t.Fatal(err)
	}
	b.topic = traffic.Topic().Number
	return traffic
}

// stop stops traffic, and shows what it came to.
func stop(t *testing.T, traffic *Traffic) Summary {
	t.Helper()
	summary, err := traffic.Stop(t.Context())
	t.Log(summary)
	if err != nil {
		t.Error(err)
	}
	return summary
}

// judge ends the history and judges it.
func (b *bubble) judge(t *testing.T) invariant.Report {
	t.Helper()
	b.history.End()
	if err := b.history.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := history.NewReader(bytes.NewReader(b.text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	report, err := invariant.JudgeHistory(r)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.text.String())
	}
	return report
}

// events returns the events of a kind that the history has so far.
func (b *bubble) events(t *testing.T, kind history.Kind) []history.Event {
	t.Helper()
	r, err := history.NewReader(bytes.NewReader(b.text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var all []history.Event
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == kind {
			one := *e
			one.Records = append(history.Records(nil), e.Records...)
			all = append(all, one)
		}
	}
	return all
}
