package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// How often things are looked at that do not tell of their changes.
const (
	groupEvery    = 500 * time.Millisecond // four requests to brokers; a rebalance takes longer
	processEvery  = time.Second            // the engine is slower than a broker
	discoverEvery = time.Second            // topics
	lookAgain     = 2 * time.Second        // what is watched, to tell that it cannot be read
)

// subjects lists what is observed from the beginning.
func (c *Cluster) subjects(into Sink) []subject {
	all := []subject{{"controller", []string{witness.ControllerPath, witness.EpochPath}, lookAgain, reports(c.Controller)}}
	for _, broker := range c.Brokers() {
		all = append(all, subject{broker.String() + " registration", []string{witness.RegistrationPath(broker.name.ID)}, lookAgain,
			reports(broker.Registration)})
	}
	for _, name := range c.spec.Nodes() {
		all = append(all, subject{name.String() + " process", nil, processEvery, reports(c.node(name).Process)})
	}
	if c.spec.Count(topology.Worker) > 0 {
		all = append(all, subject{"connect group", nil, groupEvery, reports(tellingOwners(c.ConnectGroup, into))})
	}
	return all
}

func reports[T reported](read func(context.Context) (T, error)) func(context.Context) (reported, error) {
	return func(ctx context.Context) (reported, error) { return read(ctx) }
}

// tellingOwners also tells who owns the tasks, once a group was read to be the same
// twice: the generation is read just before the members, who may be those of the
// next one.
func tellingOwners(read func(context.Context) (state.GroupView, error), into Sink) func(context.Context) (state.GroupView, error) {
	var before state.GroupView
	return func(ctx context.Context) (state.GroupView, error) {
		group, err := read(ctx)
		if err == nil && group.State == "Stable" && group.Generation >= 0 && says(group) == says(before) {
			into.Owners(ownersOf(group))
		}
		before = group
		return group, err
	}
}

func ownersOf(group state.GroupView) history.Owners {
	owners := history.Owners{Group: group.Group, Generation: group.Generation, Owned: map[string][]string{}}
	for _, member := range group.Members {
		name := member.ID
		if node, ok := member.Node(); ok {
			name = node.String()
		}
		tasks := []string{} // which says that it has none
		for _, task := range member.Tasks {
			tasks = append(tasks, task.String())
		}
		owners.Owned[name] = append(owners.Owned[name], tasks...)
	}
	return owners
}

// newPartitions finds the partitions of topics that are neither internal nor left
// out, each once. What cannot be read now is found later.
func (c *Cluster) newPartitions(except []string) func(context.Context) []subject {
	known := map[string]bool{}
	return func(ctx context.Context) (found []subject) {
		topics, _ := c.witness.ZooKeeper.Children(ctx, witness.TopicsPath)
		for _, topic := range topics {
			if c.internal(topic) || slices.Contains(except, topic) {
				continue
			}
			node, err := c.witness.ZooKeeper.Get(ctx, witness.TopicPath(topic))
			if err != nil {
				continue
			}
			view, _ := state.NewTopicView(topic, node)
			for _, p := range view.Partitions {
				name := fmt.Sprintf("leader of %s-%d", topic, p.Partition)
				if !known[name] {
					known[name] = true
					found = append(found, c.partition(name, p))
				}
			}
		}
		return found
	}
}

func (c *Cluster) internal(topic string) bool {
	return strings.HasPrefix(topic, "__") ||
		slices.ContainsFunc(c.internalTopics(), func(t internalTopic) bool { return t.name == topic })
}

// partition observes one partition by the node in which its leader keeps its state.
func (c *Cluster) partition(name string, p state.Partition) subject {
	at := witness.PartitionPath(p.Topic, p.Partition)
	return subject{name, []string{at}, lookAgain, func(ctx context.Context) (reported, error) {
		node, err := c.witness.ZooKeeper.Get(ctx, at)
		if err != nil {
			return nil, err
		}
		return leadership(p, node)
	}}
}

// partitionView is what ZooKeeper has of a partition that changes: not which
// replicas it shall have.
type partitionView struct {
	state.Source
	state.Partition
	present bool
}

func (v partitionView) String() string {
	name := fmt.Sprintf("%s-%d", v.Topic, v.Partition.Partition)
	switch {
	case !v.present:
		return fmt.Sprintf("%s has no state in ZooKeeper (read %v)", name, v.Source)
	case v.Leader < 0:
		return fmt.Sprintf("%s has no leader, in sync %v (read %v)", name, v.ISR, v.Source)
	}
	return fmt.Sprintf("%s is led by broker-%d, in sync %v (read %v)", name, v.Leader, v.ISR, v.Source)
}

func leadership(p state.Partition, node state.ZNode) (partitionView, error) {
	err := p.AddPartitionState(node)
	return partitionView{node.Source, p, node.Exists}, err
}
