package rig

import (
	"context"
	"strings"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Groups reads and disturbs groups.
type Groups struct {
	Brokers *witness.Brokers
	Workers []topology.Node
	// Egress is the address from which brokers see a worker come.
	Egress func(worker topology.Node) (string, error)
}

var _ faults.Groups = Groups{}

// Group reads the group from its coordinator.
func (g Groups) Group(ctx context.Context, group string) (faults.Group, error) {
	view, err := g.Brokers.Group(ctx, group)
	if err != nil {
		return faults.Group{}, err
	}
	read := faults.Group{Generation: view.Generation}
	for _, member := range view.Members {
		read.Members = append(read.Members, faults.Member{ID: member.ID, Node: g.worker(member)})
	}
	return read, nil
}

// worker is the one behind a member, also of a sink's group; zero for a member
// that is no worker's. It is known by its URL, and where the group tells none by
// where it comes from, since every node has an egress of its own.
func (g Groups) worker(member state.Member) topology.Node {
	if node, ok := member.Node(); ok {
		return node
	}
	for _, worker := range g.Workers {
		if from, err := g.Egress(worker); err == nil && from == strings.TrimPrefix(member.Host, "/") {
			return worker
		}
	}
	return topology.Node{}
}

// Leave sends LeaveGroup in the name of the member.
func (g Groups) Leave(ctx context.Context, group, member string) error {
	return g.Brokers.Leave(ctx, group, member)
}

// Join makes a member that is nobody's.
func (g Groups) Join(ctx context.Context, group, protocolType string, sync bool) (faults.Phantom, error) {
	phantom, err := g.Brokers.Join(ctx, group, protocolType, sync)
	if err != nil {
		return nil, err
	}
	return phantom, nil
}
