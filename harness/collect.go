package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

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

func (c *Cluster) proxies(ctx context.Context) (string, error) {
	dump, err := c.mesh.Dump(ctx)
	text, encodeErr := json.MarshalIndent(dump, "", "  ")
	return string(text), errors.Join(err, encodeErr)
}

// restViews prints what a worker itself answers, in its own words. One that does
// not answer a question is asked no other: each costs a time-out.
func (c *Cluster) restViews(ctx context.Context, worker topology.Node) (string, error) {
	var text strings.Builder
	ask := func(path string) error {
		code, answer, err := c.witness.Connect.Raw(ctx, worker, path)
		if err == nil {
			fmt.Fprintf(&text, "GET %s\n%d %s\n\n", path, code, indented(answer))
		}
		return err
	}
	if err := errors.Join(ask("/"), ask("/connectors")); err != nil {
		return text.String(), err
	}
	names, err := c.witness.Connect.Connectors(ctx, worker)
	for _, name := range names {
		for _, view := range []string{"", "/status", "/tasks"} {
			if err == nil {
				err = ask("/connectors/" + name + view)
			}
		}
	}
	return text.String(), err
}

// indented is a JSON text in a form to be read; another text as it is.
func indented(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}

// treeBound is how many nodes of ZooKeeper are read: ten times what a cluster of
// this size has.
const treeBound = 5000

// tree prints what ZooKeeper holds of brokers, topics and the controller.
func (c *Cluster) tree(ctx context.Context) (string, error) {
	w := treeWalk{zookeeper: c.witness.ZooKeeper}
	var errs []error
	for _, root := range witness.Roots() {
		errs = append(errs, w.walk(ctx, root))
	}
	return w.text.String(), errors.Join(errs...)
}

// treeSource is where a tree is read.
type treeSource interface {
	Get(ctx context.Context, path string) (state.ZNode, error)
	Children(ctx context.Context, path string) ([]string, error)
}

type treeWalk struct {
	zookeeper treeSource
	text      strings.Builder
	count     int
}

// walk prints a node and all below it. Nodes may come and go meanwhile.
func (w *treeWalk) walk(ctx context.Context, at string) error {
	if w.count++; w.count > treeBound {
		return fmt.Errorf("read more than %d nodes of ZooKeeper", treeBound)
	}
	node, err := w.zookeeper.Get(ctx, at)
	if err != nil {
		return err
	}
	fmt.Fprintln(&w.text, node)
	if len(node.Data) > 0 {
		fmt.Fprintf(&w.text, "    %s\n", node.Data)
	}
	if !node.Exists || node.Owner != 0 { // what is ephemeral has no children
		return nil
	}
	names, err := w.zookeeper.Children(ctx, at)
	if err != nil && !errors.Is(err, witness.ErrNoNode) {
		return err
	}
	for _, name := range names {
		if err := w.walk(ctx, path.Join(at, name)); err != nil {
			return err
		}
	}
	return nil
}
