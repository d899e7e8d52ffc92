// Command kafkachaos does the set-up and the figures that the Makefile asks
// for: images, clean, bench-boot, bench-faults, bench-traffic.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

const usage = `usage:
  kafkachaos images RELEASE...            build the images that are missing
  kafkachaos bench-boot TIMES RELEASE...  time the start and the stop of a cluster, and its memory
  kafkachaos bench-faults                 time faults of links on a cluster under load
  kafkachaos bench-traffic PAIRS          count what is acknowledged, recorded and not
  kafkachaos clean                        remove what dead runs left`

func main() {
	if os.Getenv("DEBUG") != "" {
		slog.SetLogLoggerLevel(slog.LevelDebug) // says how long each phase of a start takes
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kafkachaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch command, rest := args[0], args[1:]; command {
	case "images":
		versions, err := parseVersions(rest)
		if err != nil {
			return err
		}
		return harness.BuildImages(ctx, say, versions...)
	case "bench-boot":
		return benchBoot(ctx, rest)
	case "bench-faults":
		return benchFaults(ctx)
	case "bench-traffic":
		pairs, err := howOften(rest)
		if err != nil {
			return err
		}
		return benchTraffic(ctx, pairs)
	case "clean":
		return clean(ctx)
	default:
		return fmt.Errorf("unknown command %q\n%s", command, usage)
	}
}

func parseVersions(args []string) ([]topology.Version, error) {
	var versions []topology.Version
	for _, text := range strings.Fields(strings.Join(args, " ")) {
		version, err := topology.ParseVersion(text)
		if err != nil {
			return nil, err
		}
		versions = append(versions, version)
	}
	return versions, nil
}

// howOften is a number of times.
func howOften(args []string) (int, error) {
	if len(args) == 0 {
		return 0, errors.New(usage)
	}
	times, err := strconv.Atoi(args[0])
	if err != nil || times < 1 {
		return 0, fmt.Errorf("read how often: want a number from 1, not %q", args[0])
	}
	return times, nil
}

func benchBoot(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New(usage)
	}
	times, err := howOften(args)
	if err != nil {
		return err
	}
	versions, err := parseVersions(args[1:])
	if err != nil {
		return err
	}
	for _, version := range versions {
		figures, err := boots(ctx, version, times)
		if err != nil {
			return fmt.Errorf("bench Kafka %s: %w", version, err)
		}
		fmt.Println(figures)
	}
	return nil
}

func clean(ctx context.Context) error {
	removed, err := harness.Sweep(ctx, harness.KeptToo)
	for _, run := range removed {
		say("removed run %s", run)
	}
	if len(removed) == 0 && err == nil {
		say("nothing was left")
	}
	return err
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
