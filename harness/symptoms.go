package harness

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// symptomsBound bounds the examination of a whole cluster.
const symptomsBound = 15 * time.Second

// Symptoms examines a cluster that is not well, for a diagnosis: all of it side
// by side, with three dumps of every node, within 15 s, over the witness plane.
// It changes nothing. What could not be read is told in it; of a cluster that is
// nil or was not started there is little to tell.
func (c *Cluster) Symptoms(ctx context.Context) state.Symptoms {
	e := examination{cluster: c}
	e.found.Source = state.Source{By: "the harness", At: time.Now()}
	if c == nil || c.witness.ZooKeeper == nil {
		return e.found
	}
	ctx, cancel := context.WithTimeout(ctx, symptomsBound)
	defer cancel()
	e.run(ctx)
	e.found.Sort()
	return e.found
}

// examination gathers symptoms from many sides at once.
type examination struct {
	cluster *Cluster
	all     sync.WaitGroup
	mu      sync.Mutex
	found   state.Symptoms
}

// examine makes one reading beside the others and keeps it, or why it failed.
func examine[T any](ctx context.Context, e *examination, what string, read func(context.Context) (T, error), keep func(*state.Symptoms, T)) {
	e.all.Go(func() {
		value, err := read(ctx)
		e.mu.Lock()
		defer e.mu.Unlock()
		if err != nil {
			e.found.Unread = append(e.found.Unread, fmt.Sprintf("%s: %v", what, err))
		}
		keep(&e.found, value) // half of it, or zero, if it failed
	})
}

func (e *examination) run(ctx context.Context) {
	c := e.cluster
	for _, name := range c.spec.Nodes() {
		if node, err := c.Node(name); err == nil { // else it was never made
			examine(ctx, e, name.String(), node.symptoms,
				func(s *state.Symptoms, n state.NodeSymptoms) { s.Nodes = append(s.Nodes, n) })
		}
	}
	for _, broker := range c.spec.NodesOf(topology.Broker) {
		examine(ctx, e, "the view of "+broker.String(), func(ctx context.Context) (state.BrokerView, error) {
			return c.viewOf(ctx, broker)
		}, func(s *state.Symptoms, view state.BrokerView) {
			if view.Broker == broker.ID {
				s.Views = append(s.Views, view)
			}
		})
	}
	examine(ctx, e, "the controller", c.Controller, func(s *state.Symptoms, v state.ControllerView) { s.Controller = v })
	examine(ctx, e, "the topics", c.topics, func(s *state.Symptoms, v []state.TopicView) { s.Topics = v })
	if c.spec.Count(topology.Worker) > 0 {
		examine(ctx, e, "the group of the workers", c.ConnectGroup, func(s *state.Symptoms, v state.GroupView) { s.Group = v })
		connectors := sync.OnceValues(func() ([]string, error) { return c.connectors(ctx) })
		examine(ctx, e, "the groups of the sinks", ofEach(connectors, c.consumers),
			func(s *state.Symptoms, v []state.GroupView) {
				s.Consumers = slices.DeleteFunc(v, func(g state.GroupView) bool { return g.State == "Dead" })
			})
		examine(ctx, e, "the tasks", ofEach(connectors, c.TaskOwners), func(s *state.Symptoms, v []state.TaskOwners) { s.Connectors = v })
	}
	e.all.Wait()
}

// viewOf reads the view of a broker, the zero one if it does not run.
func (c *Cluster) viewOf(ctx context.Context, broker topology.Node) (state.BrokerView, error) {
	node, err := c.Node(broker)
	if err != nil {
		return state.BrokerView{}, err
	}
	process, err := node.Process(ctx)
	if err != nil || !process.Runs() {
		return state.BrokerView{}, err
	}
	return c.witness.Brokers.View(ctx, broker.ID)
}

// topics reads all topics as ZooKeeper has them, side by side. With an error come
// those that could be read.
func (c *Cluster) topics(ctx context.Context) ([]state.TopicView, error) {
	names, err := c.witness.ZooKeeper.Children(ctx, witness.TopicsPath)
	if err != nil {
		return nil, err
	}
	all := make([]state.TopicView, len(names))
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() (err error) {
			all[i], err = c.witness.Admin.Topic(ctx, name)
			return err
		})
	}
	err = group.Wait()
	return slices.DeleteFunc(all, func(t state.TopicView) bool { return t.Name == "" }), err
}

// connectors are those that the first worker that answers knows.
func (c *Cluster) connectors(ctx context.Context) (names []string, err error) {
	for _, worker := range c.spec.NodesOf(topology.Worker) {
		if names, err = c.witness.Connect.Connectors(ctx, worker); err == nil {
			break
		}
	}
	return names, err
}

// consumers reads the group of a connector, which is Dead where it is no sink.
func (c *Cluster) consumers(ctx context.Context, connector string) (state.GroupView, error) {
	return c.witness.Brokers.Group(ctx, state.ConnectorGroup(connector))
}

// ofEach makes a reading of each of those. With an error come those that could be
// made before it.
func ofEach[T any](names func() ([]string, error), read func(context.Context, string) (T, error)) func(context.Context) ([]T, error) {
	return func(ctx context.Context) (all []T, err error) {
		of, err := names()
		for _, name := range of {
			one, err := read(ctx, name)
			if err != nil {
				return all, err
			}
			all = append(all, one)
		}
		return all, err
	}
}

// tracesKept is how many of a node's last exceptions a diagnosis gets to see.
const tracesKept = 20

func (n *Node) symptoms(ctx context.Context) (state.NodeSymptoms, error) {
	found := state.NodeSymptoms{Node: n.name, Version: n.cluster.spec.Version(n.name.Role)}
	var err error
	if found.Process, err = n.Process(ctx); err != nil {
		return found, err
	}
	if log, err := n.Log(ctx); err == nil {
		found.LastWords = n.lastTrace(log)
		traces := state.Traces(log)
		found.Traces = slices.Clone(traces[max(0, len(traces)-tracesKept):])
	}
	var failed error
	switch n.name.Role {
	case topology.Broker:
		found.Registration, failed = n.cluster.witness.ZooKeeper.Registration(ctx, n.name.ID)
	case topology.Worker:
		found.Liveness, failed = n.Liveness(ctx)
	default:
	}
	if found.Runs() {
		if found.Dumps, err = n.dumps(ctx, stuckDumps); err != nil {
			return found, err
		}
	}
	return found, failed
}
