package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// benchFaults measures, on a live cluster under load, how long it takes to
// inject and to heal link faults, and how punctual the steps of a plan are.
func benchFaults(ctx context.Context) error {
	spec, err := topology.New(topology.Brokers(3), topology.Workers(2))
	if err != nil {
		return err
	}
	cluster, err := harness.Start(ctx, spec)
	if err == nil {
		loaded, end := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- load(loaded, cluster) }()
		err = measureFaults(ctx, cluster)
		end()
		err = errors.Join(err, <-done)
	}
	return errors.Join(err, cluster.Stop(ctx))
}

func measureFaults(ctx context.Context, cluster *harness.Cluster) error {
	links := cluster.Spec().Links()
	one, err := changes(ctx, cluster, 200, cluster.Broker(1).LinksToZooKeeper()...)
	if err != nil {
		return err
	}
	all, err := changes(ctx, cluster, 50, links...)
	if err != nil {
		return err
	}
	fmt.Printf("inject or heal one link        %s\n", percentiles(one))
	fmt.Printf("inject or heal all %d links    %s\n", len(links), percentiles(all))

	kinds := []string{"blackhole", "cut", "delay", "hold", "reset"}
	plan, err := faults.Draw(1, faults.Budget{Steps: 60, Length: 60 * time.Second, LeastFor: 500 * time.Millisecond,
		MostFor: time.Second, Settle: 2 * time.Second, Kinds: kinds}, cluster.Rig().Layout)
	if err != nil {
		return err
	}
	execution, err := faults.Run(ctx, cluster.Rig(), plan, nil)
	if err != nil {
		return err
	}
	fmt.Printf("schedule error of %d steps     %s\n", len(plan.Steps), percentiles(execution.ScheduleErrors()))
	return nil
}

// changes times the injection and the heal of a hold, n times each: of the
// faults of links, the one that leaves every connection whole.
func changes(ctx context.Context, cluster *harness.Cluster, n int, links ...topology.Link) ([]time.Duration, error) {
	var took []time.Duration
	for range n {
		injection, err := cluster.Rig().Prepare(faults.Hold(links...))
		if err != nil {
			return nil, err
		}
		began := time.Now()
		err = injection.Inject(ctx)
		injected := time.Now()
		err = errors.Join(err, injection.Heal(ctx))
		if err != nil {
			return nil, err
		}
		took = append(took, injected.Sub(began), time.Since(injected))
	}
	return took, nil
}

// load produces to a topic through the client's links, as fast as the brokers
// acknowledge, until the context ends.
func load(ctx context.Context, cluster *harness.Cluster) error {
	client, err := cluster.NewClient(harness.OnFaulted, kgo.AllowAutoTopicCreation(),
		kgo.DefaultProduceTopic("load"), kgo.MaxBufferedRecords(1000))
	if err != nil {
		return err
	}
	defer client.Close()
	for ctx.Err() == nil {
		client.Produce(ctx, &kgo.Record{Value: make([]byte, 100)}, nil) // what faults do to it is not the question
	}
	return nil
}

func percentiles(all []time.Duration) string {
	sorted := slices.Sorted(slices.Values(all))
	at := func(part float64) time.Duration {
		return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("median %v, 99%% within %v, longest %v (%d times)", at(0.5), at(0.99), at(1), len(sorted))
}
