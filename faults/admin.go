package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kafkachaos/harness/topology"
)

var (
	needTopics     = need("Topics", func(r *Rig) bool { return r.Topics != nil })
	needPartitions = need("Partitions", func(r *Rig) bool { return r.Partitions != nil })
)

func wantTopic(topic string) func(*Rig) error { return refuse(topic == "", "topic: want a name") }

func topicClaim(topic string) Claim { return Claim{Thing: "topic " + topic} }

// readTopic reads a topic that has to exist.
func readTopic(ctx context.Context, rig *Rig, name string) (Topic, error) {
	topic, err := rig.Topics.Topic(ctx, name)
	if err == nil && !topic.Exists {
		err = errors.New("there is no such topic")
	}
	return topic, named("read topic "+name, err)
}

func readPartition(ctx context.Context, rig *Rig, name string, partition int) (Partition, error) {
	topic, err := readTopic(ctx, rig, name)
	if err != nil {
		return Partition{}, err
	}
	if partition >= len(topic.Partitions) {
		return Partition{}, fmt.Errorf("read topic %s: it has no partition %d", name, partition)
	}
	return topic.Partitions[partition], nil
}

// ChangeTopic sets a key of the topic's own configuration, "" removing it. It is
// proved by reading it back. Healing brings the value of before back.
func ChangeTopic(topic, key, value string) Fault {
	claim := Claim{Thing: "configuration of topic " + topic}
	return leaf{spec: Spec{"change-topic", map[string]string{"topic": topic, "key": key, "value": value}},
		claims: []Claim{claim}, check: all(needTopics, wantTopic(topic), refuse(key == "", "key: want a name")),
		make: func(rig *Rig, a *actions) {
			setting[string]{what: key + " of topic " + topic, claim: claim,
				read: func(ctx context.Context) (string, error) {
					now, err := readTopic(ctx, rig, topic)
					return now.Config[key], err
				},
				write:  func(ctx context.Context, v string) error { return rig.Topics.SetConfig(ctx, topic, key, v) },
				change: func(string) (string, error) { return value, nil },
				equal:  func(a, b string) bool { return a == b }}.apply(a)
		}}
}

// Reassign moves the partition to these brokers, the preferred leader first. It
// is proved by reading the replicas back. Healing moves it back.
func Reassign(topic string, partition int, brokers ...int) Fault {
	names := make([]string, len(brokers))
	for i, broker := range brokers {
		names[i] = strconv.Itoa(broker)
	}
	args := map[string]string{"topic": topic, "partition": strconv.Itoa(partition), "brokers": strings.Join(names, ",")}
	return leaf{spec: Spec{"reassign", args}, claims: []Claim{replicaClaim(topic, partition)},
		check: all(needTopics, needPartitions, wantTopic(topic), refuse(partition < 0, "partition=%d: want 0 or more", partition), checkBrokers(brokers)),
		make: func(rig *Rig, a *actions) {
			replicas(rig, topic, partition, func([]int) ([]int, error) { return brokers, nil }).apply(a)
		}}
}

func replicaClaim(topic string, partition int) Claim {
	return Claim{Thing: fmt.Sprintf("replicas of %s/%d", topic, partition)}
}

// replicas is the list of a partition's replicas as a setting.
func replicas(rig *Rig, topic string, partition int, change func([]int) ([]int, error)) setting[[]int] {
	return setting[[]int]{what: fmt.Sprintf("replicas of %s/%d", topic, partition),
		claim: replicaClaim(topic, partition), change: change, equal: slices.Equal[[]int],
		read: func(ctx context.Context) ([]int, error) {
			now, err := readPartition(ctx, rig, topic, partition)
			return now.Replicas, err
		},
		write: func(ctx context.Context, to []int) error { return rig.Partitions.Reassign(ctx, topic, partition, to) }}
}

// checkBrokers refuses brokers that are not there, or not once.
func checkBrokers(brokers []int) func(*Rig) error {
	return func(rig *Rig) error {
		if len(brokers) == 0 {
			return errors.New("brokers: want one or more")
		}
		for i, broker := range brokers {
			if !rig.Layout.HasNode(topology.BrokerNode(broker)) {
				return fmt.Errorf("there is no node broker-%d", broker)
			}
			if slices.Contains(brokers[:i], broker) {
				return fmt.Errorf("brokers: %d is given twice", broker)
			}
		}
		return nil
	}
}

// ElectPreferred lets the first replica of the partition lead. It is proved by
// reading the leader; where that one led before, nothing can be proved.
func ElectPreferred(topic string, partition int) Fault {
	return leaf{spec: Spec{"elect-preferred", map[string]string{"topic": topic, "partition": strconv.Itoa(partition)}}, once: true,
		check: all(needTopics, needPartitions, wantTopic(topic), refuse(partition < 0, "partition=%d: want 0 or more", partition)),
		make: func(rig *Rig, a *actions) {
			led := false
			state := func(ctx context.Context) error {
				now, err := readPartition(ctx, rig, topic, partition)
				if err == nil && (len(now.Replicas) == 0 || now.Leader != now.Replicas[0]) {
					err = fmt.Errorf("%s/%d is led by broker-%d, its replicas are %v", topic, partition, now.Leader, now.Replicas)
				}
				return err
			}
			a.inject = func(ctx context.Context) error {
				led = state(ctx) == nil
				return named(fmt.Sprintf("elect a leader of %s/%d", topic, partition), rig.Partitions.ElectPreferred(ctx, topic, partition))
			}
			a.prove = func(ctx context.Context) error {
				if led {
					return fmt.Errorf("the preferred replica of %s/%d led before", topic, partition)
				}
				return until(ctx, state)
			}
		}}
}
