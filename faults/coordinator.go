package faults

import (
	"context"
	"fmt"
	"slices"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// offsetsTopic is where groups live.
const offsetsTopic = "__consumer_offsets"

// MoveCoordinator gives the group another coordinator: its partition's replicas
// are put in another order, and the first one is elected. Healing brings the
// order of before back and elects its first, which need not have led before. An
// empty group is that of the Connect workers.
func MoveCoordinator(group string) Fault {
	spec := Spec{Kind: "move-coordinator", Args: map[string]string{}}
	if group != "" {
		spec.Args["group"] = group
	}
	roles := need("Roles", func(r *Rig) bool { return r.Roles != nil })
	f := leaf{spec: spec, check: all(needTopics, needPartitions, roles, needName(group))}
	f.make = func(rig *Rig, a *actions) {
		m := &moving{rig: rig, group: groupOf(group, rig), actions: a}
		a.inject, a.prove, a.heal, a.proveHealed = m.inject, m.moved, m.back, m.isBack
	}
	return f
}

// moving is one use of MoveCoordinator.
type moving struct {
	*actions
	rig       *Rig
	group     string
	before    topology.Node
	preferred topology.Node // by the order of before
	partition int
	order     *actions // puts the replicas in another order
}

func (m *moving) inject(ctx context.Context) (err error) {
	if m.before, err = m.holder(ctx); err != nil {
		return err
	}
	topic, err := readTopic(ctx, m.rig, offsetsTopic)
	if err != nil {
		return err
	}
	m.partition = state.GroupPartition(m.group, len(topic.Partitions))
	if placed := topic.Partitions[m.partition].Replicas; len(placed) > 0 {
		m.preferred = topology.BrokerNode(placed[0])
	}
	order := &actions{rig: m.rig, name: m.name}
	replicas(m.rig, offsetsTopic, m.partition, m.away).apply(order)
	m.order = order
	if err := order.Inject(ctx); err != nil {
		return err
	}
	return m.elect(ctx, order.prove)
}

// away puts the next replica first that is not the coordinator already, which need
// not be the preferred one.
func (m *moving) away(replicas []int) ([]int, error) {
	if len(replicas) < 2 {
		return nil, fmt.Errorf("it has the replicas %v, want two or more", replicas)
	}
	first := 1
	if replicas[first] == m.before.ID {
		first = (first + 1) % len(replicas)
	}
	return slices.Concat(replicas[first:], replicas[:first]), nil
}

// elect waits until the order is there and elects its first.
func (m *moving) elect(ctx context.Context, ordered func(context.Context) error) error {
	if err := ordered(ctx); err != nil {
		return err
	}
	return named(fmt.Sprintf("elect a leader of %s/%d", offsetsTopic, m.partition),
		m.rig.Partitions.ElectPreferred(ctx, offsetsTopic, m.partition))
}

func (m *moving) holder(ctx context.Context) (topology.Node, error) {
	return CoordinatorOf(m.group).Resolve(ctx, m.rig)
}

func (m *moving) moved(ctx context.Context) error {
	return m.await(ctx, func(now topology.Node) bool { return now != m.before })
}

func (m *moving) await(ctx context.Context, reached func(topology.Node) bool) error {
	return until(ctx, func(ctx context.Context) error {
		now, err := m.holder(ctx)
		if err == nil && !reached(now) {
			err = fmt.Errorf("%v coordinates group %s; it was %v, and %v is preferred", now, m.group, m.before, m.preferred)
		}
		return err
	})
}

func (m *moving) back(ctx context.Context) error {
	if m.order == nil {
		return nil
	}
	if err := m.order.Heal(ctx); err != nil {
		return err
	}
	return m.elect(ctx, m.order.ProveHealed)
}

func (m *moving) isBack(ctx context.Context) error {
	if m.order == nil {
		return nil
	}
	return m.await(ctx, func(now topology.Node) bool { return now == m.preferred })
}
