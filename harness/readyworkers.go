package harness

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// awaitWorkers waits until every worker plays its part. Brokers, which are busiest
// while the first workers start, are asked for the group only once all workers
// answer by REST, and then once for all of them. It gives up at once when a worker
// has ended.
func (c *Cluster) awaitWorkers(ctx context.Context) error {
	workers := c.spec.NodesOf(topology.Worker)
	if len(workers) == 0 {
		return nil
	}
	ended := func(ctx context.Context) error { return c.deadAmong(ctx, workers) }
	err := untilDead(ctx, "the workers' servers to answer", func(ctx context.Context) error {
		return each(ctx, workers, c.serves)
	}, ended)
	if err != nil {
		return err
	}
	return untilDead(ctx, "the workers to be ready", func(ctx context.Context) error {
		return c.workersReady(ctx, workers...)
	}, ended)
}

// serves asks what needs no herder: one of 0.9 that is woken up while it joins its
// group is lost (see JoinsUndisturbed).
func (c *Cluster) serves(ctx context.Context, worker topology.Node) error {
	_, err := c.witness.Connect.Worker(ctx, worker)
	return err
}

// workersReady says what one of these workers still misses of playing its part.
func (c *Cluster) workersReady(ctx context.Context, workers ...topology.Node) error {
	group, err := c.witness.Brokers.Members(ctx, topology.ConnectGroup)
	if err != nil {
		return err
	}
	if err := joined(group, workers); err != nil {
		return err
	}
	return each(ctx, workers, c.witness.Connect.AskHerder)
}

// joined says which of the workers the group misses, or that it is not stable.
func joined(group state.GroupView, workers []topology.Node) error {
	for _, worker := range workers {
		if _, found := group.Member(worker); !found || group.State != "Stable" {
			return fmt.Errorf("%s is not in a stable group: %v", worker, group)
		}
	}
	return nil
}

// each asks all nodes at once, lets each of them answer, and returns the first error.
func each(ctx context.Context, nodes []topology.Node, ask func(context.Context, topology.Node) error) error {
	var group errgroup.Group
	for _, node := range nodes {
		group.Go(func() error { return ask(ctx, node) })
	}
	return group.Wait()
}
