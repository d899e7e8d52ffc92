package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// internalTopic is a topic that workers or brokers would make by themselves.
type internalTopic struct {
	name       string
	partitions int
	config     map[string]string
}

// internalTopics are made before anybody asks for them, with the replicas that
// a scenario can count on: partition p begins at broker p+1. Two workers that
// make them at the same time lose 10 s to a back-off.
func (c *Cluster) internalTopics() []internalTopic {
	compact := map[string]string{"cleanup.policy": "compact"}
	topics := []internalTopic{{"__consumer_offsets", c.count(topology.Broker, "offsets.topic.num.partitions", 50),
		map[string]string{"cleanup.policy": "compact", "compression.type": "producer", "segment.bytes": "104857600"}}}
	if c.spec.Count(topology.Worker) == 0 {
		return topics
	}
	return append(topics,
		internalTopic{topology.ConfigTopic, 1, compact},
		internalTopic{topology.OffsetTopic, c.count(topology.Worker, "offset.storage.partitions", 25), compact},
		internalTopic{topology.StatusTopic, c.count(topology.Worker, "status.storage.partitions", 5), compact})
}

// count reads a number out of the configuration of a role.
func (c *Cluster) count(role topology.Role, key string, otherwise int) int {
	n, err := strconv.Atoi(c.spec.Config(c.spec.NodesOf(role)[0])[key])
	if err != nil {
		return otherwise
	}
	return n
}

// createInternalTopics writes them into ZooKeeper as soon as it answers, as
// kafka-topics.sh did before there was a request for it. The first controller
// finds them there, whatever its release.
func (c *Cluster) createInternalTopics(ctx context.Context) error {
	return until(ctx, "ZooKeeper to take the internal topics", func(ctx context.Context) error {
		for _, folder := range []string{"/brokers", "/brokers/topics", "/config", "/config/topics"} {
			if err := c.ensure(ctx, folder, nil); err != nil {
				return err
			}
		}
		for _, topic := range c.internalTopics() {
			config := map[string]any{"version": 1, "config": topic.config}
			replicas := map[string]any{"version": 1, "partitions": c.spread(topic.partitions)}
			// The controller looks at /brokers/topics, so the configuration goes first.
			if err := c.ensure(ctx, "/config/topics/"+topic.name, config); err != nil {
				return err
			}
			if err := c.ensure(ctx, "/brokers/topics/"+topic.name, replicas); err != nil {
				return err
			}
		}
		return nil
	})
}

// ensure makes a node with that value, as JSON, unless it is there.
func (c *Cluster) ensure(ctx context.Context, path string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	if err := c.zookeeper.Create(ctx, path, data); !errors.Is(err, witness.ErrNodeExists) {
		return err
	}
	return nil
}

// spread places partitions round the brokers, the first replica leads.
func (c *Cluster) spread(partitions int) map[string][]int {
	brokers := c.spec.Count(topology.Broker)
	placed := map[string][]int{}
	for p := range partitions {
		replicas := make([]int, c.spec.Replication())
		for r := range replicas {
			replicas[r] = (p+r)%brokers + 1
		}
		placed[strconv.Itoa(p)] = replicas
	}
	return placed
}
