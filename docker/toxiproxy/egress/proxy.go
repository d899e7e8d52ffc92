package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
)

// dialPatience is how long a client waits for its upstream to be reached: less
// than any client waits for its first answer.
const dialPatience = 5 * time.Second

// proxy listens at one address and carries each connection to one upstream.
// Its record is Toxiproxy's, with the toxics; the server's lock guards it. The
// rest follows from the record.
type proxy struct {
	record *toxiproxy.Proxy
	ages   *atomic.Uint64           // the server's: one sequence of toxics and connections
	insist time.Duration            // the server's Insist
	from   net.Addr                 // the server's Address, nil if any will do
	added  map[string]uint64        // toxic → its age
	rules  [2]atomic.Pointer[rules] // by stream.Direction
	resets atomic.Bool              // a reset is on
	struck atomic.Uint64            // every connection up to this age was to be reset
	count  [2]counters
	opened atomic.Int64 // connections carried since the proxy was made
	failed atomic.Int64 // connections whose upstream could not be reached

	mu       sync.Mutex
	listener net.Listener // nil when disabled
	cancel   context.CancelFunc
	open     map[*connection]bool
}

func (s *Server) newProxy(record *toxiproxy.Proxy) *proxy {
	p := &proxy{record: record, ages: &s.ages, insist: s.Insist, added: map[string]uint64{}, open: map[*connection]bool{}}
	if s.Address.IsValid() {
		p.from = &net.TCPAddr{IP: s.Address.AsSlice()}
	}
	p.follow()
	return p
}

// follow makes the rules those of the record's toxics and shows them to every
// open connection.
func (p *proxy) follow() {
	all := p.record.Toxics.GetToxicArray()
	age := func(name string) uint64 { return p.added[name] }
	var reset bool
	for _, dir := range []stream.Direction{stream.Upstream, stream.Downstream} {
		var r *rules
		r, reset = merge(all, dir, age)
		p.rules[dir].Store(r)
	}
	p.resets.Store(reset)
	if reset {
		p.struck.Store(p.ages.Add(1))
	}
	for _, c := range p.connections() {
		if reset {
			c.reset()
		}
		c.changed()
	}
}

func (p *proxy) connections() []*connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]*connection, 0, len(p.open))
	for c := range p.open {
		all = append(all, c)
	}
	return all
}

// enable listens; it does nothing on a proxy that listens. The port that the
// system chose for port 0 stays the proxy's.
func (p *proxy) enable() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", p.record.Listen)
	if err != nil {
		return fmt.Errorf("enable %s: %w", p.record.Name, err)
	}
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(context.Background())
	p.listener = listener
	p.record.Listen, p.record.Enabled = listener.Addr().String(), true
	go p.accept(ctx, listener, p.record.Upstream)
	return nil
}

// disable closes the listener, so that new connections are refused, and the
// open connections. It waits for nobody.
func (p *proxy) disable() {
	p.mu.Lock()
	if p.listener != nil {
		p.cancel()
		p.listener.Close()
		p.listener, p.record.Enabled = nil, false
	}
	p.mu.Unlock()
	for _, c := range p.connections() {
		c.close()
	}
}

func (p *proxy) accept(ctx context.Context, listener net.Listener, upstream string) {
	for {
		client, err := listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // out of descriptors: it passes
			select {
			case <-ctx.Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		default:
			go p.serve(ctx, client.(*net.TCPConn), upstream)
		}
	}
}

// serve carries one client. A client whose upstream does not take it is reset:
// it has been accepted, so it can no longer be refused.
func (p *proxy) serve(ctx context.Context, client *net.TCPConn, upstream string) {
	born := p.ages.Add(1)
	refuse := func() {
		client.SetLinger(0)
		client.Close()
	}
	if p.dooms(born) {
		refuse()
		return
	}
	server, err := p.dial(ctx, upstream)
	if err != nil {
		p.failed.Add(1)
		refuse()
		return
	}
	c := p.connect(client, server, born)
	c.gone = func() { p.forget(c) }
	if !p.remember(ctx, c) {
		c.close()
		return
	}
	c.start()
	if p.dooms(born) { // since this one was dialled
		c.reset()
	}
}

// again is the pause before an upstream that refused is dialled again.
const again = 20 * time.Millisecond

// dial reaches the upstream, which may refuse for as long as the server insists.
func (p *proxy) dial(ctx context.Context, upstream string) (*net.TCPConn, error) {
	dialer := net.Dialer{Timeout: dialPatience, LocalAddr: p.from}
	for begun := time.Now(); ; {
		server, err := dialer.DialContext(ctx, "tcp", upstream)
		if err == nil {
			return server.(*net.TCPConn), nil
		}
		if !errors.Is(err, syscall.ECONNREFUSED) || time.Since(begun) > p.insist {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(again):
		}
	}
}

// dooms says whether a connection of that age is to be reset.
func (p *proxy) dooms(born uint64) bool { return p.resets.Load() || p.struck.Load() > born }

func (p *proxy) remember(ctx context.Context, c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil { // disabled while this one was dialled
		return false
	}
	p.open[c] = true
	p.opened.Add(1)
	return true
}

func (p *proxy) forget(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}
