package harness

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// internalTopic is a topic that workers or brokers would make by themselves.
type internalTopic struct {
	name       string
	partitions int
	replicas   int
	config     map[string]string
}

// internalTopics are made before anybody asks for them, with the replicas that
// a scenario can count on: partition p begins at broker p+1. Two workers that
// make them at the same time lose 10 s to a back-off.
func (c *Cluster) internalTopics() []internalTopic {
	compact := map[string]string{"cleanup.policy": "compact"}
	topics := []internalTopic{{"__consumer_offsets", c.count(topology.Broker, "offsets.topic.num.partitions", 50),
		c.replicas(topology.Broker, "offsets.topic.replication.factor"),
		map[string]string{"cleanup.policy": "compact", "compression.type": "producer", "segment.bytes": "104857600"}}}
	if c.spec.Count(topology.Worker) == 0 {
		return topics
	}
	return append(topics,
		internalTopic{topology.ConfigTopic, 1, c.replicas(topology.Worker, "config.storage.replication.factor"), compact},
		internalTopic{topology.OffsetTopic, c.count(topology.Worker, "offset.storage.partitions", 25),
			c.replicas(topology.Worker, "offset.storage.replication.factor"), compact},
		internalTopic{topology.StatusTopic, c.count(topology.Worker, "status.storage.partitions", 5),
			c.replicas(topology.Worker, "status.storage.replication.factor"), compact})
}

// replicas reads a replication factor out of the configuration of a role.
func (c *Cluster) replicas(role topology.Role, key string) int {
	return c.count(role, key, c.spec.Replication())
}

// count reads a number from 1 out of the configuration of a role.
func (c *Cluster) count(role topology.Role, key string, otherwise int) int {
	n, err := strconv.Atoi(c.spec.Config(c.spec.NodesOf(role)[0])[key])
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

// createInternalTopics writes them into ZooKeeper. Every broker has to be
// registered, so that every replica is in sync from the first moment. A topic
// that is older than some of its brokers is led by one of them alone at first,
// and old releases tell nobody for seconds that the others caught up (KAFKA-2722
// made them wait until the in-sync sets are quiet for 5 s).
func (c *Cluster) createInternalTopics(ctx context.Context) error {
	for _, topic := range c.internalTopics() {
		placed, err := state.Spread(c.witness.Brokers.IDs(), topic.partitions, topic.replicas)
		if err != nil {
			return fmt.Errorf("create topic %s: %w", topic.name, err)
		}
		err = untilDead(ctx, "ZooKeeper to take topic "+topic.name, func(ctx context.Context) error {
			err := c.witness.Admin.CreateTopic(ctx, topic.name, placed, topic.config)
			if errors.Is(err, witness.ErrNodeExists) {
				return nil // by an attempt whose answer was lost
			}
			return err
		}, c.anyDead)
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitRegistered waits until every broker is registered.
func (c *Cluster) awaitRegistered(ctx context.Context) error {
	return untilDead(ctx, "the brokers to register", c.allRegistered, c.anyDead)
}

func (c *Cluster) allRegistered(ctx context.Context) error {
	live, err := c.witness.ZooKeeper.LiveBrokers(ctx)
	if err == nil && len(live) < c.spec.Count(topology.Broker) {
		err = fmt.Errorf("only brokers %v are registered", live)
	}
	return err
}
