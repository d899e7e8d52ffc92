package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// TopicView is a topic as ZooKeeper holds it: what the controller last decided
// on it.
type TopicView struct {
	Source
	Name       string
	Present    bool // there is such a topic; else the rest is zero
	Partitions []Partition
	Config     map[string]string // what was set on the topic itself
}

// Unled says that some partition of the topic has no leader.
func (t TopicView) Unled() bool {
	return slices.ContainsFunc(t.Partitions, func(p Partition) bool { return p.Leader == noLeader })
}

// UnderReplicated are the partitions with a replica that is not in sync.
func (t TopicView) UnderReplicated() []Partition {
	return slices.DeleteFunc(slices.Clone(t.Partitions), func(p Partition) bool { return !p.underReplicated() })
}

func (t TopicView) String() string {
	if !t.Present {
		return fmt.Sprintf("there is no topic %s (read %v)", t.Name, t.Source)
	}
	return fmt.Sprintf("topic %s has partitions %v, configuration %v (read %v)", t.Name, t.Partitions, t.Config, t.Source)
}

// NewTopicView reads a topic out of /brokers/topics/NAME. Its partitions have
// neither leader nor replicas in sync until AddPartitionState tells.
func NewTopicView(name string, node ZNode) (TopicView, error) {
	view := TopicView{Source: node.Source, Name: name, Present: node.Exists}
	if !node.Exists {
		return view, nil
	}
	var data struct {
		Partitions map[string][]int `json:"partitions"`
	}
	if err := json.Unmarshal(node.Data, &data); err != nil {
		return TopicView{}, fmt.Errorf("parse %s %q: %w", node.Path, node.Data, err)
	}
	if len(data.Partitions) == 0 {
		return TopicView{}, fmt.Errorf("parse %s %q: no partitions", node.Path, node.Data)
	}
	for text, replicas := range data.Partitions {
		number, err := strconv.Atoi(text)
		if err != nil {
			return TopicView{}, fmt.Errorf("parse %s %q: %w", node.Path, node.Data, err)
		}
		view.Partitions = append(view.Partitions, Partition{Topic: name, Partition: number, Leader: noLeader, Replicas: replicas})
	}
	slices.SortFunc(view.Partitions, func(a, b Partition) int { return a.Partition - b.Partition })
	return view, nil
}

const noLeader = -1

// AddPartitionState reads leader and replicas in sync out of
// /brokers/topics/NAME/partitions/N/state, which is absent until the controller
// has elected the first leader.
func (p *Partition) AddPartitionState(node ZNode) error {
	if !node.Exists {
		return nil
	}
	var data struct {
		Leader *int  `json:"leader"`
		ISR    []int `json:"isr"`
	}
	err := json.Unmarshal(node.Data, &data)
	if err == nil && data.Leader == nil {
		err = fmt.Errorf("no leader named")
	}
	if err != nil {
		return fmt.Errorf("parse %s %q: %w", node.Path, node.Data, err)
	}
	p.Leader, p.ISR = *data.Leader, data.ISR
	return nil
}

// ParseConfig reads the configuration of a topic out of /config/topics/NAME.
func ParseConfig(node ZNode) (map[string]string, error) {
	var data struct {
		Config map[string]string `json:"config"`
	}
	if node.Exists {
		if err := json.Unmarshal(node.Data, &data); err != nil {
			return nil, fmt.Errorf("parse %s %q: %w", node.Path, node.Data, err)
		}
	}
	if data.Config == nil {
		data.Config = map[string]string{}
	}
	return data.Config, nil
}

// Spread places the replicas of so many partitions on brokers in turn, the
// leaders too: partition n is led by the n-th broker, its followers are the
// next ones. The factor may not exceed the number of brokers.
func Spread(brokers []int, partitions, factor int) ([][]int, error) {
	if factor < 1 || factor > len(brokers) || partitions < 1 {
		return nil, fmt.Errorf("place %d partitions %d times on %d brokers: not possible", partitions, factor, len(brokers))
	}
	placed := make([][]int, partitions)
	for p := range placed {
		for r := range factor {
			placed[p] = append(placed[p], brokers[(p+r)%len(brokers)])
		}
	}
	return placed, nil
}
