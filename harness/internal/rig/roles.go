package rig

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"

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

// controller is one reading and no more: a trigger may be waiting for it.
func (r Roles) controller(ctx context.Context) (topology.Node, error) {
	node, err := r.ZooKeeper.Get(ctx, witness.ControllerPath)
	if err != nil {
		return topology.Node{}, err
	}
	view, err := state.NewControllerView(node, state.ZNode{})
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

// zooKeeperLeader asks all servers at once: one may be down or paused. One that
// is alone need not be asked.
func (r Roles) zooKeeperLeader(ctx context.Context) (topology.Node, error) {
	servers := r.ZooKeeper.Servers()
	if len(servers) == 1 {
		return nodeAt(servers[0])
	}
	leads := make(chan string, len(servers))
	var asked sync.WaitGroup
	for _, server := range servers {
		asked.Go(func() {
			view, err := r.ZooKeeper.Server(ctx, server)
			if err == nil && (view.Mode == state.ModeLeader || view.Mode == state.ModeStandalone) {
				leads <- server
			}
		})
	}
	go func() { asked.Wait(); close(leads) }()
	server, found := <-leads
	if !found {
		return topology.Node{}, fmt.Errorf("no server of %v leads", servers)
	}
	return nodeAt(server)
}

func nodeAt(address string) (topology.Node, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return topology.Node{}, err
	}
	return topology.ParseNode(host)
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
