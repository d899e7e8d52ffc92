package harness

import (
	"context"
	"fmt"
	"time"

	"kafkachaos/harness/state"
)

// Replicas reads the cluster as every broker sees it, over the witness plane. A
// broker whose process has ended or is frozen is told as such; one that runs and
// gives no view makes it an error.
func (c *Cluster) Replicas(ctx context.Context) (state.Replicas, error) {
	replicas := state.Replicas{Brokers: c.witness.Brokers.IDs()}
	var up []int
	for _, broker := range c.Brokers() {
		process, err := broker.Process(ctx)
		if err != nil {
			return state.Replicas{}, fmt.Errorf("read the replicas: %w", err)
		}
		if !process.Runs() {
			replicas.Down = append(replicas.Down, process)
			continue
		}
		up = append(up, broker.name.ID)
	}
	var err error
	if replicas.Views, err = c.views(ctx, up); err != nil {
		return state.Replicas{}, fmt.Errorf("read the replicas: %w", err)
	}
	replicas.Source = state.Source{By: fmt.Sprintf("brokers %v", up), At: time.Now()}
	return replicas, nil
}
