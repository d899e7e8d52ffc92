package faults

import (
	"context"
	"maps"
	"slices"
)

// topicTool is the world as Topics.
type topicTool struct{ *world }

func (w topicTool) Topic(ctx context.Context, name string) (Topic, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "topic %s", name)
	topic := w.topics[name]
	topic.Partitions = slices.Clone(topic.Partitions)
	topic.Config = maps.Clone(topic.Config)
	return topic, err
}

func (w topicTool) Create(ctx context.Context, topic Topic) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "create %s", topic.Name)
	if change {
		topic.Exists = true
		w.topics[topic.Name] = topic
	}
	return err
}

func (w topicTool) Delete(ctx context.Context, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "delete %s", name)
	if change {
		delete(w.topics, name)
	}
	return err
}

func (w topicTool) SetConfig(ctx context.Context, name, key, value string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "set %s %s=%s", name, key, value)
	if change {
		topic := w.topics[name]
		topic.Config = maps.Clone(topic.Config)
		topic.Config[key] = value
		if value == "" {
			delete(topic.Config, key)
		}
		w.topics[name] = topic
	}
	return err
}

func (w *world) Reassign(ctx context.Context, name string, partition int, replicas []int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "reassign %s/%d to %v", name, partition, replicas)
	if change {
		topic := w.topics[name]
		topic.Partitions = slices.Clone(topic.Partitions)
		topic.Partitions[partition].Replicas = slices.Clone(replicas)
		w.topics[name] = topic
	}
	return err
}

func (w *world) ElectPreferred(ctx context.Context, name string, partition int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "elect %s/%d", name, partition)
	if change {
		topic := w.topics[name]
		topic.Partitions = slices.Clone(topic.Partitions)
		topic.Partitions[partition].Leader = topic.Partitions[partition].Replicas[0]
		w.topics[name] = topic
		w.made("elect %s/%d", name, partition)
	}
	return err
}
