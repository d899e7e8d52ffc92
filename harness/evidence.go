package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/topology"
)

// collectBound bounds each collector of evidence, so that a silent node costs
// this much and no more.
const collectBound = 10 * time.Second

// Evidence writes what can be known about the cluster into the folder, which is
// made if it is not there: each node's configuration, log and process, each
// egress's proxies with their toxics, and the readings of the moment. It goes
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
	if c.mesh != nil {
		pieces = append(pieces, piece{"proxies.json", c.proxies})
	}
	if c.witness.ZooKeeper != nil {
		pieces = append(pieces, piece{"readings.txt", c.readings})
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
		piece{name.String() + ".log", node.Log},
		piece{name.String() + ".threads.txt", node.threadsText},
		piece{name.String() + ".process.json", func(ctx context.Context) (string, error) {
			s, err := node.process.State(ctx)
			return s.Raw, err
		}})
}

// readings prints every reading of the witness, one a line, and in its place
// the error where one could not be made.
func (c *Cluster) readings(ctx context.Context) (string, error) {
	var text strings.Builder
	var errs []error
	note := func(reading fmt.Stringer, err error) {
		if err != nil {
			errs = append(errs, err)
			fmt.Fprintf(&text, "could not read: %v\n", err)
			return
		}
		fmt.Fprintln(&text, reading)
	}
	for _, name := range c.spec.Nodes() {
		if node, err := c.Node(name); err == nil {
			note(node.Process(ctx))
		}
	}
	for _, broker := range c.spec.NodesOf(topology.Broker) {
		note(c.witness.ZooKeeper.Registration(ctx, broker.ID))
	}
	note(c.witness.ZooKeeper.Controller(ctx))
	for _, broker := range c.spec.NodesOf(topology.Broker) {
		note(c.witness.Brokers.View(ctx, broker.ID))
	}
	if c.spec.Count(topology.Worker) > 0 {
		note(c.ConnectGroup(ctx))
	}
	return text.String(), errors.Join(errs...)
}

func (c *Cluster) proxies(ctx context.Context) (string, error) {
	dump, err := c.mesh.Dump(ctx)
	text, encodeErr := json.MarshalIndent(dump, "", "  ")
	return string(text), errors.Join(err, encodeErr)
}
