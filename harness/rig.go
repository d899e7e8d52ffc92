package harness

import (
	"context"
	"fmt"

	"kafkachaos/faults"
	"kafkachaos/harness/internal/rig"
	"kafkachaos/harness/topology"
)

// Rig is what faults act through on this cluster. There is one a cluster.
func (c *Cluster) Rig() *faults.Rig { return c.rig }

func (c *Cluster) newRig() *faults.Rig {
	sessions := rig.Sessions{ZooKeeper: c.witness.ZooKeeper, Egress: c.egressAddress}
	roles := rig.Roles{ZooKeeper: c.witness.ZooKeeper, Admin: c.witness.Admin, Brokers: c.witness.Brokers, Group: topology.ConnectGroup}
	topics := rig.Topics{Admin: c.witness.Admin, ZooKeeper: c.witness.ZooKeeper, Brokers: c.witness.Brokers.IDs()}
	return faults.NewRig(faults.Tools{
		Layout:     faults.Layout{Nodes: append(c.spec.Nodes(), topology.TheClient), Links: c.spec.Links()},
		Links:      c.mesh,
		Nodes:      nodeTool{cluster: c},
		Sessions:   sessions,
		Groups:     rig.Groups{Brokers: c.witness.Brokers, Workers: c.spec.NodesOf(topology.Worker), Egress: c.egressAddress},
		Connect:    rig.Connect{Witness: c.witness.Connect, Workers: c.spec.NodesOf(topology.Worker)},
		Topics:     topics,
		Partitions: topics,
		Roles:      roles,
		Watch:      rig.Watch{Roles: roles, Sessions: sessions},
		Workers:    topology.ConnectGroup,
	})
}

// nodeTool lets faults act on processes.
type nodeTool struct{ cluster *Cluster }

var signals = map[faults.Signal]string{faults.SignalKill: "KILL", faults.SignalTerminate: "TERM"}

func (t nodeTool) Signal(ctx context.Context, name topology.Node, signal faults.Signal) error {
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

func (t nodeTool) Start(ctx context.Context, name topology.Node) error {
	node, err := t.cluster.Node(name)
	if err != nil {
		return err
	}
	return node.launch(ctx)
}

func (t nodeTool) LimitCPU(ctx context.Context, name topology.Node, cores float64) error {
	node, err := t.cluster.Node(name)
	if err != nil {
		return err
	}
	return node.process.LimitCPU(ctx, cores)
}

func (t nodeTool) Process(ctx context.Context, name topology.Node) (faults.Process, error) {
	node, err := t.cluster.Node(name)
	if err != nil {
		return faults.Process{}, err
	}
	now, err := node.process.State(ctx)
	if err != nil {
		return faults.Process{}, err
	}
	process := faults.Process{State: faults.Exited, Started: now.StartedAt, Cores: now.Processors}
	switch {
	case now.Paused:
		process.State = faults.Paused
	case now.Running:
		process.State = faults.Running
		process.Ready = node.Ready(ctx) == nil
	}
	return process, nil
}
