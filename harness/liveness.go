package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Liveness reads how far a Connect worker is alive: its process, whether its
// group has it, and whether its herder answers. That the herder is silent is a
// reading; that the group cannot be read is an error. Of a process that does not
// run there is no more to read.
func (n *Node) Liveness(ctx context.Context) (state.Liveness, error) {
	if n.name.Role != topology.Worker {
		return state.Liveness{}, fmt.Errorf("read how far %s is alive: it is no worker", n)
	}
	process, err := n.Process(ctx)
	if err != nil {
		return state.Liveness{}, fmt.Errorf("read how far %s is alive: %w", n, err)
	}
	alive := state.Liveness{Source: process.Source, Worker: n.name, Process: process}
	if alive.Runs() {
		if err := n.readHerder(ctx, &alive); err != nil {
			return state.Liveness{}, fmt.Errorf("read how far %s is alive: %w", n, err)
		}
	}
	if !alive.Answers {
		alive.LastWords = n.lastWords(ctx)
	}
	return alive, nil
}

func (n *Node) readHerder(ctx context.Context, alive *state.Liveness) error {
	var err error
	if alive.Group, err = n.cluster.ConnectGroup(ctx); err != nil {
		return err
	}
	alive.Source = state.Source{By: fmt.Sprintf("%s and %s", alive.Group.By, n), At: time.Now()}
	err = n.cluster.witness.Connect.AskHerder(ctx, n.name)
	switch {
	case err == nil:
		alive.Answers = true
	case ctx.Err() == nil && (errors.Is(err, witness.ErrServer) || errors.Is(err, witness.ErrUnreachable)):
		alive.Silence = err.Error()
	default:
		return err
	}
	return nil
}

// lastWords finds the last exception in the node's log, of its herder if it has
// told of one. It is a label: without a log there is none.
func (n *Node) lastWords(ctx context.Context) state.Trace {
	log, err := n.Log(ctx)
	if err != nil {
		return state.Trace{}
	}
	return n.lastTrace(log)
}

func (n *Node) lastTrace(log string) state.Trace {
	part := ""
	if n.name.Role == topology.Worker {
		part = "erder"
	}
	return state.LastTrace(log, part)
}
