package rig

import (
	"context"
	"errors"
	"fmt"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/witness"
)

// Topics administers topics, and Partitions moves replicas and leaders, by the
// nodes of ZooKeeper that the controller watches.
type Topics struct {
	Admin   *witness.Admin
	Brokers []int // their ids, to place replicas on
}

var (
	_ faults.Topics     = Topics{}
	_ faults.Partitions = Topics{}
)

// Topic reads a topic as ZooKeeper holds it.
func (t Topics) Topic(ctx context.Context, name string) (faults.Topic, error) {
	view, err := t.Admin.Topic(ctx, name)
	if err != nil {
		return faults.Topic{}, err
	}
	topic := faults.Topic{Name: name, Exists: view.Present, Config: view.Config}
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

// Reassign asks the controller for these replicas.
func (t Topics) Reassign(ctx context.Context, topic string, partition int, replicas []int) error {
	return t.Admin.Reassign(ctx, topic, partition, replicas)
}

// ElectPreferred asks the controller to elect the first replica.
func (t Topics) ElectPreferred(ctx context.Context, topic string, partition int) error {
	return t.Admin.ElectPreferred(ctx, topic, partition)
}

var errNoWorker = fmt.Errorf("%w: the cluster has no worker", faults.ErrUnsupported)
