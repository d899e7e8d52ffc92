package rig

import (
	"context"

	"kafkachaos/faults"
	"kafkachaos/harness/witness"
)

// Groups reads and disturbs groups.
type Groups struct{ Brokers *witness.Brokers }

var _ faults.Groups = Groups{}

// Group reads the group from its coordinator.
func (g Groups) Group(ctx context.Context, group string) (faults.Group, error) {
	view, err := g.Brokers.Group(ctx, group)
	if err != nil {
		return faults.Group{}, err
	}
	read := faults.Group{Generation: view.Generation}
	for _, member := range view.Members {
		node, _ := member.Node() // zero for one that is no worker
		read.Members = append(read.Members, faults.Member{ID: member.ID, Node: node})
	}
	return read, nil
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
