package harness

import (
	"context"
	"fmt"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// Broker is the handle of one broker.
type Broker struct{ *Node }

// Registration reads what ZooKeeper holds of the broker, over the witness plane.
func (b *Broker) Registration(ctx context.Context) (state.Registration, error) {
	return b.cluster.witness.ZooKeeper.Registration(ctx, b.name.ID)
}

// Worker is the handle of one Connect worker.
type Worker struct{ *Node }

// ZooKeeper is the handle of one ZooKeeper server.
type ZooKeeper struct{ *Node }

// Server reads what the server says of itself: leader, follower, standalone.
func (z *ZooKeeper) Server(ctx context.Context) (state.ServerView, error) {
	return z.cluster.witness.ZooKeeper.Server(ctx, z.name.Address())
}

// Controller reads who is the controller, as ZooKeeper has it.
func (c *Cluster) Controller(ctx context.Context) (state.ControllerView, error) {
	return c.witness.ZooKeeper.Controller(ctx)
}

// ControllerBroker is the broker that is the controller at the moment.
func (c *Cluster) ControllerBroker(ctx context.Context) (*Broker, error) {
	view, err := c.Controller(ctx)
	if err != nil {
		return nil, err
	}
	if !view.Present {
		return nil, fmt.Errorf("find the controller: %v", view)
	}
	return c.Broker(view.Broker), nil
}

// ConnectGroup reads the group of the workers from its coordinator.
func (c *Cluster) ConnectGroup(ctx context.Context) (state.GroupView, error) {
	return c.witness.Brokers.Group(ctx, topology.ConnectGroup)
}
