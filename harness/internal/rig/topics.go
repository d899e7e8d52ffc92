package rig

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/witness"
)

// Topics administers topics, and Partitions moves replicas and leaders, by the
// nodes of ZooKeeper that the controller watches.
type Topics struct {
	Admin     *witness.Admin
	ZooKeeper *witness.ZooKeeper
	Brokers   []int // their ids, to place replicas on
}

var (
	_ faults.Topics     = Topics{}
	_ faults.Partitions = Topics{}
)

// Topic reads a topic as ZooKeeper holds it. One that is being deleted exists
// until the controller has forgotten the order, too: until then it would take
// away what belongs to a new topic of that name.
func (t Topics) Topic(ctx context.Context, name string) (faults.Topic, error) {
	order, err := t.ZooKeeper.Exists(ctx, witness.DeletionPath(name))
	if err != nil {
		return faults.Topic{}, err
	}
	view, err := t.Admin.Topic(ctx, name)
	if err != nil {
		return faults.Topic{}, err
	}
	topic := faults.Topic{Name: name, Exists: view.Present || order.Exists, Config: view.Config}
	for _, p := range view.Partitions {
		topic.Partitions = append(topic.Partitions, faults.Partition{Leader: p.Leader, Replicas: p.Replicas, InSync: p.ISR})
	}
	return topic, nil
}

// Create makes a topic; partitions without replicas are spread over the brokers.
func (t Topics) Create(ctx context.Context, topic faults.Topic) error {
	placed, err := state.Spread(t.Brokers, len(topic.Partitions), min(3, len(t.Brokers)))
	if err != nil {
		return err
	}
	for i, p := range topic.Partitions {
		if len(p.Replicas) > 0 {
			placed[i] = p.Replicas
		}
	}
	return t.Admin.CreateTopic(ctx, topic.Name, placed, topic.Config)
}

// Delete asks for the deletion of a topic; that there is none is no error.
func (t Topics) Delete(ctx context.Context, name string) error {
	if err := t.Admin.DeleteTopic(ctx, name); !errors.Is(err, witness.ErrNoNode) {
		return err
	}
	return nil
}

// SetConfig sets or removes one key of the topic's own configuration.
func (t Topics) SetConfig(ctx context.Context, name, key, value string) error {
	return t.Admin.SetTopicConfig(ctx, name, key, value)
}

// Reassign asks the controller for these replicas, in its turn.
func (t Topics) Reassign(ctx context.Context, topic string, partition int, replicas []int) error {
	return inTurn(ctx, func() error { return t.Admin.Reassign(ctx, topic, partition, replicas) })
}

// ElectPreferred asks the controller to elect the first replica, in its turn.
func (t Topics) ElectPreferred(ctx context.Context, topic string, partition int) error {
	return inTurn(ctx, func() error { return t.Admin.ElectPreferred(ctx, topic, partition) })
}

// turn is how long an order waits for the one before: the controller takes one
// at a time, and may have to be replaced first.
const turn = 15 * time.Second

func inTurn(ctx context.Context, order func() error) error {
	ctx, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	for {
		err := order()
		if !errors.Is(err, witness.ErrInProgress) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(orderEvery):
		}
	}
}

var errNoWorker = fmt.Errorf("%w: the cluster has no worker", faults.ErrUnsupported)
