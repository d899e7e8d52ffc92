package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// Evidence is bounded: each collector, so that a silent node costs this much and
// no more; all of them together; and each log.
const (
	collectBound  = 10 * time.Second
	evidenceBound = 40 * time.Second
	logBound      = 8 << 20 // bytes: some 60,000 lines
)

// IndexName is the file in a folder of evidence that says what the others are.
const IndexName = "README.txt"

// Evidence writes what can be known about the cluster into the folder, which is
// made if it is not there: each node's configuration, log and process, all proxies
// with their toxics and the log of their server, the readings of the moment,
// ZooKeeper's tree, what workers say by REST, the releases of everything, and the
// thread dumps of the symptoms; an index says which file is what.
//
// It goes over the witness plane, so that it works while faults are active, and on
// a cluster that is half started. It takes 40 s at most. What could not be
// collected is in the error and hinders nothing else.
func (c *Cluster) Evidence(ctx context.Context, folder string, symptoms state.Symptoms) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the evidence folder: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, evidenceBound)
	defer cancel()
	pieces := c.pieces(symptoms)
	errs := make([]error, len(pieces))
	var group errgroup.Group
	group.SetLimit(6)
	for i, piece := range pieces {
		group.Go(func() error {
			errs[i] = piece.write(ctx, folder)
			return nil
		})
	}
	_ = group.Wait() // each error is in errs
	errs = append(errs, os.WriteFile(filepath.Join(folder, IndexName), []byte(index(folder, pieces, errs)), 0o644))
	return errors.Join(errs...)
}

// piece is one file of evidence, what it is, and how to get its text.
type piece struct {
	file  string
	about string
	read  func(context.Context) (string, error)
}

// write keeps what a reader returned beside its error: half a log is better
// than none. Nothing is no file.
func (p piece) write(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, collectBound)
	defer cancel()
	text, err := p.read(ctx)
	if err != nil {
		err = fmt.Errorf("collect %s: %w", p.file, err)
	}
	if text == "" {
		return err
	}
	return errors.Join(err, os.WriteFile(filepath.Join(folder, p.file), []byte(text), 0o644))
}

// index says what each file is, and what is missing of it.
func index(folder string, pieces []piece, errs []error) string {
	var text strings.Builder
	for i, piece := range pieces {
		if _, err := os.Stat(filepath.Join(folder, piece.file)); err == nil {
			fmt.Fprintf(&text, "  %-30s %s\n", piece.file, piece.about)
		}
		if errs[i] != nil {
			fmt.Fprintf(&text, "  %-30s not in full: %v\n", "", errs[i])
		}
	}
	return text.String()
}

// pieces lists the evidence of the cluster, as far as it was made.
func (c *Cluster) pieces(symptoms state.Symptoms) []piece {
	var pieces []piece
	if c.witness.ZooKeeper != nil {
		pieces = append(pieces,
			piece{"readings.txt", "how every part of the cluster was just then, one reading a line", c.readings},
			piece{"zookeeper.txt", "what ZooKeeper holds of brokers, topics and controller: data, sessions, transactions", c.tree})
	}
	for _, name := range c.spec.Nodes() {
		pieces = append(pieces, c.piecesOf(name, symptoms)...)
	}
	if c.mesh != nil {
		pieces = append(pieces, piece{"proxies.json", "every link's proxy with the toxics that are on it", c.proxies})
	}
	if server := c.processes()[proxyName]; server != nil {
		pieces = append(pieces, piece{proxyName + ".log", "what the server of all proxies printed", logOf(server)})
	}
	pieces = append(pieces, piece{"containers.json", "every container, its state and how it was made", c.inspections},
		piece{"topology.txt", "nodes, links, and settings beside Kafka's defaults with their reasons", c.describe},
		piece{"versions.txt", "releases of Kafka, Java, ZooKeeper and the container engine", func(ctx context.Context) (string, error) {
			return c.versions(ctx, symptoms)
		}})
	return pieces
}

// piecesOf lists the evidence of one node, as far as it was made.
func (c *Cluster) piecesOf(name topology.Node, symptoms state.Symptoms) []piece {
	of := name.String()
	var pieces []piece
	if node, err := c.Node(name); err == nil {
		pieces = append(pieces, piece{of + ".log", "what " + of + " printed, thread dumps included", logOf(node.process)})
		if seen, found := symptoms.Node(name); found && len(seen.Dumps) > 0 {
			pieces = append(pieces, piece{of + ".threads.txt", fmt.Sprintf("which threads of %s are stuck, and %d dumps of all, a second apart", of, len(seen.Dumps)),
				func(context.Context) (string, error) { return threadsText(seen), nil }})
		}
		if name.Role == topology.Worker && c.witness.Connect != nil {
			pieces = append(pieces, piece{of + ".rest.txt", "what " + of + " answers by REST: connectors, configurations, tasks, states",
				func(ctx context.Context) (string, error) { return c.restViews(ctx, name) }})
		}
	}
	return append(pieces, piece{of + ".properties", "its configuration", func(context.Context) (string, error) { return c.spec.File(name), nil }})
}

// threadsText prints what stands still, and then the dumps in full.
func threadsText(n state.NodeSymptoms) string {
	text := []string{n.Stuck().String()}
	for _, dump := range n.Dumps {
		text = append(text, dump.Full())
	}
	return strings.Join(text, "\n")
}

// inspections prints what the engine tells of every container.
func (c *Cluster) inspections(ctx context.Context) (string, error) {
	raw := map[string]json.RawMessage{}
	var errs []error
	for name, process := range c.processes() {
		state, err := process.State(ctx)
		if errs = append(errs, err); json.Valid([]byte(state.Raw)) {
			raw[name] = json.RawMessage(state.Raw)
		}
	}
	text, err := json.MarshalIndent(raw, "", "  ")
	return string(text) + "\n", errors.Join(append(errs, err)...)
}

// describe prints what the cluster was started from.
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
	for _, role := range topology.Roles() {
		for _, option := range c.spec.JavaOptions(role) {
			fmt.Fprintf(&text, "  %-10s %s: %s\n", role, option.Option, option.Why)
		}
	}
	return text.String(), nil
}

// versions tells what everything is of.
func (c *Cluster) versions(ctx context.Context, symptoms state.Symptoms) (string, error) {
	var lines []string
	for _, role := range []topology.Role{topology.Broker, topology.Worker} {
		if c.spec.Count(role) > 0 {
			lines = append(lines, fmt.Sprintf("Kafka of each %s: %v", role, c.spec.Version(role)))
		}
	}
	for _, node := range symptoms.Nodes {
		if len(node.Dumps) > 0 {
			lines = append(lines, fmt.Sprintf("Java of %v: %s", node.Node, node.Dumps[0].VM))
		}
	}
	var errs []error
	if c.witness.ZooKeeper != nil {
		for _, server := range c.spec.NodesOf(topology.ZooKeeper) {
			view, err := c.witness.ZooKeeper.Server(ctx, server.Address())
			lines, errs = append(lines, fmt.Sprintf("ZooKeeper of %v: %s", server, view.Version)), append(errs, err)
		}
	}
	if engine, tells := c.engine.(interface {
		Version(context.Context) (string, error)
	}); tells {
		version, err := engine.Version(ctx)
		lines, errs = append(lines, "engine: "+version), append(errs, err)
	}
	return strings.Join(slices.Compact(lines), "\n") + "\n", errors.Join(errs...)
}
