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
// how long that took, and how much memory the cluster held once it was ready.
func boots(ctx context.Context, version topology.Version, times int) (string, error) {
	spec, err := topology.New(topology.Kafka(version.String()), topology.Brokers(3), topology.Workers(2))
	if err != nil {
		return "", err
	}
	var starts, stops, memory []float64
	for range times {
		figures, err := boot(ctx, spec)
		if err != nil {
			return "", err
		}
		starts, stops = append(starts, figures.start.Seconds()), append(stops, figures.stop.Seconds())
		memory = append(memory, float64(figures.memory)/(1<<20))
	}
	const seconds, mebibytes = "%5.2f s (%.2f to %.2f)", "%4.0f MiB (%.0f to %.0f)"
	return fmt.Sprintf("Kafka %-8s  start %s  stop %s  memory %s  (%d boots of %s)", version,
		spread(seconds, starts), spread(seconds, stops), spread(mebibytes, memory), times, spec), nil
}

// bootFigures are those of one cluster.
type bootFigures struct {
	start, stop time.Duration
	memory      int64 // bytes
}

func boot(ctx context.Context, spec topology.Spec) (figures bootFigures, err error) {
	began := time.Now()
	cluster, err := harness.Start(ctx, spec)
	figures.start = time.Since(began)
	if err == nil {
		figures.memory, err = cluster.Memory(ctx)
	}
	began = time.Now()
	err = errors.Join(err, cluster.Stop(ctx))
	figures.stop = time.Since(began)
	return figures, err
}

// spread prints the median and the range in that format.
func spread(format string, all []float64) string {
	sorted := slices.Sorted(slices.Values(all))
	return fmt.Sprintf(format, sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1])
}
