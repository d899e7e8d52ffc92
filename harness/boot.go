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
		{"start egresses", c.startEgresses},
		{"start nodes", c.startNodes},
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

// startEgresses starts all egresses side by side, and beside them a ZooKeeper
// server that is alone: it dials nobody, so it needs no egress.
func (c *Cluster) startEgresses(ctx context.Context) error {
	group, grouped := errgroup.WithContext(ctx)
	for _, node := range append(c.spec.Nodes(), topology.TheClient) {
		if !c.spec.HasEgress(node) {
			group.Go(func() error { return c.startNode(grouped, node) })
			continue
		}
		group.Go(func() error {
			process, err := c.engine.Launch(grouped, c.egressProgram(node))
			c.mu.Lock()
			defer c.mu.Unlock()
			c.egresses[node] = process
			return err
		})
	}
	return group.Wait()
}

// startNodes starts the nodes side by side, and meanwhile tells the egresses
// what to listen for and ZooKeeper which internal topics there are.
func (c *Cluster) startNodes(ctx context.Context) error {
	group, grouped := errgroup.WithContext(ctx)
	group.Go(func() error { return c.openMesh(grouped) })
	for _, node := range c.spec.Nodes() {
		if c.spec.HasEgress(node) {
			group.Go(func() error { return c.startNode(grouped, node) })
		}
	}
	group.Go(func() error { return c.createInternalTopics(grouped) })
	return group.Wait()
}

func (c *Cluster) startNode(ctx context.Context, name topology.Node) error {
	process, err := c.engine.Launch(ctx, c.program(name))
	if process != nil {
		c.mu.Lock()
		c.nodes[name] = &Node{name: name, cluster: c, process: process}
		c.mu.Unlock()
	}
	return err
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

// egressCheck is the pause between two looks at the egresses; they open sooner.
const egressCheck = 500 * time.Millisecond

// watchEgresses gives up once an egress has ended. It ends with ctx.
func (c *Cluster) watchEgresses(ctx context.Context, giveUp context.CancelCauseFunc) {
	ticks := time.NewTicker(egressCheck)
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
