package diagnosis

import (
	"fmt"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// ofNode tells what is wrong with one node, in clauses: how its process is, what
// the cluster has of it, and what its threads do. Nothing of one that is well.
func ofNode(n state.NodeSymptoms) []string {
	clauses := ofProcess(n)
	if n.Runs() {
		switch n.Node.Role {
		case topology.Broker:
			clauses = ofBroker(n)
		case topology.Worker:
			clauses = ofWorker(n)
		default:
		}
		threads := ofThreads(n)
		if len(clauses) == 0 && len(threads) > 0 {
			clauses = []string{n.Node.String() + " runs"}
		}
		clauses = append(clauses, threads...)
	}
	return clauses
}

func ofProcess(n state.NodeSymptoms) []string {
	p := n.Process
	switch {
	case p.Paused:
		return []string{fmt.Sprintf("%v is frozen", n.Node)}
	case p.OutOfMem:
		return []string{fmt.Sprintf("%v was killed for want of memory", n.Node)}
	case p.Exited() && killed(p):
		return []string{fmt.Sprintf("%v was ended by signal %d", n.Node, p.ExitCode-128)}
	case p.Exited():
		return []string{fmt.Sprintf("%v exited with code %d", n.Node, p.ExitCode), lastWords(n)}
	}
	return nil
}

func lastWords(n state.NodeSymptoms) string {
	switch {
	case n.LastWords.IsZero():
		return "and its log has no exception"
	case n.LastWords.Of("erder"):
		return fmt.Sprintf("the herder's last exception: %v", n.LastWords)
	}
	return fmt.Sprintf("the last exception in its log: %v", n.LastWords)
}

func ofBroker(n state.NodeSymptoms) []string {
	if n.Registration.At.IsZero() || n.Registration.Present {
		return nil
	}
	return []string{fmt.Sprintf("%v is not registered", n.Node), "its process runs"}
}

func ofWorker(n state.NodeSymptoms) []string {
	var clauses []string
	if alive := n.Liveness; !alive.At.IsZero() && alive.Runs() {
		if !alive.Member() {
			clauses = append(clauses, fmt.Sprintf("its group (%s) does not have it", alive.Group.State))
		}
		if !alive.Answers {
			clauses = append(clauses, "its herder does not answer")
		}
	}
	if herderGone(n) {
		clauses = append(clauses, "it has no herder thread", lastWords(n))
	}
	if len(clauses) == 0 {
		return nil
	}
	return append([]string{fmt.Sprintf("%v runs", n.Node)}, clauses...)
}

// herderFrame is on the stack of the herder of every release.
const herderFrame = "org.apache.kafka.connect.runtime.distributed.DistributedHerder.run"

// herderGone says that no whole dump has a herder.
func herderGone(n state.NodeSymptoms) bool {
	whole := 0
	for _, dump := range n.Dumps {
		if !dump.Complete {
			continue
		}
		whole++
		for _, thread := range dump.Threads {
			if _, found := thread.In(herderFrame); found || thread.Torn {
				return false
			}
		}
	}
	return whole > 0
}
