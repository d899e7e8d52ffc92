package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"

	"kafkachaos/harness/state"
)

// Admin administers topics the way that every release with ZooKeeper
// understands: by the nodes that its controller watches. An order is given when
// the call returns; whether it was carried out is to be read.
type Admin struct {
	zookeeper *ZooKeeper
}

// ErrInProgress says that the controller has not yet finished the order before:
// it takes one reassignment, and one election, at a time.
var ErrInProgress = errors.New("another one is in progress")

// NewAdmin makes an administrator. It does not close the witness.
func NewAdmin(zookeeper *ZooKeeper) *Admin { return &Admin{zookeeper} }

const (
	configsPath = "/config/topics"
	changesPath = "/config/changes"
)

var topicForm = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// CreateTopic makes a topic with these replicas for each partition, the first
// of each the preferred leader (state.Spread places them evenly), and this
// configuration. No broker needs to run yet. ErrNodeExists if there is one.
func (a *Admin) CreateTopic(ctx context.Context, topic string, replicas [][]int, config map[string]string) error {
	if err := a.create(ctx, topic, replicas, config); err != nil {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	return nil
}

func (a *Admin) create(ctx context.Context, topic string, replicas [][]int, config map[string]string) error {
	if !topicForm.MatchString(topic) || topic == "." || topic == ".." {
		return errors.New("not a name that Kafka takes")
	}
	partitions := map[string][]int{}
	for number, ids := range replicas {
		if len(ids) == 0 {
			return fmt.Errorf("no replica for partition %d", number)
		}
		partitions[strconv.Itoa(number)] = ids
	}
	if len(partitions) == 0 {
		return errors.New("no partition")
	}
	for _, parent := range []string{TopicsPath, configsPath} {
		if err := a.makePath(ctx, parent); err != nil {
			return err
		}
	}
	node, err := a.zookeeper.Exists(ctx, TopicPath(topic))
	if err != nil || node.Exists {
		return errors.Join(err, existing(node))
	}
	// The configuration first: the controller acts on the other node.
	if err := a.writeConfig(ctx, topic, config); err != nil {
		return err
	}
	return a.zookeeper.Create(ctx, TopicPath(topic), document{"version": 1, "partitions": partitions}.json())
}

func existing(node state.ZNode) error {
	if node.Exists {
		return ErrNodeExists
	}
	return nil
}

// document is the content of a node of Kafka's.
type document map[string]any

func (d document) json() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // only texts and numbers stand in it
	}
	return text
}

// makePath makes a persistent node and those above it, as far as they are
// absent.
func (a *Admin) makePath(ctx context.Context, to string) error {
	if parent := path.Dir(to); parent != "/" {
		if err := a.makePath(ctx, parent); err != nil {
			return err
		}
	}
	err := a.zookeeper.Create(ctx, to, nil)
	if errors.Is(err, ErrNodeExists) {
		return nil
	}
	return err
}

func (a *Admin) writeConfig(ctx context.Context, topic string, config map[string]string) error {
	if config == nil {
		config = map[string]string{}
	}
	data := document{"version": 1, "config": config}.json()
	err := a.zookeeper.Create(ctx, path.Join(configsPath, topic), data)
	if errors.Is(err, ErrNodeExists) {
		return a.zookeeper.Set(ctx, path.Join(configsPath, topic), data)
	}
	return err
}

// DeleteTopic asks for the deletion of a topic; ErrNoNode if there is none. The
// brokers must allow it (delete.topic.enable, false by default before 1.0.0).
func (a *Admin) DeleteTopic(ctx context.Context, topic string) error {
	node, err := a.zookeeper.Exists(ctx, TopicPath(topic))
	if err == nil && !node.Exists {
		err = ErrNoNode
	}
	if err == nil {
		err = a.zookeeper.Create(ctx, DeletionPath(topic), nil)
	}
	if err != nil && !errors.Is(err, ErrNodeExists) { // asked for before
		return fmt.Errorf("delete topic %s: %w", topic, err)
	}
	return nil
}

// SetTopicConfig sets one key of a topic's own configuration, or removes it if
// the value is "", and tells the brokers. ErrNoNode if there is no such topic.
func (a *Admin) SetTopicConfig(ctx context.Context, topic, key, value string) error {
	view, err := a.Topic(ctx, topic)
	if err == nil && !view.Present {
		err = ErrNoNode
	}
	if err == nil {
		if view.Config[key] = value; value == "" {
			delete(view.Config, key)
		}
		err = a.writeConfig(ctx, topic, view.Config)
	}
	if err == nil {
		// Version 1 of the notification, which every release reads.
		change := document{"version": 1, "entity_type": "topics", "entity_name": topic}
		_, err = a.zookeeper.CreateSequential(ctx, changesPath+"/config_change_", change.json())
	}
	if err != nil {
		return fmt.Errorf("set %s of topic %s: %w", key, topic, err)
	}
	return nil
}

// Topic reads a topic as ZooKeeper holds it; absent is a value.
func (a *Admin) Topic(ctx context.Context, topic string) (state.TopicView, error) {
	view, err := a.readTopic(ctx, topic)
	if err != nil {
		return state.TopicView{}, fmt.Errorf("read topic %s: %w", topic, err)
	}
	return view, nil
}

func (a *Admin) readTopic(ctx context.Context, topic string) (state.TopicView, error) {
	node, err := a.zookeeper.Get(ctx, TopicPath(topic))
	if err != nil {
		return state.TopicView{}, err
	}
	view, err := state.NewTopicView(topic, node)
	if err != nil || !view.Present {
		return view, err
	}
	for i := range view.Partitions {
		p := &view.Partitions[i]
		node, err := a.zookeeper.Get(ctx, PartitionPath(topic, p.Partition))
		if err == nil {
			err = p.AddPartitionState(node)
		}
		if err != nil {
			return state.TopicView{}, err
		}
	}
	config, err := a.zookeeper.Get(ctx, path.Join(configsPath, topic))
	if err != nil {
		return state.TopicView{}, err
	}
	view.Config, err = state.ParseConfig(config)
	return view, err
}

// Reassign asks the controller to move a partition to these replicas, in this
// order. The node that asks for it, /admin/reassign_partitions, is deleted when
// it was done; ErrInProgress while there is one.
func (a *Admin) Reassign(ctx context.Context, topic string, partition int, replicas []int) error {
	order := map[string]any{"topic": topic, "partition": partition, "replicas": replicas}
	err := a.order(ctx, reassignmentPath, order)
	if err != nil {
		return fmt.Errorf("reassign %s-%d to %v: %w", topic, partition, replicas, err)
	}
	return nil
}

// ElectPreferred asks the controller to make the first replica of a partition
// its leader; ErrInProgress while it works on an election.
func (a *Admin) ElectPreferred(ctx context.Context, topic string, partition int) error {
	err := a.order(ctx, electionPath, map[string]any{"topic": topic, "partition": partition})
	if err != nil {
		return fmt.Errorf("elect the preferred leader of %s-%d: %w", topic, partition, err)
	}
	return nil
}

func (a *Admin) order(ctx context.Context, at string, order map[string]any) error {
	err := a.zookeeper.Create(ctx, at, document{"version": 1, "partitions": []any{order}}.json())
	if errors.Is(err, ErrNodeExists) {
		return ErrInProgress
	}
	return err
}
