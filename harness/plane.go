package harness

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Plane is a way to the cluster's nodes.
type Plane string

const (
	// OnFaulted goes through the client's egress: faults on the client's links bite.
	OnFaulted Plane = "faulted"
	// OnWitness goes straight to each node's published port: no fault bites.
	OnWitness Plane = "witness"
)

// ports says where on 127.0.0.1 things are published. It never changes during
// a run: a node that restarts is found where it was.
type ports struct {
	direct  map[topology.Node]int // the node itself
	faulted map[topology.Node]int // the client's egress, towards the node
	control int                   // the API of all egresses
}

// Dialer returns the way to the nodes on that plane, as franz-go, go-zookeeper
// and net/http want it. It takes a node's own address, for example
// broker-1:9093.
func (c *Cluster) Dialer(plane Plane) witness.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("dial %s on the %s plane: %w", address, plane, err)
		}
		node, err := topology.ParseNode(host)
		if err != nil || strconv.Itoa(node.Port()) != port || c.published(plane)[node] == 0 {
			return nil, fmt.Errorf("dial %s on the %s plane: no node of this cluster has that address", address, plane)
		}
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, onLoopback(c.published(plane)[node]))
	}
}

// Addresses lists the addresses of a role's nodes, as its clients know them.
func (c *Cluster) Addresses(role topology.Role) []string {
	var all []string
	for _, node := range c.spec.NodesOf(role) {
		all = append(all, node.Address())
	}
	return all
}

// REST returns the base URL of a worker's REST interface on that plane.
func (c *Cluster) REST(plane Plane, worker topology.Node) (string, error) {
	if worker.Role != topology.Worker || !c.spec.Has(worker) {
		return "", fmt.Errorf("find the REST interface of %s: it is no worker of this cluster", worker)
	}
	return "http://" + onLoopback(c.published(plane)[worker]), nil
}

func (c *Cluster) published(plane Plane) map[topology.Node]int {
	if plane == OnFaulted {
		return c.ports.faulted
	}
	return c.ports.direct
}

func onLoopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// LinkTraffic is what a link carries.
type LinkTraffic = mesh.Traffic

// Flow is one stream of what a link carries, in bytes.
type Flow = mesh.Flow

// LinkTraffic reads what a link carries. It is an error if the cluster does not have
// the link, or its proxy does not answer.
func (c *Cluster) LinkTraffic(ctx context.Context, link topology.Link) (LinkTraffic, error) {
	all, err := c.mesh.Connections(ctx)
	if err != nil {
		return LinkTraffic{}, fmt.Errorf("read traffic: %w", err)
	}
	traffic, known := all[link]
	if !known {
		return LinkTraffic{}, fmt.Errorf("read traffic: there is no link %v", link)
	}
	return traffic, nil
}
