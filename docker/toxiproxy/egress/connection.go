package egress

import (
	"sync"
)

// connection is one client's connection and the one dialled for it.
type connection struct {
	client, server end
	up, down       *wire
	over           chan struct{} // closed with both sockets
	once           sync.Once
	gone           func() // told once, when it is over

	mu    sync.Mutex
	ended int // streams whose end was passed on
	half  bool
}

func (p *proxy) connect(client, server end, born uint64) *connection {
	c := &connection{client: client, server: server, over: make(chan struct{})}
	wire := func(src, dst end, dir int) *wire {
		return &wire{
			conn: c, src: src, dst: dst, rules: &p.rules[dir], count: &p.count[dir],
			wake: make(chan struct{}, 1), room: make(chan struct{}, 1),
			progress: progress{born: born},
		}
	}
	c.up, c.down = wire(client, server, 0), wire(server, client, 1)
	return c
}

func (c *connection) start() {
	for _, w := range []*wire{c.up, c.down} {
		go w.read()
		go w.run()
	}
}

func (c *connection) changed() {
	c.up.changed()
	c.down.changed()
}

// close ends both sides; what was written before still arrives.
func (c *connection) close() { c.end(-1) }

// reset ends both sides with RST.
func (c *connection) reset() { c.end(0) }

func (c *connection) end(linger int) {
	c.once.Do(func() {
		for _, side := range []end{c.client, c.server} {
			side.SetLinger(linger)
			side.Close()
		}
		close(c.over)
		c.gone()
	})
}

// finished counts a stream whose end was passed on; with both the connection is
// over.
func (c *connection) finished() {
	c.mu.Lock()
	c.ended++
	over, broken := c.ended == 2, c.half
	c.mu.Unlock()
	switch {
	case over:
		c.close()
	case broken:
		c.reset()
	}
}

// broke notes that one side takes no more. When the other stream has ended
// already, nothing is left that could tell the sender.
func (c *connection) broke() {
	c.mu.Lock()
	c.half = true
	over := c.ended > 0
	c.mu.Unlock()
	if over {
		c.reset()
	}
}
