package harness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/internal/mesh"
	"kafkachaos/harness/topology"
)

func (c *Cluster) boot(ctx context.Context) error {
	if err := c.prepare(ctx); err != nil { // images may take any time, the rest may not
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyBound)
	defer cancel()
	phases := []struct {
		name string
		do   func(context.Context) error
	}{
		{"start processes", c.startAll},
		{"await readiness", c.awaitReady},
		{"prove that nothing bypasses a proxy", c.ProveNoBypass},
	}
	for _, phase := range phases {
		began := time.Now()
		if err := phase.do(ctx); err != nil {
			return err
		}
		slog.Debug(phase.name, "run", c.run, "took", time.Since(began))
	}
	return nil
}

// prepare does all that can fail without anything having been started.
func (c *Cluster) prepare(ctx context.Context) error {
	say := func(format string, args ...any) { slog.Info(fmt.Sprintf(format, args...)) }
	if err := BuildImages(ctx, say, c.spec.Versions()...); err != nil {
		return err
	}
	sweepOnce()
	var err error
	if c.ports, err = allocatePorts(c.spec); err != nil {
		return err
	}
	docker, err := engine.Open(ctx, c.run)
	if docker != nil {
		c.engine = docker
	}
	c.openWitness()
	if err != nil {
		return err
	}
	return c.openMesh()
}

// startAll creates everything side by side. A node starts as soon as its own proxies
// listen, through which it dials everybody, so that it meets no link that is not
// there yet.
//
// A worker that meets a topic without a leader, or fewer brokers than replicas, gives
// up for good (seen on 0.9.0.0 and 2.1.0). So no worker reaches a broker before the
// brokers agree. But most of its start goes without them, so it begins when they are
// registered, and what it asks them until they agree is held: it sees a broker that
// is slow to answer, for a second or two of the 30 s that every release waits.
func (c *Cluster) startAll(ctx context.Context) error {
	return c.startAround(ctx, c.awaitRegistered, func(ctx context.Context) error {
		if err := c.createInternalTopics(ctx); err != nil {
			return err
		}
		return c.awaitAgreement(ctx)
	})
}

// startAround is startAll around how brokers register and then come to agree.
func (c *Cluster) startAround(ctx context.Context, register, agree func(context.Context) error) error {
	group, grouped := errgroup.WithContext(ctx)
	after := func(events []event, do func(context.Context) error) event {
		done := make(event)
		group.Go(func() error {
			if err := awaitAll(grouped, events...); err != nil {
				return err
			}
			return done.unless(do(grouped))
		})
		return done
	}
	proxies := after(nil, c.startProxies)
	start := func(node topology.Node, first ...event) event {
		if c.spec.HasEgress(node) { // a ZooKeeper server that is alone dials nobody and has none
			first = append(first, after([]event{proxies}, func(ctx context.Context) error { return c.fill(ctx, node) }))
		}
		return after(nil, func(ctx context.Context) error { return c.startNode(ctx, node, first...) })
	}
	for _, node := range append(c.spec.NodesOf(topology.ZooKeeper), c.spec.NodesOf(topology.Broker)...) {
		start(node)
	}
	registered := after(nil, register)
	agreed := after([]event{registered}, agree)
	for _, node := range c.spec.NodesOf(topology.Worker) {
		started := start(node, registered) // and so its links are held
		after([]event{started, agreed}, func(ctx context.Context) error {
			return c.mesh.RemoveToxics(ctx, c.early(node), untilAgreed.Name)
		})
	}
	after([]event{proxies}, func(ctx context.Context) error { return c.fill(ctx, topology.TheClient) })
	return group.Wait()
}

// untilAgreed keeps what a worker sends to a broker until the brokers agree.
var untilAgreed = faults.Toxic{Name: "until-brokers-agree", Type: "hold", Stream: faults.Upstream}

// early are the links of a node on which that is.
func (c *Cluster) early(node topology.Node) []topology.Link {
	return slices.DeleteFunc(c.spec.Links(), func(link topology.Link) bool {
		return link.From != node || node.Role != topology.Worker || link.To.Role != topology.Broker
	})
}

// startProxies starts the server of all proxies, which has none yet.
func (c *Cluster) startProxies(ctx context.Context) error {
	program, err := c.proxyProgram()
	if err != nil {
		return err
	}
	process, err := c.engine.Create(ctx, program)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.proxyServer = process
	c.mu.Unlock()
	return process.Start(ctx)
}

// fill returns when the egress listens for all of its node's links, and holds those of
// a worker to brokers. It gives up when the server has ended.
func (c *Cluster) fill(ctx context.Context, node topology.Node) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go watch(ctx, proxyName, c.proxyServer, giveUp)
	if err := c.mesh.Fill(ctx, node); err != nil {
		return err
	}
	return c.mesh.AddToxics(ctx, c.early(node), untilAgreed)
}

// startNode makes the node's container at once and starts it after those events.
func (c *Cluster) startNode(ctx context.Context, name topology.Node, after ...event) error {
	if _, err := c.engine.Reserve(name.String()); err != nil {
		return err
	}
	program, err := c.program(name)
	if err != nil {
		return err
	}
	process, err := c.engine.Create(ctx, program)
	if process != nil {
		c.mu.Lock()
		c.nodes[name] = &Node{name: name, cluster: c, process: process}
		c.mu.Unlock()
	}
	if err != nil {
		return err
	}
	if err := awaitAll(ctx, after...); err != nil {
		return err
	}
	return process.Start(ctx)
}

// openMesh makes the mesh of all egresses, none of which has begun.
func (c *Cluster) openMesh() error {
	control := map[topology.Node]string{}
	var proxies []topology.Proxy
	for _, node := range append(c.spec.Nodes(), topology.TheClient) {
		if c.spec.HasEgress(node) {
			control[node] = onLoopback(c.ports.control) + "/" + node.String()
			proxies = append(proxies, c.spec.Proxies(node)...)
		}
	}
	var err error
	if c.mesh, err = mesh.Open(control, proxies); err != nil {
		return err
	}
	c.rig = c.newRig()
	return nil
}

// watch gives up once the process has ended. It ends with ctx.
func watch(ctx context.Context, name string, process engine.Process, giveUp context.CancelCauseFunc) {
	ticks := time.NewTicker(deadCheck)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := dead(ctx, name, process); errors.Is(err, engine.ErrDied) {
			giveUp(err)
			return
		}
	}
}
