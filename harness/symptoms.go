package harness

import (
	"context"
	"fmt"
	"sync"
	"time"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// symptomsBound bounds the examination of a whole cluster.
const symptomsBound = 15 * time.Second

// Symptoms examines a cluster that is not well, for a diagnosis: every node side
// by side, three dumps each, within 15 s, over the witness plane. What could not
// be read is told in it. Nil clusters and half-made ones have few symptoms.
func (c *Cluster) Symptoms(ctx context.Context) state.Symptoms {
	symptoms := state.Symptoms{Source: state.Source{By: "the harness", At: time.Now()}}
	if c == nil || c.witness.ZooKeeper == nil {
		return symptoms
	}
	ctx, cancel := context.WithTimeout(ctx, symptomsBound)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	examine := func(what string, read func() error) {
		all.Go(func() {
			if err := read(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				symptoms.Unread = append(symptoms.Unread, fmt.Sprintf("%s: %v", what, err))
			}
		})
	}
	for _, name := range c.spec.Nodes() {
		node, err := c.Node(name)
		if err != nil {
			continue // never made
		}
		examine("examine "+name.String(), func() error {
			found, err := node.symptoms(ctx)
			mu.Lock()
			defer mu.Unlock()
			symptoms.Nodes = append(symptoms.Nodes, found)
			return err
		})
	}
	examine("find the controller", func() (err error) { symptoms.Controller, err = c.Controller(ctx); return err })
	if c.spec.Count(topology.Worker) > 0 {
		examine("read the group", func() (err error) { symptoms.Group, err = c.ConnectGroup(ctx); return err })
	}
	all.Wait()
	symptoms.Sort()
	return symptoms
}

func (n *Node) symptoms(ctx context.Context) (state.NodeSymptoms, error) {
	found := state.NodeSymptoms{Node: n.name, Version: n.cluster.spec.Version(n.name.Role)}
	var err error
	if found.Process, err = n.Process(ctx); err != nil {
		return found, err
	}
	found.LastWords = n.lastWords(ctx)
	var readErr error
	switch n.name.Role {
	case topology.Broker:
		found.Registration, readErr = n.cluster.witness.ZooKeeper.Registration(ctx, n.name.ID)
	case topology.Worker:
		found.Liveness, readErr = n.Liveness(ctx)
	default:
	}
	if found.Process.Running && !found.Process.Paused {
		if found.Dumps, err = n.dumps(ctx, stuckDumps); err != nil {
			return found, err
		}
	}
	return found, readErr
}
