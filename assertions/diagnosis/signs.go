package diagnosis

import (
	"slices"
	"strings"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// signs are the general symptoms that bugs are told by: of one node, in a
// cluster.
var signs = map[string]func(Sign, state.NodeSymptoms, state.Symptoms) bool{
	"exited":                  exited,
	"said":                    hasSaid,
	"stuck":                   isStuck,
	"stays":                   stays,
	"unregistered":            unregistered,
	"forgotten":               func(_ Sign, n state.NodeSymptoms, s state.Symptoms) bool { return forgotten(n, s) > 0 },
	"idle task":               func(_ Sign, n state.NodeSymptoms, s state.Symptoms) bool { return runsNothingOf(n, s) },
	"task of two":             sharesATask,
	"controller does nothing": func(_ Sign, n state.NodeSymptoms, s state.Symptoms) bool { return idleController(n, s) },
}

// matches finds the nodes that have all signs of the bug and may have it by their
// release.
func (b Bug) matches(s state.Symptoms) []topology.Node {
	var nodes []topology.Node
	for _, node := range s.Nodes {
		if node.Node.Role == b.Role && b.Affects(node.Version) && b.shows(node, s) {
			nodes = append(nodes, node.Node)
		}
	}
	return nodes
}

func (b Bug) shows(node state.NodeSymptoms, s state.Symptoms) bool {
	for _, sign := range b.Signs {
		if !signs[sign.Sign](sign, node, s) {
			return false
		}
	}
	return len(b.Signs) > 0
}

// exited: by itself, with that exception as its last words.
func exited(sign Sign, n state.NodeSymptoms, _ state.Symptoms) bool {
	return n.Process.Exited() && !killed(n.Process) && has(sign, n.LastWords)
}

// hasSaid: among its last exceptions is that one.
func hasSaid(sign Sign, n state.NodeSymptoms, _ state.Symptoms) bool {
	for _, trace := range n.Traces {
		if has(sign, trace) {
			return true
		}
	}
	return false
}

func has(sign Sign, trace state.Trace) bool {
	told := trace.Exception + "\n" + trace.Cause
	return !trace.IsZero() && strings.Contains(told, sign.Exception) && trace.In(sign.Frame)
}

// isStuck: a thread of that name stands in that frame, dump after dump.
func isStuck(sign Sign, n state.NodeSymptoms, _ state.Symptoms) bool {
	for _, thread := range n.Stuck().Threads {
		if _, in := thread.Thread.In(sign.Frame); in && strings.HasPrefix(thread.Name, sign.Thread) {
			return true
		}
	}
	return false
}

// stays: a thread of that name is in that frame in all dumps, whatever it does there,
// of which a wait with a time-out is not stuck.
func stays(sign Sign, n state.NodeSymptoms, _ state.Symptoms) bool {
	seen := map[string]int{}
	for _, dump := range n.Dumps {
		for _, thread := range dump.Threads {
			if _, in := thread.In(sign.Frame); in && strings.HasPrefix(thread.Name, sign.Thread) {
				if seen[thread.Name]++; seen[thread.Name] == len(n.Dumps) {
					return len(n.Dumps) > 1
				}
			}
		}
	}
	return false
}

// unregistered: ZooKeeper was read and does not have it, though it runs.
func unregistered(_ Sign, n state.NodeSymptoms, _ state.Symptoms) bool {
	return n.Runs() && !n.Registration.At.IsZero() && !n.Registration.Present
}

// forgotten: it is registered and runs, and gave a view, in which is nothing of what
// others know of it: so many partitions, 0 if it is not forgotten.
func forgotten(n state.NodeSymptoms, s state.Symptoms) int {
	own := slices.IndexFunc(s.Views, func(v state.BrokerView) bool { return v.Broker == n.Node.ID })
	if !n.Runs() || !n.Registration.Present || own < 0 {
		return 0
	}
	others := knownOf(n.Node, s)
	for p := range others {
		if _, known := s.Views[own].Partition(p.topic, p.number); known {
			return 0
		}
	}
	return len(others)
}

type partition struct {
	topic  string
	number int
}

// knownOf are the partitions that other brokers say the broker leads, or, if there
// are none, all that they know. A broker that is forgotten may hear of others, when
// it is taken out of those in sync.
func knownOf(broker topology.Node, s state.Symptoms) map[partition]bool {
	all, led := map[partition]bool{}, map[partition]bool{}
	for _, view := range s.Views {
		if view.Broker == broker.ID {
			continue
		}
		for _, topic := range view.Topics {
			for _, p := range topic.Partitions {
				all[partition{topic.Name, p.Partition}] = true
				if p.Leader == broker.ID {
					led[partition{topic.Name, p.Partition}] = true
				}
			}
		}
	}
	if len(led) > 0 {
		return led
	}
	return all
}

// runsNothingOf: the worker lives while some task has no thread on any, and the
// group has given it to nobody.
func runsNothingOf(n state.NodeSymptoms, s state.Symptoms) bool {
	if !n.Runs() {
		return false
	}
	for _, connector := range s.Connectors {
		for _, task := range connector.Tasks {
			if len(connector.Unnamed) == 0 && len(task.RunBy) == 0 && len(task.Assigned) == 0 {
				return true
			}
		}
	}
	return false
}

// sharesATask: the group has given a task to it, and to another one as well.
func sharesATask(_ Sign, n state.NodeSymptoms, s state.Symptoms) bool {
	for _, connector := range s.Connectors {
		for _, task := range connector.Tasks {
			if len(task.Assigned) > 1 && slices.Contains(task.Assigned, n.Node) {
				return true
			}
		}
	}
	return false
}

// idleController: it is the controller and registered, and there are topics that
// it has not done its work for: it has chosen no leader, or told nobody, though no
// broker is busy with an order.
func idleController(n state.NodeSymptoms, s state.Symptoms) bool {
	if !n.Runs() || !n.Registration.Present || !s.Controller.Present || s.Controller.Broker != n.Node.ID {
		return false
	}
	unserved := s.Unserved()
	return slices.ContainsFunc(unserved, state.TopicView.Unled) ||
		len(unserved) > 0 && !slices.ContainsFunc(s.Nodes, takesNoOrders)
}

// takesNoOrders: a handler of the broker does not come to an end with an order of the
// controller.
func takesNoOrders(n state.NodeSymptoms) bool {
	return isStuck(Sign{Thread: "kafka-request-handler", Frame: "kafka.server.ReplicaManager.becomeLeaderOrFollower"}, n, state.Symptoms{})
}

// killed: by a signal from outside, which an exit code above 128 tells.
func killed(p state.ProcessView) bool { return p.ExitCode > 128 }
