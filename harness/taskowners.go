package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// TaskOwners reads who runs the tasks of a connector: the threads of every worker
// that lives, what the group has assigned, and what REST says of it. Each of the
// three may be wrong on its own. It takes about half a second, which the dumps
// need.
func (c *Cluster) TaskOwners(ctx context.Context, connector string) (state.TaskOwners, error) {
	owners, err := c.taskOwners(ctx, connector)
	if err != nil {
		return state.TaskOwners{}, fmt.Errorf("read who runs the tasks of %s: %w", connector, err)
	}
	return owners, nil
}

func (c *Cluster) taskOwners(ctx context.Context, connector string) (state.TaskOwners, error) {
	dumps, err := c.WorkerDumps(ctx)
	if err != nil || len(dumps) == 0 {
		return state.TaskOwners{Source: state.Source{By: "the engine", At: time.Now()}, Connector: connector}, err
	}
	group, err := c.ConnectGroup(ctx)
	if err != nil {
		return state.TaskOwners{}, err
	}
	configured, status, err := c.tasksByREST(ctx, connector, dumps)
	if err != nil {
		return state.TaskOwners{}, err
	}
	owners := state.NewTaskOwners(connector, configured, dumps, group, status)
	owners.Source = state.Source{By: fmt.Sprintf("the workers and %s", group.By), At: time.Now()}
	return owners, nil
}

// WorkerDumps dumps the threads of every worker whose process runs, side by side.
func (c *Cluster) WorkerDumps(ctx context.Context) (map[topology.Node]state.ThreadDump, error) {
	dumps := map[topology.Node]state.ThreadDump{}
	var mu sync.Mutex
	group, grouped := errgroup.WithContext(ctx)
	for _, worker := range c.Workers() {
		group.Go(func() error {
			process, err := worker.Process(grouped)
			if err != nil || !process.Runs() {
				return err
			}
			dump, err := worker.ThreadDump(grouped)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			dumps[worker.name] = dump
			return nil
		})
	}
	return dumps, group.Wait()
}

// tasksByREST asks the first of the workers that answers. Before 0.10.0.0 there
// is no status.
func (c *Cluster) tasksByREST(ctx context.Context, connector string, from map[topology.Node]state.ThreadDump) ([]state.TaskID, state.ConnectorView, error) {
	var failed []error
	for _, worker := range c.spec.NodesOf(topology.Worker) {
		if _, lives := from[worker]; !lives {
			continue
		}
		configured, err := c.witness.Connect.Tasks(ctx, worker, connector)
		var status state.ConnectorView
		if err == nil {
			status, err = c.witness.Connect.Connector(ctx, worker, connector)
		}
		if err == nil || errors.Is(err, witness.ErrUnsupported) {
			return configured, status, nil
		}
		failed = append(failed, err)
	}
	return nil, state.ConnectorView{}, errors.Join(failed...)
}
