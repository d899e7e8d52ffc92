package witness

import (
	"context"
	"net"
	"time"
)

// Dial opens a connection to a node by its name and port in the cluster, such
// as "zk-1:2181" or "broker-1:9093", on the witness plane. It ends when its
// context ends.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// patience bounds every single call, so that a poll that meets a silent node
// has something to say before the whole wait is over.
const patience = 5 * time.Second

// open dials and binds the connection to the context: reads and writes fail
// when it ends. The returned function closes the connection.
func (dial Dial) open(ctx context.Context, address string) (net.Conn, func(), error) {
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	return conn, func() { stop(); conn.Close() }, nil
}

// nodeOf is the name of the node at an address of the cluster.
func nodeOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
