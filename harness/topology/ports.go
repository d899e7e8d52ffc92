package topology

import "fmt"

// Where nodes listen inside the cluster's network. Every node of a role has a
// port of its own, so that one egress can listen for all of them.
const (
	zkPort       = 2180  // + ID
	quorumPort   = 2880  // + ID
	electionPort = 3880  // + ID
	brokerPort   = 9092  // + ID
	workerPort   = 18082 // + ID

	// ProxyPort is where the server of all proxies takes orders.
	ProxyPort = 8474
)

// Port is where the node serves its clients, inside the cluster's network.
func (n Node) Port() int {
	switch n.Role {
	case ZooKeeper:
		return zkPort + n.ID
	case Broker:
		return brokerPort + n.ID
	case Worker:
		return workerPort + n.ID
	}
	return 0
}

// Address is the one address by which every node and every client knows the
// node: broker-1:9093. Where it leads depends on who asks.
func (n Node) Address() string { return fmt.Sprintf("%s:%d", n, n.Port()) }

// DirectName is the network alias that leads to the node itself. Only
// egresses use it.
func (n Node) DirectName() string { return "node-" + n.String() }

// Proxy is one listener of an egress.
type Proxy struct {
	Link Link
	Name string // unique in its egress: zk-1, zk-1.election
	Port int    // where the egress listens and where the far node does
}

// Listen is where the egress listens: at its own address, whatever that is.
func (p Proxy) Listen() string { return fmt.Sprintf("0.0.0.0:%d", p.Port) }

// Upstream is the address that the egress dials: the far node itself.
func (p Proxy) Upstream() string { return fmt.Sprintf("%s:%d", p.Link.To.DirectName(), p.Port) }

// Proxies lists what the egress of the node listens for. Links between
// ZooKeeper servers carry the quorum and the election, and no clients.
func (s Spec) Proxies(from Node) []Proxy {
	var proxies []Proxy
	for _, link := range s.Links() {
		switch {
		case link.From != from:
		case link.From.Role == ZooKeeper:
			proxies = append(proxies,
				Proxy{link, link.To.String() + ".election", electionPort + link.To.ID},
				Proxy{link, link.To.String() + ".quorum", quorumPort + link.To.ID})
		default:
			proxies = append(proxies, Proxy{link, link.To.String(), link.To.Port()})
		}
	}
	return proxies
}

// HasEgress says whether the node dials anybody at all; a single ZooKeeper
// server does not.
func (s Spec) HasEgress(node Node) bool { return len(s.Proxies(node)) > 0 }
