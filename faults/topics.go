package faults

import (
	"context"
	"fmt"
	"strconv"

	"kafkachaos/harness/topology"
)

// CreateTopic makes a topic, with its replicas spread over the brokers in turn.
// Healing deletes it.
func CreateTopic(topic string, partitions, replication int) Fault {
	args := map[string]string{"topic": topic, "partitions": strconv.Itoa(partitions), "replication": strconv.Itoa(replication)}
	enough := func(rig *Rig) error {
		brokers := len(rig.Layout.Of(topology.Broker))
		return refuse(replication < 1 || replication > brokers, "replication=%d: want 1 to %d", replication, brokers)(rig)
	}
	return leaf{spec: Spec{"create-topic", args}, claims: []Claim{topicClaim(topic)},
		check: all(needTopics, wantTopic(topic), refuse(partitions < 1, "partitions=%d: want 1 or more", partitions), enough),
		make: func(rig *Rig, a *actions) {
			p := &presence{rig: rig, name: topic}
			p.apply(a, false, func(ctx context.Context) error {
				return p.create(ctx, spread(rig.Layout, topic, partitions, replication))
			}, p.drop)
		}}
}

// DeleteTopic deletes a topic and its records. Healing creates it again, empty,
// with the replicas and the configuration of before.
func DeleteTopic(topic string) Fault {
	return leaf{spec: Spec{"delete-topic", map[string]string{"topic": topic}}, claims: []Claim{topicClaim(topic)},
		check: all(needTopics, wantTopic(topic)),
		make: func(rig *Rig, a *actions) {
			p := &presence{rig: rig, name: topic}
			p.apply(a, true, p.drop, func(ctx context.Context) error { return p.create(ctx, p.before) })
		}}
}

// presence is one use of a fault that makes a topic come or go.
type presence struct {
	rig    *Rig
	name   string
	before Topic
	begun  bool
}

// apply makes the actions: the topic has to exist before, or not to.
func (p *presence) apply(a *actions, exists bool, change, back func(context.Context) error) {
	a.inject = func(ctx context.Context) (err error) {
		if err := a.claim(topicClaim(p.name)); err != nil {
			return err
		}
		if p.before, err = p.read(ctx); err != nil {
			return err
		}
		if p.before.Exists != exists {
			return fmt.Errorf("topic %s exists: %t, want %t", p.name, !exists, exists)
		}
		p.begun = true
		return change(ctx)
	}
	a.prove = func(ctx context.Context) error { return p.await(ctx, !exists) }
	a.heal = func(ctx context.Context) error {
		if !p.begun {
			return nil
		}
		now, err := p.read(ctx)
		if err != nil || now.Exists == exists {
			return err
		}
		return back(ctx)
	}
	a.proveHealed = func(ctx context.Context) error {
		if !p.begun {
			return nil
		}
		return p.await(ctx, exists)
	}
}

func (p *presence) read(ctx context.Context) (Topic, error) {
	topic, err := p.rig.Topics.Topic(ctx, p.name)
	return topic, named("read topic "+p.name, err)
}

// await waits until the topic is there, or is not.
func (p *presence) await(ctx context.Context, exists bool) error {
	return until(ctx, func(ctx context.Context) error {
		topic, err := p.read(ctx)
		if err == nil && topic.Exists != exists {
			err = fmt.Errorf("topic %s exists: %t, want %t", p.name, topic.Exists, exists)
		}
		return err
	})
}

func (p *presence) create(ctx context.Context, topic Topic) error {
	return named("create topic "+p.name, p.rig.Topics.Create(ctx, topic))
}

func (p *presence) drop(ctx context.Context) error {
	return named("delete topic "+p.name, p.rig.Topics.Delete(ctx, p.name))
}

// spread places the replicas: partition n begins at the n-th broker.
func spread(layout Layout, name string, partitions, replication int) Topic {
	topic, brokers := Topic{Name: name}, layout.Of(topology.Broker)
	for n := range partitions {
		var replicas []int
		for i := range replication {
			replicas = append(replicas, brokers[(n+i)%len(brokers)].ID)
		}
		topic.Partitions = append(topic.Partitions, Partition{Replicas: replicas})
	}
	return topic
}
