package harness

import (
	"context"
	"fmt"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// Node is the process of one node. It stays the same node, with the same
// names, links and files, when the process ends and starts again.
type Node struct {
	name    topology.Node
	cluster *Cluster
	process engine.Process
}

// Name is the node's name, such as broker-1.
func (n *Node) Name() topology.Node { return n.name }

func (n *Node) String() string { return n.name.String() }

// LinkTo is the node's link to another.
func (n *Node) LinkTo(to topology.Node) topology.Link { return topology.Link{From: n.name, To: to} }

// LinksTo lists the node's links to all nodes of a role.
func (n *Node) LinksTo(role topology.Role) []topology.Link {
	var links []topology.Link
	for _, link := range n.cluster.spec.Links() {
		if link.From == n.name && link.To.Role == role {
			links = append(links, link)
		}
	}
	return links
}

// LinksToZooKeeper lists the node's links to the ensemble.
func (n *Node) LinksToZooKeeper() []topology.Link { return n.LinksTo(topology.ZooKeeper) }

// Kill ends the process at once (SIGKILL), paused or not.
func (n *Node) Kill(ctx context.Context) error { return n.end(ctx, "KILL") }

// Terminate asks the process to shut down (SIGTERM) and waits until it has,
// within ctx. A paused process is resumed first, or it could not.
func (n *Node) Terminate(ctx context.Context) error { return n.end(ctx, "TERM") }

func (n *Node) end(ctx context.Context, signal string) error {
	if err := n.signal(ctx, signal); err != nil {
		return err
	}
	return until(ctx, n.String()+" to end", func(ctx context.Context) error {
		view, err := n.Process(ctx)
		if err == nil && view.Running {
			err = fmt.Errorf("%v", view)
		}
		return err
	})
}

// signal delivers a signal. A frozen process would not act on it, so it is
// thawed first; not for KILL, which must not let it act once more.
func (n *Node) signal(ctx context.Context, signal string) error {
	if signal != "KILL" {
		if err := n.process.SetPaused(ctx, false); err != nil {
			return err
		}
	}
	return n.process.Signal(ctx, signal)
}

// Start starts the process of a node that has ended and waits until it plays
// its part again, within ctx: registered, in the group, serving.
func (n *Node) Start(ctx context.Context) error {
	if err := n.launch(ctx); err != nil {
		return err
	}
	return n.AwaitReady(ctx)
}

// launch starts the process. A broker refuses to start while ZooKeeper still
// has the registration of its former life, so that is waited for, within ctx: it
// goes a session time-out after the broker at the latest, or at once when the
// session is expired. To launch what runs does nothing.
func (n *Node) launch(ctx context.Context) error {
	now, err := n.process.State(ctx)
	if err != nil {
		return err
	}
	if n.name.Role == topology.Broker && !now.Running {
		err := until(ctx, n.String()+"'s old registration to go", func(ctx context.Context) error {
			registration, err := n.cluster.witness.ZooKeeper.Registration(ctx, n.name.ID)
			if err == nil && registration.Present {
				err = fmt.Errorf("%v", registration)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return n.process.Start(ctx)
}

// Restart is Terminate and Start.
func (n *Node) Restart(ctx context.Context) error {
	if err := n.Terminate(ctx); err != nil {
		return err
	}
	return n.Start(ctx)
}

// Pause freezes the process: it keeps its memory and its sockets and does
// nothing. Doing it twice is no error.
func (n *Node) Pause(ctx context.Context) error { return n.process.SetPaused(ctx, true) }

// Resume thaws the process. Doing it twice is no error.
func (n *Node) Resume(ctx context.Context) error { return n.process.SetPaused(ctx, false) }

// Process reads how the node's process is.
func (n *Node) Process(ctx context.Context) (state.ProcessView, error) {
	s, err := n.process.State(ctx)
	if err != nil {
		return state.ProcessView{}, err
	}
	return state.ProcessView{
		Source:    state.Source{By: "the engine", At: time.Now()},
		Node:      n.name,
		Running:   s.Running,
		Paused:    s.Paused,
		ExitCode:  s.ExitCode,
		OutOfMem:  s.OutOfMem,
		Pid:       s.Pid,
		StartedAt: s.StartedAt,
		EndedAt:   s.EndedAt,
	}, nil
}

// Log is what the process has printed since the cluster started, without the middle
// of what is longer than 8 MiB. It is evidence, not a thing to wait for.
func (n *Node) Log(ctx context.Context) (string, error) { return logOf(n.process)(ctx) }

// logOf reads a log of which the middle is left out if it is very long.
func logOf(process engine.Process) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		log := middleCut{limit: logBound}
		err := process.Logs(ctx, time.Time{}, &log)
		return log.String(), err
	}
}

// Exec runs a command in the node's container, beside its process, and returns
// what it prints.
func (n *Node) Exec(ctx context.Context, command ...string) (string, error) {
	return n.process.Run(ctx, command...)
}
