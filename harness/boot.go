package harness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

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

// startAll creates everything side by side, but what brokers do not need only after
// them, who take longest. A node starts as soon as its own egress listens, through
// which it dials everybody, so that it meets no link that is not there yet. Workers
// also wait for the brokers to agree: one that meets a topic without a leader, or
// fewer brokers than replicas, gives up for good (seen on 0.9.0.0 and 2.1.0).
func (c *Cluster) startAll(ctx context.Context) error {
	group, grouped := errgroup.WithContext(ctx)
	after := func(events []event, do func() error) {
		group.Go(func() error {
			if err := awaitAll(grouped, events...); err != nil {
				return err
			}
			return do()
		})
	}
	start := func(node topology.Node, first []event, then ...event) event {
		listens, begun := make(event), make(event)
		after(first, func() error { return listens.unless(c.startEgress(grouped, node)) })
		after(first, func() error { return begun.unless(c.startNode(grouped, node, append(then, listens)...)) })
		return begun
	}
	var begun []event
	for _, node := range append(c.spec.NodesOf(topology.ZooKeeper), c.spec.NodesOf(topology.Broker)...) {
		begun = append(begun, start(node, nil))
	}
	agreed := make(event)
	after(nil, func() error {
		if err := c.createInternalTopics(grouped); err != nil {
			return err
		}
		return agreed.unless(c.awaitAgreement(grouped))
	})
	for _, node := range c.spec.NodesOf(topology.Worker) {
		start(node, begun, agreed)
	}
	after(begun, func() error { return c.startEgress(grouped, topology.TheClient) })
	return group.Wait()
}

// startEgress returns when the egress listens for all of its node's links; a
// ZooKeeper server that is alone dials nobody and has none. It gives up when the
// egress has ended.
func (c *Cluster) startEgress(ctx context.Context, node topology.Node) error {
	if !c.spec.HasEgress(node) {
		return nil
	}
	if _, err := c.engine.Reserve(node.EgressName()); err != nil {
		return err
	}
	process, err := c.engine.Create(ctx, c.egressProgram(node))
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.egresses[node] = process
	c.mu.Unlock()
	if err := process.Start(ctx); err != nil {
		return err
	}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go watchEgress(ctx, node, process, giveUp)
	return c.mesh.Fill(ctx, node)
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
			control[node] = onLoopback(c.ports.control[node])
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

// watchEgress gives up once the egress has ended. It ends with ctx.
func watchEgress(ctx context.Context, node topology.Node, process engine.Process, giveUp context.CancelCauseFunc) {
	ticks := time.NewTicker(deadCheck)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := dead(ctx, node.EgressName(), process); errors.Is(err, engine.ErrDied) {
			giveUp(err)
			return
		}
	}
}
