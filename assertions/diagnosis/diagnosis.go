package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"kafkachaos/harness/state"
)

// Of tells what is wrong with a cluster, one sentence each: first what was seen
// of its nodes, then of the whole, and then the known bugs that look like it.
// That no sentence comes means that nothing was found, not that nothing is wrong.
func Of(symptoms state.Symptoms) []string {
	var sentences []string
	for _, node := range symptoms.Nodes {
		if clauses := ofNode(node); len(clauses) > 0 {
			sentences = append(sentences, strings.Join(clauses, ", "))
		}
	}
	sentences = append(sentences, ofCluster(symptoms)...)
	for _, bug := range known.Bugs {
		if nodes := bug.matches(symptoms); len(nodes) > 0 {
			link := looksLike
			if len(nodes) > 1 {
				link = lookLike
			}
			sentences = append(sentences, names(nodes)+link+bug.String())
		}
	}
	for _, unread := range symptoms.Unread {
		sentences = append(sentences, "could not read "+unread)
	}
	return sentences
}

// What is between a node or several and a bug, in the sentence that names it.
const looksLike, lookLike = " looks like ", " look like "

// NamesBug says whether a sentence of Of is one that names a known bug.
func NamesBug(sentence string) bool {
	return strings.Contains(sentence, looksLike) || strings.Contains(sentence, lookLike)
}

// Bugs are the known bugs that the symptoms look like.
func Bugs(symptoms state.Symptoms) []Bug {
	var all []Bug
	for _, bug := range known.Bugs {
		if len(bug.matches(symptoms)) > 0 {
			all = append(all, bug)
		}
	}
	return all
}

func names[T fmt.Stringer](of []T) string {
	texts := make([]string, len(of))
	for i, one := range of {
		texts[i] = one.String()
	}
	return strings.Join(texts, " and ")
}

// ofCluster tells what no single node has.
func ofCluster(s state.Symptoms) []string {
	var told []string
	if !s.Controller.At.IsZero() && !s.Controller.Present {
		told = append(told, "no broker is the controller")
	}
	if unserved := s.Unserved(); len(unserved) > 0 && s.Controller.Present {
		told = append(told, fmt.Sprintf("topic %s%s has no leader or is known to no broker, though broker-%d is the controller",
			unserved[0].Name, others(len(unserved)), s.Controller.Broker))
	}
	for _, node := range s.Nodes {
		if of := forgotten(node, s); of > 0 {
			told = append(told, fmt.Sprintf("%v is registered, and knows none of the %d partitions that it should by what others know", node.Node, of))
		}
	}
	for _, group := range s.Consumers {
		if group.State != "Stable" && group.State != "Empty" {
			told = append(told, fmt.Sprintf("group %s is %s, after generation %d, with %d members", group.Group, group.State, group.Generation, len(group.Members)))
		}
	}
	for _, connector := range s.Connectors {
		for _, one := range ofTasks(connector) {
			if !slices.Contains(told, one) { // of a worker, whatever the connector
				told = append(told, one)
			}
		}
	}
	return told
}

func others(count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", count-1)
}

// ofTasks tells of tasks that nobody runs, or several do, and of what REST says
// of them.
func ofTasks(o state.TaskOwners) []string {
	var told []string
	for _, unnamed := range o.Unnamed {
		told = append(told, unnamed.String())
	}
	if len(o.Unnamed) > 0 {
		return told // whose threads those are is not known
	}
	for _, task := range o.Tasks {
		switch {
		case len(task.RunBy) == 0 && task.Status.State != "":
			told = append(told, fmt.Sprintf("task %v has no thread anywhere, and by REST it is %s on %s", task.ID, task.Status.State, task.Status.Worker))
		case len(task.RunBy) == 0:
			told = append(told, fmt.Sprintf("task %v has no thread anywhere", task.ID))
		case len(task.RunBy) > 1:
			told = append(told, fmt.Sprintf("task %v has %d threads, on %s", task.ID, len(task.RunBy), names(task.RunBy)))
		}
	}
	return told
}
