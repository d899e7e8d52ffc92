package witness

import (
	"net"
	"time"
)

// firstAnswer is how long a ZooKeeper server may take to answer at all: what it is
// asked first needs a few milliseconds. Something may accept a connection in place
// of a server that does not run yet, and then it is to be dialled again soon.
const firstAnswer = time.Second

// impatient is a connection on which the first answer has to come soon. The client
// itself waits for it ten times as long as for a ping: 26 s.
type impatient struct {
	net.Conn
	answered bool // by the only goroutine that reads
}

func (c *impatient) SetReadDeadline(at time.Time) error {
	if soon := time.Now().Add(firstAnswer); !c.answered && !at.IsZero() && at.After(soon) {
		at = soon
	}
	return c.Conn.SetReadDeadline(at)
}

func (c *impatient) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.answered = c.answered || n > 0
	return n, err
}
