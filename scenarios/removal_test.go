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
// lead answers with an error of its own for one that is gone (KAFKA-13702). So it is
// ordered while a worker knows the connector: again a second after a refusal, and two
// after it was taken, of which those of 0.9 hear within one.
func remove(ctx context.Context, cluster *harness.Cluster, name string) error {
	var again time.Time // when it may be ordered
	return insist(ctx, unhurried, func(ctx context.Context) error {
		err := known(ctx, cluster, name)
		if !errors.Is(err, errKnown) || time.Now().Before(again) {
			return err
		}
		if !again.IsZero() {
			GinkgoWriter.Printf("removing connector %s once more: %v\n", name, err)
		}
		refused := orderRemoval(ctx, cluster, name)
		if again = time.Now().Add(gently); refused == nil {
			again = again.Add(gently)
		}
		return errors.Join(err, refused) // what becomes of it is seen next
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

// insist does something every so often until it succeeds.
func insist(ctx context.Context, every time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var answered error
	for {
		err := do(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || answered == nil { // a try that the end cuts off tells of nothing else
			answered = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; last answered: %w", ctx.Err(), answered)
		case <-ticks.C:
		}
	}
}

// errKnown says that a worker knows a connector.
var errKnown = errors.New("the connector is still there")

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
