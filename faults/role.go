package faults

import (
	"context"
	"fmt"

	"kafkachaos/harness/topology"
)

// Target is a node that is found when the fault is injected.
type Target interface {
	Resolve(ctx context.Context, rig *Rig) (topology.Node, error)
	String() string
}

// Node is the target that is always the same node.
type Node topology.Node

// Resolve is the node itself.
func (n Node) Resolve(context.Context, *Rig) (topology.Node, error) { return topology.Node(n), nil }

func (n Node) String() string { return topology.Node(n).String() }

// RoleKind says which part a Role is.
type RoleKind string

// The parts that nodes play for a while.
const (
	KindController      RoleKind = "controller"       // the broker that /controller names
	KindLeader          RoleKind = "leader"           // of a partition
	KindFollower        RoleKind = "follower"         // the first in-sync replica that does not lead
	KindCoordinator     RoleKind = "coordinator"      // of a group: the broker that FindCoordinator names
	KindZooKeeperLeader RoleKind = "zookeeper-leader" // or the only server
	KindConnectLeader   RoleKind = "connect-leader"   // the worker that assigns the tasks
	KindTaskWorker      RoleKind = "task-worker"      // the worker that runs a task
)

// Role is a part that some node plays for the moment. As a target it is
// resolved when the fault is injected. It is comparable plain data; which
// fields count depends on the kind.
type Role struct {
	Kind RoleKind
	Name string // topic, group or connector
	N    int    // partition or task
}

// Controller is the broker that is the controller.
var Controller = Role{Kind: KindController}

// ZooKeeperLeader is the server that leads the ensemble, or the only one.
var ZooKeeperLeader = Role{Kind: KindZooKeeperLeader}

// ConnectLeader is the worker that leads the group of workers.
var ConnectLeader = Role{Kind: KindConnectLeader}

// LeaderOf is the broker that leads the partition.
func LeaderOf(topic string, partition int) Role { return Role{KindLeader, topic, partition} }

// FollowerOf is the first in-sync replica of the partition that does not lead.
func FollowerOf(topic string, partition int) Role { return Role{KindFollower, topic, partition} }

// CoordinatorOf is the broker that coordinates the group.
func CoordinatorOf(group string) Role { return Role{Kind: KindCoordinator, Name: group} }

// WorkerOf is the worker that runs the task.
func WorkerOf(connector string, task int) Role { return Role{KindTaskWorker, connector, task} }

// Resolve asks the rig who plays the part now. A part that nobody plays, as the
// leader's in a group that rebalances, is asked for again for a while.
func (r Role) Resolve(ctx context.Context, rig *Rig) (topology.Node, error) {
	if rig.Roles == nil {
		return topology.Node{}, fmt.Errorf("find %v: %w: no Roles", r, ErrUnsupported)
	}
	var node topology.Node
	err := again(ctx, func(ctx context.Context) (err error) {
		node, err = rig.Roles.Holder(ctx, r)
		return err
	})
	if err != nil {
		return topology.Node{}, fmt.Errorf("find %v: %w", r, err)
	}
	if !rig.Layout.HasNode(node) {
		return topology.Node{}, fmt.Errorf("find %v: %v is not a node of this cluster", r, node)
	}
	return node, nil
}

// String writes the kind and, in parentheses, whose part it is: controller,
// leader(orders/0), coordinator(connect-sink), task-worker(sink/1).
func (r Role) String() string {
	switch r.Kind {
	case KindLeader, KindFollower, KindTaskWorker:
		return fmt.Sprintf("%s(%s/%d)", r.Kind, r.Name, r.N)
	case KindCoordinator:
		return fmt.Sprintf("%s(%s)", r.Kind, r.Name)
	}
	return string(r.Kind)
}
