package harness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// stopBound is how long Stop may take to remove a cluster, whatever became of
// its context and however long its faults took to heal.
const stopBound = 30 * time.Second

// Cluster is a running Kafka cluster behind directed links. It is safe for
// concurrent use.
type Cluster struct {
	spec  topology.Spec
	run   string
	ports ports

	engine      engine.Engine
	mesh        *mesh.Mesh
	mu          sync.Mutex     // guards the next two while nodes start side by side
	proxyServer engine.Process // of all links
	nodes       map[topology.Node]*Node

	http    *http.Client
	witness Witness
	rig     *faults.Rig
}

// Witness holds the direct readers of a cluster, on the witness plane.
type Witness struct {
	ZooKeeper *witness.ZooKeeper
	Brokers   *witness.Brokers
	Admin     *witness.Admin
	Connect   *witness.Connect
}

func (c *Cluster) openWitness() {
	dial := c.Dialer(OnWitness)
	zookeeper := witness.NewZooKeeper(dial, c.Addresses(topology.ZooKeeper))
	rest := func(worker topology.Node) (string, error) { return c.REST(OnWitness, worker) }
	c.witness = Witness{
		ZooKeeper: zookeeper,
		Brokers:   witness.NewBrokers(dial, c.Addresses(topology.Broker), c.spec.Version(topology.Broker)),
		Admin:     witness.NewAdmin(zookeeper),
		Connect:   witness.NewConnect(c.http, rest, c.spec.Version(topology.Worker)),
	}
}

// Witness returns the direct readers of the cluster.
func (c *Cluster) Witness() Witness { return c.witness }

// Start starts a cluster and returns when it is ready: every broker registered
// and known to every other, every worker in the group and serving, all internal
// topics in sync, and no connection between nodes past a proxy. Images that are
// missing are built first, and what killed runs left is removed.
//
// The Cluster is returned with an error too, half made, so that its evidence
// can be collected; Stop it in every case.
func Start(ctx context.Context, spec topology.Spec) (*Cluster, error) {
	c := newCluster(spec)
	if err := c.boot(ctx); err != nil {
		return c, fmt.Errorf("start a cluster of %s: %w", spec, err)
	}
	return c, nil
}

func newCluster(spec topology.Spec) *Cluster {
	return &Cluster{
		spec:  spec,
		run:   strings.ToLower(rand.Text()[:6]),
		nodes: map[topology.Node]*Node{},
		http:  &http.Client{Transport: &http.Transport{}},
	}
}

// Stop ends and removes all that the cluster consists of, faulted or not. It
// goes on when ctx is cancelled: each fault in effect has its HealBound, and
// then the removal 30 s. It is valid on nil, on a half-started cluster, and
// again.
func (c *Cluster) Stop(ctx context.Context) error {
	if c == nil {
		return nil
	}
	var errs []error
	if c.rig != nil {
		errs = append(errs, c.rig.Close(ctx))
	}
	c.witness.ZooKeeper.Close()
	c.witness.Brokers.Close()
	c.http.CloseIdleConnections()
	if c.mesh != nil {
		errs = append(errs, c.mesh.Close())
	}
	if c.engine != nil {
		// Begun here, so that a fault that was slow to heal cannot use it up.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopBound)
		defer cancel()
		errs = append(errs, c.engine.Close(ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("stop run %s (`make clean` removes what is left): %w", c.run, err)
	}
	return nil
}

// Keep makes sure that no sweep removes the cluster, so that it can be looked
// at after this process has ended. Do not call Stop then. Of a cluster of which
// nothing was started there is nothing to keep.
func (c *Cluster) Keep(ctx context.Context) error {
	if c.engine == nil {
		return nil
	}
	return c.engine.Keep(ctx)
}

// Run is the name of this run; every container carries it.
func (c *Cluster) Run() string { return c.run }

// Spec is what the cluster was started from.
func (c *Cluster) Spec() topology.Spec { return c.spec }

// Broker returns broker n, from 1. A broker that is not in the Spec is a
// mistake of the caller and panics, as an index out of range does.
func (c *Cluster) Broker(n int) *Broker { return &Broker{c.node(topology.BrokerNode(n))} }

// Worker returns worker n, from 1.
func (c *Cluster) Worker(n int) *Worker { return &Worker{c.node(topology.WorkerNode(n))} }

// ZooKeeper returns ZooKeeper server n, from 1.
func (c *Cluster) ZooKeeper(n int) *ZooKeeper { return &ZooKeeper{c.node(topology.ZK(n))} }

// Brokers returns all brokers, by number.
func (c *Cluster) Brokers() []*Broker {
	brokers := make([]*Broker, c.spec.Count(topology.Broker))
	for i := range brokers {
		brokers[i] = c.Broker(i + 1)
	}
	return brokers
}

// Workers returns all workers, by number.
func (c *Cluster) Workers() []*Worker {
	workers := make([]*Worker, c.spec.Count(topology.Worker))
	for i := range workers {
		workers[i] = c.Worker(i + 1)
	}
	return workers
}

// Node returns the node of that name.
func (c *Cluster) Node(name topology.Node) (*Node, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if node := c.nodes[name]; node != nil {
		return node, nil
	}
	return nil, fmt.Errorf("find %s: this cluster has %s", name, c.spec)
}

func (c *Cluster) node(name topology.Node) *Node {
	node, err := c.Node(name)
	if err != nil {
		panic(err)
	}
	return node
}
