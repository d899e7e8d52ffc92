package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// boots starts and stops the cluster of the boot figures, times over, and says
// how long that took.
func boots(ctx context.Context, version topology.Version, times int) (string, error) {
	spec, err := topology.New(topology.Kafka(version.String()), topology.Brokers(3), topology.Workers(2))
	if err != nil {
		return "", err
	}
	var starts, stops []time.Duration
	for range times {
		start, stop, err := boot(ctx, spec)
		if err != nil {
			return "", err
		}
		starts, stops = append(starts, start), append(stops, stop)
	}
	return fmt.Sprintf("Kafka %-8s  start %s  stop %s  (%d boots of %s)",
		version, spread(starts), spread(stops), times, spec), nil
}

func boot(ctx context.Context, spec topology.Spec) (start, stop time.Duration, err error) {
	began := time.Now()
	cluster, err := harness.Start(ctx, spec)
	start = time.Since(began)
	began = time.Now()
	err = errors.Join(err, cluster.Stop(ctx))
	return start, time.Since(began), err
}

// spread prints the median and the range.
func spread(all []time.Duration) string {
	sorted := slices.Sorted(slices.Values(all))
	return fmt.Sprintf("%5.2f s (%.2f to %.2f)", sorted[len(sorted)/2].Seconds(), sorted[0].Seconds(),
		sorted[len(sorted)-1].Seconds())
}
