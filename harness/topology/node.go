package topology

import (
	"fmt"
	"strconv"
	"strings"
)

// Role is the part that a node plays in the cluster.
type Role string

// The four roles. The client is the harness itself, seen as a node so that its
// links to the cluster can be faulted like any other.
const (
	ZooKeeper Role = "zk"
	Broker    Role = "broker"
	Worker    Role = "worker"
	Client    Role = "client"
)

// Roles are those of the cluster's own processes: all but the client.
func Roles() []Role { return []Role{ZooKeeper, Broker, Worker} }

// Node names one process of the cluster: zk-1, broker-3, worker-2, client.
// It is comparable; the zero Node names nothing.
type Node struct {
	Role Role
	ID   int // 1 and up; 0 for the client
}

// TheClient is the node that stands for the harness's own faulted plane.
var TheClient = Node{Role: Client}

// ZK names the n-th ZooKeeper server.
func ZK(n int) Node { return Node{ZooKeeper, n} }

// BrokerNode names the broker whose broker.id is n.
func BrokerNode(n int) Node { return Node{Broker, n} }

// WorkerNode names the n-th Connect worker.
func WorkerNode(n int) Node { return Node{Worker, n} }

func (n Node) String() string {
	if n.Role == Client {
		return string(Client)
	}
	return fmt.Sprintf("%s-%d", n.Role, n.ID)
}

// ParseNode reads what Node.String writes.
func ParseNode(text string) (Node, error) {
	if text == string(Client) {
		return TheClient, nil
	}
	role, number, _ := strings.Cut(text, "-")
	id, err := strconv.Atoi(number)
	switch Role(role) {
	case ZooKeeper, Broker, Worker:
		if node := (Node{Role(role), id}); err == nil && id > 0 && node.String() == text {
			return node, nil
		}
	}
	return Node{}, fmt.Errorf("parse node %q: want zk-N, broker-N, worker-N or client, N from 1", text)
}

// MarshalText writes the node as its name.
func (n Node) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads a node's name.
func (n *Node) UnmarshalText(text []byte) (err error) {
	*n, err = ParseNode(string(text))
	return err
}
