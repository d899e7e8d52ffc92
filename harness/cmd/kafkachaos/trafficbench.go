package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// trafficWindow is how long acknowledgements are counted each time.
const trafficWindow = 5 * time.Second

// enoughRate is the traffic that a run is to bear: records a second.
const enoughRate = 5000

// benchTraffic measures, on a live cluster, how many records an idempotent producer
// has acknowledged a second by all replicas through the proxies, while a consumer
// reads them: with all that happens recorded, and with nothing, in pairs of which
// the order alternates. First at the rate that is enough, then as fast as it goes.
func benchTraffic(ctx context.Context, pairs int) error {
	spec, err := topology.New(topology.Brokers(3))
	if err != nil {
		return err
	}
	cluster, err := harness.Start(ctx, spec)
	if err == nil {
		err = measureTraffic(ctx, cluster, pairs)
	}
	return errors.Join(err, cluster.Stop(ctx))
}

// flow is what traffic came to in a window.
type flow struct {
	rate float64       // records acknowledged a second
	cost time.Duration // of this program's processor time for each
}

func measureTraffic(ctx context.Context, cluster *harness.Cluster, pairs int) error {
	folder, err := os.MkdirTemp("", "bench-traffic")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b := &trafficBench{cluster: cluster, folder: folder}
	if _, err := b.run(ctx, false, 0); err != nil { // a first time, for the brokers to get warm
		return err
	}
	for _, rate := range []float64{enoughRate, 0} {
		if err := b.compare(ctx, pairs, rate); err != nil {
			return err
		}
	}
	return nil
}

// compare runs traffic of that rate, or as fast as it goes if it is 0, in pairs.
func (b *trafficBench) compare(ctx context.Context, pairs int, rate float64) error {
	if rate > 0 {
		fmt.Printf("producing %.0f records a second\n", rate)
	} else {
		fmt.Println("producing as fast as it goes")
	}
	var recorded, bare, slower, dearer, share []float64
	for pair := range pairs {
		var with, without flow
		for turn := range 2 {
			record := (turn + pair%2) == 1
			got, err := b.run(ctx, record, rate)
			if err != nil {
				return err
			}
			if record {
				with = got
			} else {
				without = got
			}
		}
		fmt.Printf("pair %d: %6.0f records/s recorded, %6.0f not; %v and %v of the processor for each\n",
			pair+1, with.rate, without.rate, with.cost, without.cost)
		recorded, bare = append(recorded, with.rate), append(bare, without.rate)
		slower = append(slower, 100*(1-with.rate/without.rate))
		dearer = append(dearer, float64(with.cost-without.cost))
		share = append(share, 100*(float64(with.cost)/float64(without.cost)-1))
	}
	fmt.Printf("acknowledged through the proxies  %s records/s recorded, %s not\n", middle(recorded, 0), middle(bare, 0))
	fmt.Printf("recording costs                   %s %% of the rate, %s ns of the processor for each, %s %% more than without\n",
		middle(slower, 1), middle(dearer, 0), middle(share, 1))
	return nil
}

// trafficBench runs traffic, each time on a topic of its own.
type trafficBench struct {
	cluster *harness.Cluster
	folder  string
	runs    int
}

func (b *trafficBench) run(ctx context.Context, record bool, rate float64) (flow, error) {
	b.runs++
	topic := history.Topic{Name: fmt.Sprintf("load-%d", b.runs), Partitions: 3, Replicas: 3, MinInSync: 2}
	err := b.cluster.Witness().Admin.CreateTopic(ctx, topic.Name, [][]int{{1, 2, 3}, {2, 3, 1}, {3, 1, 2}}, map[string]string{"min.insync.replicas": "2"})
	if err != nil {
		return flow{}, err
	}
	h, err := history.Create(filepath.Join(b.folder, topic.Name), history.Header{Run: b.cluster.Run()})
	if err != nil {
		return flow{}, err
	}
	defer h.Close()
	if !record {
		if err := h.Close(); err != nil { // what is closed takes nothing
			return flow{}, err
		}
	}
	traffic, err := workload.Start(ctx, workload.Target{Run: b.cluster.Run(), Brokers: b.cluster.Addresses(topology.Broker),
		Dial: b.cluster.Dialer(harness.OnFaulted), Witness: b.cluster.Dialer(harness.OnWitness), Version: b.cluster.Spec().Version(topology.Broker)},
		h, topic, workload.Producer{Size: 100, Rate: rate}, workload.Consumer{})
	if err != nil {
		return flow{}, err
	}
	got, err := count(ctx, traffic)
	_, ended := traffic.Stop(ctx)
	if ended != nil && (record || !errors.Is(ended, os.ErrClosed)) {
		err = errors.Join(err, ended)
	}
	return got, err
}

// count counts what is acknowledged in a window, which begins a second after the
// first record was.
func count(ctx context.Context, traffic *workload.Traffic) (flow, error) {
	for traffic.Summary().Acked == 0 {
		if err := pass(ctx, 10*time.Millisecond); err != nil {
			return flow{}, err
		}
	}
	if err := pass(ctx, time.Second); err != nil {
		return flow{}, err
	}
	acked, used, began := traffic.Summary().Acked, processor(), time.Now()
	if err := pass(ctx, trafficWindow); err != nil {
		return flow{}, err
	}
	acked = traffic.Summary().Acked - acked
	if acked == 0 {
		return flow{}, errors.New("nothing was acknowledged any more")
	}
	return flow{float64(acked) / time.Since(began).Seconds(), (processor() - used) / time.Duration(acked)}, nil
}

// pass lets so much time pass.
func pass(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// processor is the time that this program has used of all processors.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// middle prints the median and the range.
func middle(all []float64, digits int) string {
	sorted := slices.Sorted(slices.Values(all))
	return fmt.Sprintf("%.*f (%.*f to %.*f)", digits, sorted[len(sorted)/2], digits, sorted[0], digits, sorted[len(sorted)-1])
}
