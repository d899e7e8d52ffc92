package harness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
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
	return err
}

// startAll creates everything side by side. Egresses start at once, and nodes as
// soon as their egresses listen, so that no node meets a link that is not there
// yet. A ZooKeeper server that is alone dials nobody and does not wait. Workers
// wait for the brokers to agree: one that meets a topic without a leader, or
// fewer brokers than replicas, gives up for good (seen on 0.9.0.0 and 2.1.0).
func (c *Cluster) startAll(ctx context.Context) error {
	group, grouped := errgroup.WithContext(ctx)
	var egresses errgroup.Group
	open := make(chan struct{})   // closed when the links are there
	agreed := make(chan struct{}) // closed when the brokers agree
	for _, node := range append(c.spec.Nodes(), topology.TheClient) {
		if c.spec.HasEgress(node) {
			egresses.Go(func() error { return c.startEgress(grouped, node) })
		}
		if node != topology.TheClient {
			begin := open
			if node.Role == topology.Worker {
				begin = agreed
			}
			group.Go(func() error { return c.startNode(grouped, node, begin) })
		}
	}
	group.Go(func() error {
		if err := egresses.Wait(); err != nil {
			return err
		}
		if err := c.openMesh(grouped); err != nil {
			return err
		}
		close(open)
		return nil
	})
	group.Go(func() error {
		if err := c.createInternalTopics(grouped); err != nil {
			return err
		}
		if err := c.awaitAgreement(grouped); err != nil {
			return err
		}
		close(agreed)
		return nil
	})
	return group.Wait()
}

func (c *Cluster) startEgress(ctx context.Context, node topology.Node) error {
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
	return process.Start(ctx)
}

func (c *Cluster) startNode(ctx context.Context, name topology.Node, begin <-chan struct{}) error {
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
	if c.spec.HasEgress(name) {
		select {
		case <-begin:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return process.Start(ctx)
}

// openMesh configures every egress. It gives up when one has ended.
func (c *Cluster) openMesh(ctx context.Context) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	go c.watchEgresses(ctx, giveUp)
	control := map[topology.Node]string{}
	var proxies []topology.Proxy
	for _, node := range slices.Collect(maps.Keys(c.egresses)) {
		control[node] = onLoopback(c.ports.control[node])
		proxies = append(proxies, c.spec.Proxies(node)...)
	}
	var err error
	if c.mesh, err = mesh.Open(ctx, control, proxies); err != nil {
		return err
	}
	c.rig = c.newRig()
	return nil
}

// watchEgresses gives up once an egress has ended. It ends with ctx.
func (c *Cluster) watchEgresses(ctx context.Context, giveUp context.CancelCauseFunc) {
	ticks := time.NewTicker(deadCheck)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		for node, process := range c.egresses {
			if err := dead(ctx, node.EgressName(), process); errors.Is(err, engine.ErrDied) {
				giveUp(err)
				return
			}
		}
	}
}
