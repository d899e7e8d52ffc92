package harness

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// readyBound is how long a whole cluster may take from its first container to
// readiness, at the start or after a fault: ten times what a start takes on two
// cores.
const readyBound = 90 * time.Second

// awaitReady waits until every node plays its part, there is a controller, and
// the brokers agree.
func (c *Cluster) awaitReady(ctx context.Context) error {
	group, grouped := errgroup.WithContext(ctx)
	await := func(what string, ready func(context.Context) error) {
		group.Go(func() error {
			began := time.Now()
			err := ready(grouped)
			slog.Debug("ready", "node", what, "run", c.run, "took", time.Since(began), "err", err)
			return err
		})
	}
	for _, name := range append(c.spec.NodesOf(topology.ZooKeeper), c.spec.NodesOf(topology.Broker)...) {
		await(name.String(), c.node(name).AwaitReady)
	}
	await("workers", c.awaitWorkers)
	if err := group.Wait(); err != nil {
		return err
	}
	return c.awaitAgreement(ctx)
}

// awaitAgreement waits until the brokers agree.
func (c *Cluster) awaitAgreement(ctx context.Context) error {
	return untilDead(ctx, "the brokers to agree", c.agreed, c.anyDead)
}

// AwaitWhole waits, within ctx and 90 s, until the cluster is as it was after
// Start: every node plays its part, there is a controller, every broker sees all
// brokers and all internal topics, and every replica is in sync.
func (c *Cluster) AwaitWhole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyBound)
	defer cancel()
	return c.awaitReady(ctx)
}

// agreed says what is still missing. A broker that knows no topic yet has none
// that is out of sync, so the internal ones have to be there.
func (c *Cluster) agreed(ctx context.Context) error {
	controller, err := c.Controller(ctx)
	if err != nil {
		return err
	}
	if !controller.Present {
		return fmt.Errorf("%v", controller)
	}
	for _, broker := range c.spec.NodesOf(topology.Broker) {
		view, err := c.witness.Brokers.View(ctx, broker.ID)
		if err != nil {
			return err
		}
		if len(view.Live) < c.spec.Count(topology.Broker) || len(view.UnderReplicated()) > 0 {
			return fmt.Errorf("%v", view)
		}
		for _, topic := range c.internalTopics() {
			if _, known := view.Topic(topic.name); !known {
				return fmt.Errorf("%s does not know topic %s: %v", broker, topic.name, view)
			}
		}
	}
	return c.allInSync(ctx)
}

// allInSync says which replica is behind by what its leader keeps in ZooKeeper. What
// brokers know of that is up to 5 s old before 2.7 (KAFKA-2722).
func (c *Cluster) allInSync(ctx context.Context) error {
	topics, err := c.topics(ctx)
	if err != nil {
		return err
	}
	for _, topic := range topics {
		if behind := topic.UnderReplicated(); len(behind) > 0 {
			return fmt.Errorf("%v", behind[0])
		}
	}
	return nil
}

// AwaitReady waits, within ctx, until the node plays its part. It gives up at
// once when the process has ended.
func (n *Node) AwaitReady(ctx context.Context) error {
	return untilDead(ctx, n.String()+" to be ready", n.Ready, func(ctx context.Context) error {
		return dead(ctx, n.String(), n.process)
	})
}

// deadCheck is the pause between two looks at a process that is waited for. They
// cost the engine more than a reading, in the seconds when every node starts.
const deadCheck = 500 * time.Millisecond

// untilDead is until, and now and then looks for a death that makes the wait vain.
func untilDead(ctx context.Context, what string, reading, death func(context.Context) error) error {
	looked := time.Now()
	return until(ctx, what, func(ctx context.Context) error {
		err := reading(ctx)
		if err != nil && time.Since(looked) > deadCheck {
			looked = time.Now()
			err = errors.Join(death(ctx), err)
		}
		return err
	})
}

// anyDead returns an ErrDied for the first node that has ended.
func (c *Cluster) anyDead(ctx context.Context) error { return c.deadAmong(ctx, c.spec.Nodes()) }

func (c *Cluster) deadAmong(ctx context.Context, nodes []topology.Node) error {
	for _, name := range nodes {
		node, err := c.Node(name)
		if err != nil {
			continue // not made yet
		}
		if err := dead(ctx, name.String(), node.process); err != nil {
			return err
		}
	}
	return nil
}

// dead returns an ErrDied with the last lines of a process that has ended.
func dead(ctx context.Context, name string, process engine.Process) error {
	now, err := process.State(ctx)
	if err != nil || now.Running || now.StartedAt.IsZero() { // a process that has not begun is not dead
		return err
	}
	cause := fmt.Sprintf("exit code %d", now.ExitCode)
	if now.OutOfMem {
		cause += ", out of memory"
	}
	return fmt.Errorf("%w: %s, %s; its last lines:\n%s", engine.ErrDied, name, cause, engine.LastLines(ctx, process, 15))
}

// Ready says what the node still misses of playing its part: a ZooKeeper server
// serves; a broker is registered and answers; a worker is in its group, the
// group is stable, and its herder answers. Nil when it misses nothing.
func (n *Node) Ready(ctx context.Context) error {
	switch n.name.Role {
	case topology.ZooKeeper:
		view, err := n.cluster.witness.ZooKeeper.Server(ctx, n.name.Address())
		if err == nil && view.Mode == state.ModeNotServing {
			err = fmt.Errorf("%v", view)
		}
		return err
	case topology.Broker:
		return n.brokerReady(ctx)
	default:
		return n.cluster.workersReady(ctx, n.name)
	}
}

func (n *Node) brokerReady(ctx context.Context) error {
	registration, err := n.cluster.witness.ZooKeeper.Registration(ctx, n.name.ID)
	if err != nil {
		return err
	}
	if !registration.Present {
		return fmt.Errorf("%v", registration)
	}
	_, err = n.cluster.witness.Brokers.View(ctx, n.name.ID)
	return err
}
