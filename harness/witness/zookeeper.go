package witness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// ZooKeeper reads and writes ZooKeeper on the witness plane. It reconnects by
// itself, to whichever server answers; a reading says which one that was, and
// holds what that server has applied so far.
//
// It is safe for concurrent use, and connects at its first use. Its own session
// is one of those in Connections.
type ZooKeeper struct {
	dial    Dial
	servers []string
	life    context.Context //nolint:containedctx // that of its connection, until Close
	end     context.CancelFunc

	mu      sync.Mutex
	conn    *zk.Conn
	ready   chan struct{} // closed while the session is usable
	isReady bool
	lastErr error // why the last dial failed
}

// NewZooKeeper makes a witness of the ensemble at these addresses, such as
// "zk-1:2181". Close it.
func NewZooKeeper(dial Dial, servers []string) *ZooKeeper {
	life, end := context.WithCancel(context.Background())
	return &ZooKeeper{dial: dial, servers: slices.Clone(servers), life: life, end: end, ready: make(chan struct{})}
}

// Servers are the addresses of the ensemble.
func (z *ZooKeeper) Servers() []string { return slices.Clone(z.servers) }

// Close ends the witness's session. Further calls fail.
func (z *ZooKeeper) Close() {
	if z == nil {
		return
	}
	z.mu.Lock()
	conn := z.conn
	z.mu.Unlock()
	if conn != nil && conn.State() == zk.StateHasSession {
		conn.Close()
	}
	z.end()
}

// The client's session time-out: long enough to survive a pause, short enough
// to notice within seconds that a server went silent.
const witnessSession = 4 * time.Second

// connected waits for a usable session. The client reconnects in the
// background, so this only waits.
func (z *ZooKeeper) connected(ctx context.Context) (*zk.Conn, error) {
	z.mu.Lock()
	if z.conn == nil && z.life.Err() == nil {
		conn, _, err := zk.Connect(z.servers, witnessSession,
			zk.WithDialer(z.dialServer), zk.WithHostProvider(&rotation{life: z.life}),
			zk.WithLogger(silent{}), zk.WithLogInfo(false), zk.WithEventCallback(z.noteState))
		if err != nil {
			z.mu.Unlock()
			return nil, err
		}
		z.conn = conn
		context.AfterFunc(z.life, conn.Close) //nolint:contextcheck // the connection outlives this call
	}
	conn, ready := z.conn, z.ready
	z.mu.Unlock()
	select {
	case <-z.life.Done():
		return nil, errors.New("the witness is closed")
	default:
	}
	select {
	case <-ready:
		return conn, nil
	case <-z.life.Done():
		return nil, errors.New("the witness is closed")
	case <-ctx.Done():
		z.mu.Lock()
		defer z.mu.Unlock()
		return nil, fmt.Errorf("not connected (last dial: %v): %w", z.lastErr, ctx.Err()) //nolint:errorlint // it may be nil, and is not why this ended
	}
}

func (z *ZooKeeper) noteState(event zk.Event) {
	if event.Type != zk.EventSession {
		return
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	switch has := event.State == zk.StateHasSession; {
	case has && !z.isReady:
		close(z.ready)
		z.isReady = true
	case !has && z.isReady:
		z.ready = make(chan struct{})
		z.isReady = false
	}
}

// redial is the least time between two attempts to connect.
const redial = 50 * time.Millisecond

func (z *ZooKeeper) dialServer(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(z.life, timeout)
	defer cancel()
	conn, err := z.dial(ctx, network, address)
	z.mu.Lock()
	z.lastErr = err
	z.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return &impatient{Conn: conn}, nil
}

// server is the address that the client is connected to.
func (z *ZooKeeper) server() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.conn == nil {
		return z.servers[0]
	}
	return z.conn.Server()
}

// inOrder lists the servers, the one that answered last first.
func (z *ZooKeeper) inOrder() []string {
	order := slices.Clone(z.servers)
	if at := slices.Index(order, z.server()); at > 0 {
		order[0], order[at] = order[at], order[0]
	}
	return order
}

// ask runs one operation of the client, which knows no context, within ours.
// An abandoned operation may still happen.
func ask[T any](ctx context.Context, z *ZooKeeper, operation func(*zk.Conn) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	conn, err := z.connected(ctx)
	if err != nil {
		return none, err
	}
	answered := make(chan answer, 1)
	go func() {
		value, err := operation(conn)
		answered <- answer{value, err}
	}()
	select {
	case got := <-answered:
		return got.value, got.err
	case <-ctx.Done():
		return none, fmt.Errorf("no answer by %s: %w", nodeOf(z.server()), ctx.Err())
	}
}

// askAgain is ask for operations that may be repeated: it does so when the
// connection breaks under it.
func askAgain[T any](ctx context.Context, z *ZooKeeper, operation func(*zk.Conn) (T, error)) (T, error) {
	for {
		value, err := ask(ctx, z, operation)
		if !broken(err) || ctx.Err() != nil || z.life.Err() != nil {
			return value, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(redial):
		}
	}
}

func broken(err error) bool {
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrSessionExpired) ||
		errors.Is(err, zk.ErrNoServer) || errors.Is(err, zk.ErrSessionMoved)
}

// rotation hands the servers out in turn, unresolved, since Dial takes names.
// It spares the client its pause of a whole second between rounds for a short
// one of its own, unless the witness is closed: the client notices that only in
// that pause.
type rotation struct {
	life    context.Context //nolint:containedctx // the witness's; Next is given none
	servers []string
	next    int
	last    time.Time
}

func (r *rotation) Init(servers []string) error { r.servers = servers; return nil }
func (r *rotation) Len() int                    { return len(r.servers) }
func (r *rotation) Connected()                  {}

func (r *rotation) Next() (string, bool) {
	select {
	case <-time.After(time.Until(r.last.Add(redial))):
	case <-r.life.Done():
	}
	server := r.servers[r.next%len(r.servers)]
	r.next++
	r.last = time.Now()
	return server, r.life.Err() != nil
}

type silent struct{}

func (silent) Printf(string, ...any) {}
