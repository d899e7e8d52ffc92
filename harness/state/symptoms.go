package state

import (
	"cmp"
	"slices"
	"time"

	"kafkachaos/harness/topology"
)

// DumpsApart is how far apart the dumps are that show whether a thread is stuck:
// longer than anything that a healthy thread waits for without a time-out.
const DumpsApart = time.Second

// Symptoms is what was found out about a cluster that is not well, for a
// diagnosis: the readings of each node and the dumps of its threads. Nothing in
// it is judged.
type Symptoms struct {
	Source
	Nodes      []NodeSymptoms // in order
	Controller ControllerView
	Views      []BrokerView // of the brokers that gave one
	Topics     []TopicView  // as ZooKeeper has them
	Group      GroupView    // of the workers
	Connectors []TaskOwners
	Consumers  []GroupView // of the connectors that are sinks
	Unread     []string    // what could not be read, and why
}

// NodeSymptoms is what was found out about one node.
type NodeSymptoms struct {
	Node         topology.Node
	Version      topology.Version
	Process      ProcessView
	Dumps        []ThreadDump // a second apart, oldest first
	Registration Registration // of a broker; its source is zero if it could not be read
	Liveness     Liveness     // of a worker; the same
	Traces       []Trace      // the last exceptions in its log: labels
	LastWords    Trace        // the last of them, of the herder if it has told of one
}

// Node finds the symptoms of one node.
func (s Symptoms) Node(name topology.Node) (NodeSymptoms, bool) {
	at := slices.IndexFunc(s.Nodes, func(n NodeSymptoms) bool { return n.Node == name })
	if at < 0 {
		return NodeSymptoms{}, false
	}
	return s.Nodes[at], true
}

// Unserved are the topics that the controller has not done its work for: a
// partition has no leader in ZooKeeper, or none of the brokers that gave a view
// has heard of the topic.
func (s Symptoms) Unserved() []TopicView {
	var unserved []TopicView
	for _, topic := range s.Topics {
		knows := func(v BrokerView) bool { _, known := v.Topic(topic.Name); return known }
		if topic.Present && (topic.Unled() || len(s.Views) > 0 && !slices.ContainsFunc(s.Views, knows)) {
			unserved = append(unserved, topic)
		}
	}
	return unserved
}

// Sort puts the nodes into the order that they are named in: by role, then by
// number.
func (s *Symptoms) Sort() {
	slices.SortFunc(s.Nodes, func(a, b NodeSymptoms) int {
		return cmp.Or(cmp.Compare(a.Node.Role, b.Node.Role), a.Node.ID-b.Node.ID)
	})
	slices.SortFunc(s.Views, func(a, b BrokerView) int { return a.Broker - b.Broker })
	slices.Sort(s.Unread)
}

// Runs says that the process is there and not frozen.
func (n NodeSymptoms) Runs() bool { return n.Process.Runs() }

// Stuck judges the dumps of the node.
func (n NodeSymptoms) Stuck() Stuck { return NewStuck(n.Node, n.Dumps...) }
