package state

import (
	"fmt"
	"slices"
	"strings"
)

// BrokerView is the cluster as one broker sees it: the metadata that it would
// give to a client. Brokers may differ, and a broker that was cut off may be
// far behind.
type BrokerView struct {
	Source
	Broker     int   // the one that was asked
	Live       []int // the brokers that it takes for alive, in order
	Controller int   // the broker that it takes for the controller; -1 if none, or before 0.10.0.0
	Topics     []Topic
}

// Topic is a topic as one broker sees it.
type Topic struct {
	Name       string
	Error      string      // Kafka's error, such as LEADER_NOT_AVAILABLE, or ""
	Partitions []Partition // in order
}

// Partition is one partition as one broker sees it.
type Partition struct {
	Topic     string
	Partition int
	Leader    int   // -1 if it has none
	Replicas  []int // the first is the preferred leader
	ISR       []int // the replicas in sync
}

func (p Partition) underReplicated() bool { return len(p.ISR) < len(p.Replicas) }

func (p Partition) String() string {
	return fmt.Sprintf("%s-%d led by %d, in sync %v of %v", p.Topic, p.Partition, p.Leader, p.ISR, p.Replicas)
}

// Topic finds a topic by name.
func (v BrokerView) Topic(name string) (Topic, bool) {
	at := slices.IndexFunc(v.Topics, func(t Topic) bool { return t.Name == name })
	if at < 0 {
		return Topic{}, false
	}
	return v.Topics[at], true
}

// Partition finds one partition of a topic.
func (v BrokerView) Partition(topic string, number int) (Partition, bool) {
	found, _ := v.Topic(topic)
	for _, p := range found.Partitions {
		if p.Partition == number {
			return p, true
		}
	}
	return Partition{}, false
}

// UnderReplicated are the partitions with a replica that is not in sync.
func (v BrokerView) UnderReplicated() []Partition {
	return v.where(Partition.underReplicated)
}

// Leaderless are the partitions without a leader, or with one that the broker
// does not take for alive.
func (v BrokerView) Leaderless() []Partition {
	return v.where(v.lacksLeader)
}

func (v BrokerView) lacksLeader(p Partition) bool { return !slices.Contains(v.Live, p.Leader) }

// Count is how many partitions the broker knows.
func (v BrokerView) Count() int { return len(v.where(func(Partition) bool { return true })) }

func (v BrokerView) where(holds func(Partition) bool) []Partition {
	var all []Partition
	for _, topic := range v.Topics {
		for _, p := range topic.Partitions {
			if holds(p) {
				all = append(all, p)
			}
		}
	}
	return all
}

func (v BrokerView) String() string {
	return fmt.Sprintf("broker-%d sees brokers %v, controller %d, %d partitions, %s, %s (read %v)",
		v.Broker, v.Live, v.Controller, v.Count(),
		some(v.UnderReplicated(), "under-replicated"), some(v.Leaderless(), "without leader"), v.Source)
}

// some counts partitions and shows the first few.
func some(partitions []Partition, what string) string {
	const shown = 3
	if len(partitions) == 0 {
		return "none " + what
	}
	var names []string
	for _, p := range partitions[:min(shown, len(partitions))] {
		names = append(names, p.String())
	}
	if len(partitions) > shown {
		names = append(names, "…")
	}
	return fmt.Sprintf("%d %s (%s)", len(partitions), what, strings.Join(names, "; "))
}
