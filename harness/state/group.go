package state

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kafkachaos/harness/topology"
)

// GroupView is a group of consumers or of Connect workers as its coordinator
// describes it.
type GroupView struct {
	Source
	Group       string
	Coordinator int
	// State is Kafka's word: Stable, PreparingRebalance, AwaitingSync (since
	// 1.1.0 CompletingRebalance), Empty, or Dead for a group that there is not.
	State        string
	ProtocolType string // "consumer" or "connect"
	Protocol     string // for Connect: "default" is eager, "compatible" and "sessioned" are incremental
	// Generation counts the completed rebalances, by the last one that the
	// coordinator has written to __consumer_offsets; -1 if there is none, or it was
	// not read.
	Generation int
	Members    []Member // in order of their ids
}

// Member is one member of a group. From URL on it is empty while the group
// rebalances, and for what is not a Connect worker.
type Member struct {
	ID       string
	ClientID string
	Host     string // as the coordinator sees it, so maybe that of a proxy
	URL      string // of the worker

	// Connectors and Tasks are all that the worker shall run, since before or
	// newly. That it does is another matter.
	Connectors []string
	Tasks      []TaskID
	Assignment Assignment // the last that it was given
}

// Assignment is what the leader of a Connect group gave to one worker in the
// last rebalance.
type Assignment struct {
	Version      int // of the protocol: 0 is eager, 1 and 2 are incremental
	Failed       bool
	Leader       string // the member id of the leader
	LeaderURL    string
	ConfigOffset int64    // how far the leader had read the configuration topic
	Connectors   []string // all of its connectors and tasks; the new ones since version 1
	Tasks        []TaskID

	RevokedConnectors []string // since version 1
	RevokedTasks      []TaskID
	Delay             time.Duration // until lost tasks are given away again
}

// TaskID names one task of a connector.
type TaskID struct {
	Connector string
	Task      int
}

func (t TaskID) String() string { return fmt.Sprintf("%s-%d", t.Connector, t.Task) }

// ParseTaskID reads a task's name, such as orders-0: its number is last.
func ParseTaskID(text string) (TaskID, bool) {
	at := strings.LastIndexByte(text, '-')
	if at < 1 {
		return TaskID{}, false
	}
	number, err := strconv.Atoi(text[at+1:])
	return TaskID{Connector: text[:at], Task: number}, err == nil
}

// Node is the worker behind the member, by the host of its URL.
func (m Member) Node() (topology.Node, bool) {
	address, err := url.Parse(m.URL)
	if err != nil {
		return topology.Node{}, false
	}
	node, err := topology.ParseNode(address.Hostname())
	return node, err == nil
}

func (m Member) String() string {
	name := m.ID
	if node, ok := m.Node(); ok {
		name = node.String()
	}
	var work []string
	work = append(work, m.Connectors...)
	for _, task := range m.Tasks {
		work = append(work, task.String())
	}
	return fmt.Sprintf("%s [%s]", name, strings.Join(work, " "))
}

// Leader is the member that assigns the work of a Connect group, as all members
// that know a leader agree; false while they do not, or if it is gone.
func (v GroupView) Leader() (Member, bool) {
	id := ""
	for _, member := range v.Members {
		leader := member.Assignment.Leader
		if leader == "" || id != "" && leader != id {
			return Member{}, false
		}
		id = leader
	}
	at := slices.IndexFunc(v.Members, func(m Member) bool { return m.ID == id })
	if at < 0 {
		return Member{}, false
	}
	return v.Members[at], true
}

// Member finds the member behind which a worker stands.
func (v GroupView) Member(worker topology.Node) (Member, bool) {
	for _, member := range v.Members {
		if node, ok := member.Node(); ok && node == worker {
			return member, true
		}
	}
	return Member{}, false
}

// OwnersOf are the members that a task is assigned to: one, or during a
// rebalance none, or by a mistake of the group several.
func (v GroupView) OwnersOf(task TaskID) []Member {
	var owners []Member
	for _, member := range v.Members {
		if slices.Contains(member.Tasks, task) {
			owners = append(owners, member)
		}
	}
	return owners
}

// Subject names what was read.
func (v GroupView) Subject() string { return "group " + v.Group }

func (v GroupView) String() string {
	members := make([]string, len(v.Members))
	for i, member := range v.Members {
		members[i] = member.String()
	}
	leader := "none agreed on"
	if member, ok := v.Leader(); ok {
		leader, _, _ = strings.Cut(member.String(), " [")
	}
	return fmt.Sprintf("group %s is %s in generation %d at broker-%d, %d members: %s; leader %s (read %v)",
		v.Group, v.State, v.Generation, v.Coordinator, len(members), strings.Join(members, ", "), leader, v.Source)
}
