package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// ErrBypass says that two nodes speak to each other past a proxy, so that no
// fault would reach them.
var ErrBypass = errors.New("a connection bypasses its proxy")

// ProveNoBypass reads the sockets of every node that runs: none may lead to another
// node's own address, only to egresses and to the client. Start does it; it
// returns an ErrBypass that names both nodes.
func (c *Cluster) ProveNoBypass(ctx context.Context) error {
	names := map[string]topology.Node{}
	for _, name := range c.spec.Nodes() {
		address, err := c.engine.Reserve(name.String())
		if err != nil {
			return err
		}
		names[address] = name
	}
	group, grouped := errgroup.WithContext(ctx)
	for _, name := range c.spec.Nodes() {
		group.Go(func() error {
			process, err := c.node(name).Process(grouped)
			if err != nil || !process.Runs() {
				return err
			}
			sockets, err := c.node(name).sockets(grouped, process)
			if err != nil {
				return err
			}
			return findBypass(name, sockets, names)
		})
	}
	return group.Wait()
}

// findBypass judges the sockets of one node, given which address is whose.
func findBypass(of topology.Node, sockets []state.Socket, names map[string]topology.Node) error {
	if !slices.ContainsFunc(sockets, state.Socket.Established) {
		return fmt.Errorf("prove that no connection of %s bypasses its proxy: it has none at all", of)
	}
	for _, socket := range sockets {
		peer, isNode := names[socket.Remote.Addr().String()]
		if isNode && peer != of {
			return fmt.Errorf("%w: %s has %v, straight to %s", ErrBypass, of, socket, peer)
		}
	}
	return nil
}

// sockets reads the TCP sockets in the network of the node's process.
func (n *Node) sockets(ctx context.Context, process state.ProcessView) ([]state.Socket, error) {
	text, err := n.process.Sockets(ctx, process.Pid)
	if err != nil {
		return nil, err
	}
	sockets, err := state.ParseSockets(text)
	if err != nil {
		return nil, fmt.Errorf("read the sockets of %s: %w", n, err)
	}
	return sockets, nil
}
