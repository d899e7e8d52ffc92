package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/topology"
)

// collectBound bounds each collector of evidence, so that a silent node costs
// this much and no more.
const collectBound = 10 * time.Second

// Evidence writes what can be known about the cluster into the folder, which is
// made if it is not there: each node's configuration, log, threads and process,
// each egress's log and proxies with their toxics, the readings of the moment,
// and the connectors. It goes
// over the witness plane, so that it works while faults are active, and on a
// cluster that is half started. What could not be collected is in the error and
// hinders nothing else.
func (c *Cluster) Evidence(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the evidence folder: %w", err)
	}
	pieces := []piece{{"topology.txt", c.describe}}
	for _, name := range c.spec.Nodes() {
		pieces = append(pieces, c.piecesOf(name)...)
	}
	for node, egress := range c.egresses {
		if egress != nil {
			pieces = append(pieces, piece{node.EgressName() + ".log", logOf(egress)})
		}
	}
	if c.mesh != nil {
		pieces = append(pieces, piece{"proxies.json", c.proxies})
	}
	if c.witness.ZooKeeper != nil {
		pieces = append(pieces, piece{"readings.txt", c.readings})
	}
	if c.witness.Connect != nil && c.spec.Count(topology.Worker) > 0 {
		pieces = append(pieces, piece{"connectors.txt", c.connectors})
	}
	errs := make([]error, len(pieces))
	var group errgroup.Group
	group.SetLimit(4)
	for i, piece := range pieces {
		group.Go(func() error {
			errs[i] = piece.write(ctx, folder)
			return nil
		})
	}
	_ = group.Wait() // each error is in errs
	return errors.Join(errs...)
}

// piece is one file of evidence and how to get its text.
type piece struct {
	file string
	read func(context.Context) (string, error)
}

// write keeps what a reader returned beside its error: half a log is better
// than none.
func (p piece) write(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, collectBound)
	defer cancel()
	text, err := p.read(ctx)
	if err != nil {
		err = fmt.Errorf("collect %s: %w", p.file, err)
	}
	return errors.Join(err, os.WriteFile(filepath.Join(folder, p.file), []byte(text), 0o644))
}

func (c *Cluster) describe(context.Context) (string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "run %s: %s\n\nlinks:\n", c.run, c.spec)
	for _, link := range c.spec.Links() {
		fmt.Fprintf(&text, "  %s\n", link)
	}
	fmt.Fprint(&text, "\nsettings beside Kafka's defaults:\n")
	for _, setting := range c.spec.Settings() {
		fmt.Fprintf(&text, "  %-10s %s=%s: %s\n", setting.Role, setting.Key, setting.Value, setting.Why)
	}
	return text.String(), nil
}

// piecesOf lists the evidence of one node, as far as it was made.
func (c *Cluster) piecesOf(name topology.Node) []piece {
	pieces := []piece{{name.String() + ".properties", func(context.Context) (string, error) {
		return c.spec.File(name), nil
	}}}
	node, err := c.Node(name)
	if err != nil {
		return pieces
	}
	return append(pieces,
		piece{name.String() + ".log", logOf(node.process)},
		piece{name.String() + ".threads.txt", node.threadsText},
		piece{name.String() + ".process.json", func(ctx context.Context) (string, error) {
			s, err := node.process.State(ctx)
			return s.Raw, err
		}})
}

// reading is one reading of the witness, of whatever kind.
type reading func(context.Context) (fmt.Stringer, error)

func readingOf[T fmt.Stringer](get func(context.Context) (T, error)) reading {
	return func(ctx context.Context) (fmt.Stringer, error) { return get(ctx) }
}

// ofEach is one reading for each node of a role.
func (c *Cluster) ofEach(role topology.Role, read func(topology.Node) reading) []reading {
	var all []reading
	for _, node := range c.spec.NodesOf(role) {
		all = append(all, read(node))
	}
	return all
}

// listReadings lists what readings.txt holds, in order.
func (c *Cluster) listReadings() []reading {
	var all []reading
	for _, name := range c.spec.Nodes() {
		if node, err := c.Node(name); err == nil {
			all = append(all, readingOf(node.Process))
		}
	}
	all = append(all, c.ofEach(topology.ZooKeeper, func(n topology.Node) reading {
		return func(ctx context.Context) (fmt.Stringer, error) { return c.witness.ZooKeeper.Server(ctx, n.Address()) }
	})...)
	all = append(all, c.ofEach(topology.Broker, func(n topology.Node) reading {
		return func(ctx context.Context) (fmt.Stringer, error) { return c.witness.ZooKeeper.Registration(ctx, n.ID) }
	})...)
	all = append(all, readingOf(c.Controller))
	all = append(all, c.ofEach(topology.Broker, func(n topology.Node) reading {
		return func(ctx context.Context) (fmt.Stringer, error) { return c.witness.Brokers.View(ctx, n.ID) }
	})...)
	if c.spec.Count(topology.Worker) > 0 {
		all = append(all, readingOf(c.ConnectGroup))
	}
	return all
}

// readings prints the readings, one a line, and in its place the error where
// one could not be made. They are made side by side: a node that is silent costs
// the others no time.
func (c *Cluster) readings(ctx context.Context) (string, error) {
	all := c.listReadings()
	lines, errs := make([]string, len(all)), make([]error, len(all))
	var group sync.WaitGroup
	for i, read := range all {
		group.Go(func() {
			value, err := read(ctx)
			if errs[i] = err; err != nil {
				lines[i] = fmt.Sprintf("could not read: %v\n", err)
				return
			}
			lines[i] = fmt.Sprintln(value)
		})
	}
	group.Wait()
	return strings.Join(lines, ""), errors.Join(errs...)
}

// connectors prints the connectors and tasks as the first worker that answers
// has them.
func (c *Cluster) connectors(ctx context.Context) (string, error) {
	var errs []error
	for _, worker := range c.spec.NodesOf(topology.Worker) {
		names, err := c.witness.Connect.Connectors(ctx, worker)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		text := fmt.Sprintf("%v has %d connectors\n", worker, len(names))
		errs = nil // another one answered
		for _, name := range names {
			view, err := c.witness.Connect.Connector(ctx, worker, name)
			if errs = append(errs, err); err == nil {
				text += fmt.Sprintln(view)
			}
		}
		return text, errors.Join(errs...)
	}
	return "", errors.Join(errs...)
}

func (c *Cluster) proxies(ctx context.Context) (string, error) {
	dump, err := c.mesh.Dump(ctx)
	text, encodeErr := json.MarshalIndent(dump, "", "  ")
	return string(text), errors.Join(err, encodeErr)
}
