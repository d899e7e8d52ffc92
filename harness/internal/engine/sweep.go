package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/moby/moby/client"
)

// Every container and network carries these labels, so that a later run can
// tell whose it is.
const (
	labelRun   = "kafkachaos.run"   // the run's name
	labelOwner = "kafkachaos.owner" // the process that made it, see owner
)

// keptPrefix begins the names of containers that KEEP left up on purpose.
const keptPrefix = "kafkachaos-kept-"

func labelsOf(run string) map[string]string {
	return map[string]string{labelRun: run, labelOwner: self().String()}
}

// owner names a process in a way that a later process with the same number
// does not match.
type owner struct {
	host  string
	pid   int
	start string // when it began, in ticks since the machine's start; empty where /proc has none
}

func self() owner {
	host, _ := os.Hostname()
	return owner{host, os.Getpid(), startOf(os.Getpid())}
}

func (o owner) String() string { return fmt.Sprintf("%s/%d/%s", o.host, o.pid, o.start) }

func parseOwner(text string) (owner, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return owner{}, fmt.Errorf("parse owner %q: want host/pid/start", text)
	}
	pid, err := strconv.Atoi(parts[1])
	if err != nil {
		return owner{}, fmt.Errorf("parse owner %q: %w", text, err)
	}
	return owner{parts[0], pid, parts[2]}, nil
}

// alive says whether the process may still run. One of another machine may.
func (o owner) alive() bool {
	if host, _ := os.Hostname(); o.host != host {
		return true
	}
	if err := syscall.Kill(o.pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	return startOf(o.pid) == o.start
}

// startOf is field 22 of /proc/PID/stat; the command's name before it may
// contain anything, so the fields are counted from its closing bracket.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return ""
	}
	return fields[19]
}

// Sweep removes what runs of dead processes left, and names those runs. Runs
// of live processes are left alone. Runs that KEEP left up are removed only
// when kept is true.
func Sweep(ctx context.Context, kept bool) (removed []string, err error) {
	cli, err := dockerClient(ctx)
	if err != nil {
		return nil, err
	}
	all, err := list(ctx, cli)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, run := range leftovers(all, kept, lives) {
		if err := removeRun(ctx, cli, run); err != nil {
			errs = append(errs, err)
			continue
		}
		removed = append(removed, run)
	}
	return removed, errors.Join(errs...)
}

// Runs names every run that has a container or a network, whoever made it.
func Runs(ctx context.Context) ([]string, error) {
	cli, err := dockerClient(ctx)
	if err != nil {
		return nil, err
	}
	belongings, err := list(ctx, cli)
	if err != nil {
		return nil, err
	}
	runs := map[string]bool{}
	for _, b := range belongings {
		runs[b.run] = true
	}
	return slices.Sorted(maps.Keys(runs)), nil
}

// belonging is a container or a network of some run.
type belonging struct {
	run   string
	owner string
	kept  bool
}

func list(ctx context.Context, cli *client.Client) ([]belonging, error) {
	filters := make(client.Filters).Add("label", labelRun)
	containers, err := cli.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
	if err != nil {
		return nil, fmt.Errorf("list the containers of all runs: %w", err)
	}
	networks, err := cli.NetworkList(ctx, client.NetworkListOptions{Filters: filters})
	if err != nil {
		return nil, fmt.Errorf("list the networks of all runs: %w", err)
	}
	var all []belonging
	for _, item := range containers.Items {
		kept := slices.ContainsFunc(item.Names, func(name string) bool {
			return strings.HasPrefix(strings.TrimPrefix(name, "/"), keptPrefix)
		})
		all = append(all, belonging{item.Labels[labelRun], item.Labels[labelOwner], kept})
	}
	for _, item := range networks.Items {
		all = append(all, belonging{item.Labels[labelRun], item.Labels[labelOwner], false})
	}
	return all, nil
}

// leftovers names the runs among them whose process has ended. A run of which
// one container was kept is kept whole.
func leftovers(all []belonging, keptToo bool, alive func(owner string) bool) []string {
	dead := map[string]bool{}
	for _, b := range all {
		if !alive(b.owner) {
			dead[b.run] = true
		}
	}
	for _, b := range all {
		if b.kept && !keptToo {
			delete(dead, b.run)
		}
	}
	return slices.Sorted(maps.Keys(dead))
}

// lives says whether the process of that label may still run; a label that
// nobody can read belongs to nobody.
func lives(text string) bool {
	by, err := parseOwner(text)
	return err == nil && by.alive()
}
