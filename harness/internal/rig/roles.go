package rig

import (
	"context"
	"fmt"
	"net"
	"slices"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Roles finds who plays a part at this moment.
type Roles struct {
	ZooKeeper *witness.ZooKeeper
	Admin     *witness.Admin
	Brokers   *witness.Brokers
	Group     string // of the workers
}

var _ faults.Roles = Roles{}

// Holder reads who plays the part now. That nobody does is an error.
func (r Roles) Holder(ctx context.Context, role faults.Role) (topology.Node, error) {
	switch role.Kind {
	case faults.KindController:
		return r.controller(ctx)
	case faults.KindLeader:
		return r.replica(ctx, role, func(p state.Partition) int { return p.Leader })
	case faults.KindFollower:
		return r.replica(ctx, role, firstFollower)
	case faults.KindCoordinator:
		view, err := r.Brokers.Coordinator(ctx, role.Name)
		return topology.BrokerNode(view.Broker), err
	case faults.KindZooKeeperLeader:
		return r.zooKeeperLeader(ctx)
	case faults.KindConnectLeader:
		return r.worker(ctx, state.GroupView.Leader)
	case faults.KindTaskWorker:
		return r.worker(ctx, func(v state.GroupView) (state.Member, bool) {
			owners := v.OwnersOf(state.TaskID{Connector: role.Name, Task: role.N})
			if len(owners) != 1 {
				return state.Member{}, false
			}
			return owners[0], true
		})
	}
	return topology.Node{}, fmt.Errorf("unknown role %q", role.Kind)
}

func (r Roles) controller(ctx context.Context) (topology.Node, error) {
	view, err := r.ZooKeeper.Controller(ctx)
	if err == nil && !view.Present {
		err = fmt.Errorf("%v", view)
	}
	return topology.BrokerNode(view.Broker), err
}

func firstFollower(p state.Partition) int {
	at := slices.IndexFunc(p.ISR, func(id int) bool { return id != p.Leader })
	if at < 0 {
		return 0
	}
	return p.ISR[at]
}

// replica reads a partition as ZooKeeper holds it and picks one of its brokers;
// ids of brokers begin with 1, so 0 and -1 are nobody.
func (r Roles) replica(ctx context.Context, role faults.Role, pick func(state.Partition) int) (topology.Node, error) {
	view, err := r.Admin.Topic(ctx, role.Name)
	if err != nil {
		return topology.Node{}, err
	}
	for _, p := range view.Partitions {
		if id := pick(p); p.Partition == role.N && id > 0 {
			return topology.BrokerNode(id), nil
		}
	}
	return topology.Node{}, fmt.Errorf("nobody is it in %v", view)
}

func (r Roles) zooKeeperLeader(ctx context.Context) (topology.Node, error) {
	for _, server := range r.ZooKeeper.Servers() {
		view, err := r.ZooKeeper.Server(ctx, server)
		if err != nil {
			continue // one server may be down; another leads then
		}
		if view.Mode == state.ModeLeader || view.Mode == state.ModeStandalone {
			host, _, err := net.SplitHostPort(server)
			if err != nil {
				return topology.Node{}, err
			}
			return topology.ParseNode(host)
		}
	}
	return topology.Node{}, fmt.Errorf("no server of %v leads", r.ZooKeeper.Servers())
}

func (r Roles) worker(ctx context.Context, pick func(state.GroupView) (state.Member, bool)) (topology.Node, error) {
	view, err := r.Brokers.Group(ctx, r.Group)
	if err != nil {
		return topology.Node{}, err
	}
	member, found := pick(view)
	node, isWorker := member.Node()
	if !found || !isWorker {
		return topology.Node{}, fmt.Errorf("no single worker is it in %v", view)
	}
	return node, nil
}
