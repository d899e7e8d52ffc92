package clients

import (
	"net"
	"sync"
)

// corrected is a connection to a broker whose answers to requests for metadata are
// corrected. All else passes as it comes. One goroutine at a time may read, and one
// write.
type corrected struct {
	net.Conn
	requests requests // of the goroutine that writes
	answers  answers  // of the one that reads, like all below
	ready    []byte   // to be read before anything else
	failed   error    // what comes after it

	mu      sync.Mutex
	awaited map[int32]bool // requests for metadata that are not yet answered, by correlation id
}

// Write notes requests before it writes them: the answer may be there before it
// returns.
func (c *corrected) Write(from []byte) (int, error) {
	before := c.requests
	c.requests.feed(from, c.await)
	n, err := c.Conn.Write(from)
	if n < len(from) {
		c.requests = before
		c.requests.feed(from[:n], c.await)
	}
	return n, err
}

// Read holds back what is to be corrected until it is there as a whole.
func (c *corrected) Read(into []byte) (int, error) {
	if len(into) == 0 {
		return c.Conn.Read(into)
	}
	for len(c.ready) == 0 {
		if err := c.failed; err != nil {
			c.failed = nil
			return 0, err
		}
		n, err := c.Conn.Read(into)
		passed, ready := c.answers.feed(into[:n], c.arrived)
		c.ready, c.failed = ready, err
		if passed > 0 {
			return passed, nil
		}
	}
	n := copy(into, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

func (c *corrected) await(id int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.awaited == nil {
		c.awaited = map[int32]bool{}
	}
	c.awaited[id] = true
}

// arrived says whether an answer is one to a request for metadata.
func (c *corrected) arrived(id int32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.awaited[id]
	delete(c.awaited, id)
	return was
}
