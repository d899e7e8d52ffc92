package rig

import (
	"context"
	"errors"

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
	err = c.anyOne(func(worker topology.Node) error {
		config, err = c.Witness.Config(ctx, worker, connector)
		return err
	})
	return config, err
}

// SetConfig makes a connector or replaces its configuration.
func (c Connect) SetConfig(ctx context.Context, connector string, config map[string]string) error {
	return c.anyOne(func(worker topology.Node) error { return c.Witness.SetConfig(ctx, worker, connector, config) })
}

// Restart restarts one task, or the connector itself if task is -1.
func (c Connect) Restart(ctx context.Context, connector string, task int) error {
	return c.anyOne(func(worker topology.Node) error {
		if task < 0 {
			return c.Witness.Restart(ctx, worker, connector)
		}
		return c.Witness.RestartTask(ctx, worker, state.TaskID{Connector: connector, Task: task})
	})
}

// anyOne asks one worker after the other, as long as they cannot be reached: any
// of them passes an order on to the leader of the group.
func (c Connect) anyOne(ask func(topology.Node) error) error {
	if len(c.Workers) == 0 {
		return errNoWorker
	}
	var errs []error
	for _, worker := range c.Workers {
		err := ask(worker)
		if !errors.Is(err, witness.ErrUnreachable) {
			return err
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
