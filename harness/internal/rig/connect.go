package rig

import (
	"context"
	"errors"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Connect drives connectors through whichever worker answers.
type Connect struct {
	Witness *witness.Connect
	Workers []topology.Node
}

var _ faults.Connect = Connect{}

// Config reads the configuration of a connector.
func (c Connect) Config(ctx context.Context, connector string) (config map[string]string, err error) {
	err = c.order(ctx, func(worker topology.Node) (err error) {
		config, err = c.Witness.Config(ctx, worker, connector)
		return err
	})
	return config, err
}

// SetConfig makes a connector or replaces its configuration.
func (c Connect) SetConfig(ctx context.Context, connector string, config map[string]string) error {
	return c.order(ctx, func(worker topology.Node) error { return c.Witness.SetConfig(ctx, worker, connector, config) })
}

// Restart restarts one task, or the connector itself if task is -1.
func (c Connect) Restart(ctx context.Context, connector string, task int) error {
	return c.order(ctx, func(worker topology.Node) error {
		if task < 0 {
			return c.Witness.Restart(ctx, worker, connector)
		}
		return c.Witness.RestartTask(ctx, worker, state.TaskID{Connector: connector, Task: task})
	})
}

const (
	// settling is how long an order is given again to workers that are about to
	// settle: twice the 6 s in which the group misses a leader that died.
	settling = 12 * time.Second
	// orderEvery is the time between two tries of an order.
	orderEvery = 50 * time.Millisecond
)

// order gives an order, which may be given twice, to a worker that answers; any
// of them passes it on to the leader of the group. Workers that rebalance, or
// whose leader has just died, are asked again for a while.
func (c Connect) order(ctx context.Context, give func(topology.Node) error) error {
	if len(c.Workers) == 0 {
		return errNoWorker
	}
	began := time.Now()
	for {
		worker, err := c.awake(ctx)
		if err == nil {
			err = give(worker)
		}
		if !unsettled(err) || time.Since(began) > settling {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(orderEvery):
		}
	}
}

func unsettled(err error) bool {
	return errors.Is(err, witness.ErrRebalancing) || errors.Is(err, witness.ErrServer) || errors.Is(err, witness.ErrUnreachable)
}

// awake is the first worker whose herder answers: one that is paused would keep
// the order for as long as it may take.
func (c Connect) awake(ctx context.Context) (topology.Node, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		worker topology.Node
		err    error
	}
	answers := make(chan answer, len(c.Workers))
	for _, worker := range c.Workers {
		go func() { answers <- answer{worker, c.Witness.AskHerder(ctx, worker)} }()
	}
	var errs []error
	for range c.Workers {
		got := <-answers
		if got.err == nil {
			return got.worker, nil
		}
		errs = append(errs, got.err)
	}
	return topology.Node{}, errors.Join(errs...)
}
