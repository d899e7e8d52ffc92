package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"kafkachaos/harness"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// removeConnectors removes every connector of the cluster.
func removeConnectors(ctx context.Context, cluster *harness.Cluster) error {
	workers := cluster.Spec().NodesOf(topology.Worker)
	if len(workers) == 0 {
		return nil
	}
	names, err := cluster.Witness().Connect.Connectors(ctx, workers[0])
	for _, name := range names {
		err = errors.Join(err, remove(ctx, cluster, name))
	}
	return err
}

// remove removes a connector for good. That a worker takes the order proves nothing:
// those of 0.9 do not look whether it was written, and write it once (retries came
// with KAFKA-3093, 0.10.0.0). Nor does a refusal: before 3.4.0 a worker that does not
// lead answers with an error of its own for one that is gone (KAFKA-13702).
func remove(ctx context.Context, cluster *harness.Cluster, name string) error {
	ordered := false
	return insist(ctx, func(ctx context.Context) error {
		err := known(ctx, cluster, name)
		if !errors.Is(err, errKnown) {
			return err
		}
		if ordered {
			GinkgoWriter.Printf("removing connector %s once more: %v\n", name, err)
		}
		if err := orderRemoval(ctx, cluster, name); err != nil {
			return err
		}
		ordered = true
		return forgotten(ctx, cluster, name)
	})
}

// orderRemoval gives the order once. Workers that rebalance, or have not heard yet
// who leads, refuse it.
func orderRemoval(ctx context.Context, cluster *harness.Cluster, name string) error {
	err := cluster.Witness().Connect.Delete(ctx, topology.WorkerNode(1), name)
	if errors.Is(err, witness.ErrNotFound) {
		return nil
	}
	return err
}

// insist does something until it succeeds.
func insist(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	ticks := time.NewTicker(gently)
	defer ticks.Stop()
	for {
		err := do(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last answered: %w", ctx.Err(), err)
		case <-ticks.C:
		}
	}
}

// errKnown says that the workers are not about to forget a connector.
var errKnown = errors.New("the connector is still there")

// forgotten waits until no worker that runs knows the connector. They may take a
// moment to hear of it, those of 0.9 about a second, and do not say so while they
// rebalance.
func forgotten(ctx context.Context, cluster *harness.Cluster, name string) error {
	ticks := time.NewTicker(unhurried)
	defer ticks.Stop()
	for began := time.Now(); ; {
		err := known(ctx, cluster, name)
		if err == nil || errors.Is(err, errKnown) && time.Since(began) > 2*gently {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticks.C:
		}
	}
}

// known is errKnown if a worker that runs knows the connector, or else why that
// could not be read.
func known(ctx context.Context, cluster *harness.Cluster, name string) error {
	if !workers().JoinsUndisturbed() {
		return given(ctx, cluster, name)
	}
	for _, worker := range cluster.Workers() {
		process, err := worker.Process(ctx)
		if err != nil {
			return err
		}
		if !process.Runs() {
			continue
		}
		names, err := cluster.Witness().Connect.Connectors(ctx, worker.Name())
		if err != nil {
			return err
		}
		if slices.Contains(names, name) {
			return fmt.Errorf("%w: %v knows %s", errKnown, worker, name)
		}
	}
	return nil
}

// given is known without asking a worker: what the group was given, for which all
// of its members have read what their leader has.
func given(ctx context.Context, cluster *harness.Cluster, name string) error {
	group, err := cluster.ConnectGroup(ctx)
	if err != nil {
		return err
	}
	if group.State != "Stable" {
		return fmt.Errorf("not settled: %v", group)
	}
	for _, member := range group.Members {
		if slices.Contains(member.Connectors, name) {
			return fmt.Errorf("%w: %v", errKnown, group)
		}
	}
	return nil
}
