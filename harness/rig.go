package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Rig is what faults act through on this cluster. There is one a cluster.
func (c *Cluster) Rig() *faults.Rig { return c.rig }

func (c *Cluster) newRig() *faults.Rig {
	return faults.NewRig(faults.Tools{
		Layout:   faults.Layout{Nodes: append(c.spec.Nodes(), topology.TheClient), Links: c.spec.Links()},
		Links:    c.mesh,
		Nodes:    &nodeTool{cluster: c, cores: map[topology.Node]float64{}},
		Sessions: &sessionTool{c},
		Workers:  topology.ConnectGroup,
	})
}

// nodeTool lets faults act on processes.
type nodeTool struct {
	cluster *Cluster
	mu      sync.Mutex
	cores   map[topology.Node]float64 // limits that stand
}

var signals = map[faults.Signal]string{faults.SignalKill: "KILL", faults.SignalTerminate: "TERM"}

func (t *nodeTool) Signal(ctx context.Context, name topology.Node, signal faults.Signal) error {
	node, err := t.cluster.Node(name)
	if err != nil {
		return err
	}
	switch signal {
	case faults.SignalPause:
		return node.Pause(ctx)
	case faults.SignalResume:
		return node.Resume(ctx)
	case faults.SignalKill, faults.SignalTerminate:
		return node.signal(ctx, signals[signal])
	}
	return fmt.Errorf("signal %s: unknown signal %q", name, signal)
}

func (t *nodeTool) Start(ctx context.Context, name topology.Node) error {
	node, err := t.cluster.Node(name)
	if err != nil {
		return err
	}
	return node.launch(ctx)
}

func (t *nodeTool) LimitCPU(ctx context.Context, name topology.Node, cores float64) error {
	node, err := t.cluster.Node(name)
	if err != nil {
		return err
	}
	if err := node.process.LimitCPU(ctx, cores); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cores[name] = cores
	return nil
}

func (t *nodeTool) Process(ctx context.Context, name topology.Node) (faults.Process, error) {
	node, err := t.cluster.Node(name)
	if err != nil {
		return faults.Process{}, err
	}
	view, err := node.Process(ctx)
	if err != nil {
		return faults.Process{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	process := faults.Process{State: faults.Exited, Started: view.StartedAt, Cores: t.cores[name]}
	switch {
	case view.Paused:
		process.State = faults.Paused
	case view.Running:
		process.State = faults.Running
		process.Ready = node.Ready(ctx) == nil
	}
	return process, nil
}

// sessionTool lets faults end the sessions of brokers.
type sessionTool struct{ cluster *Cluster }

func (t *sessionTool) Owner(ctx context.Context, broker topology.Node) (faults.SessionID, error) {
	registration, err := t.cluster.zookeeper.Registration(ctx, broker.ID)
	return faults.SessionID(registration.Session), err
}

// Open knows a broker's connections by the address of its egress.
func (t *sessionTool) Open(ctx context.Context, broker topology.Node) ([]faults.SessionID, error) {
	egress, found := t.cluster.egresses[broker]
	if !found {
		return nil, fmt.Errorf("find the sessions of %s: it is no node of this cluster", broker)
	}
	var open []faults.SessionID
	for _, server := range t.cluster.zookeeper.Servers() {
		view, err := t.cluster.zookeeper.Connections(ctx, server)
		if err != nil {
			return nil, err
		}
		for _, connection := range view.All {
			if connection.Session != 0 && connection.Remote.Addr().String() == egress.Address() {
				open = append(open, faults.SessionID(connection.Session))
			}
		}
	}
	return open, nil
}

func (t *sessionTool) Expire(ctx context.Context, session faults.SessionID) error {
	err := t.cluster.zookeeper.Expire(ctx, state.SessionID(session))
	if errors.Is(err, witness.ErrSessionUnknown) {
		return nil // it is over, which is what was wanted
	}
	return err
}
