package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kafkachaos/harness/topology"
)

// ConditionKind says what a Condition looks at.
type ConditionKind string

// The conditions that a witness can watch.
const (
	ZNodeAppears    ConditionKind = "znode-appears"    // a path of ZooKeeper is created
	ZNodeGone       ConditionKind = "znode-gone"       // a path of ZooKeeper that was there is deleted
	NewSession      ConditionKind = "new-session"      // ZooKeeper opened another session for a broker
	InSyncShrinks   ConditionKind = "in-sync-shrinks"  // the in-sync set of a partition got smaller
	LeaderMoves     ConditionKind = "leader-moves"     // of a partition
	GenerationMoves ConditionKind = "generation-moves" // of a group
	TaskMoves       ConditionKind = "task-moves"       // another worker runs the task
	ControllerMoves ConditionKind = "controller-moves" // another broker is the controller
)

// Condition is a change on the witness plane that fires a fault. It is
// comparable plain data; which fields count depends on the kind.
type Condition struct {
	Kind ConditionKind
	Name string // path, topic, group, connector, or the broker's name
	N    int    // partition or task
}

// Appears is the creation of a path of ZooKeeper.
func Appears(path string) Condition { return Condition{Kind: ZNodeAppears, Name: path} }

// Gone is the deletion of a path of ZooKeeper that was there.
func Gone(path string) Condition { return Condition{Kind: ZNodeGone, Name: path} }

// SessionOpened is another ZooKeeper session of the broker.
func SessionOpened(broker topology.Node) Condition {
	return Condition{Kind: NewSession, Name: broker.String()}
}

// InSyncShrunk is an in-sync set of the partition that got smaller.
func InSyncShrunk(topic string, partition int) Condition {
	return Condition{InSyncShrinks, topic, partition}
}

// LeaderMoved is another leader of the partition.
func LeaderMoved(topic string, partition int) Condition {
	return Condition{LeaderMoves, topic, partition}
}

// Rebalanced is another generation of the group.
func Rebalanced(group string) Condition { return Condition{Kind: GenerationMoves, Name: group} }

// TaskMoved is another worker that runs the task.
func TaskMoved(connector string, task int) Condition { return Condition{TaskMoves, connector, task} }

// ControllerMoved is another broker that is the controller.
func ControllerMoved() Condition { return Condition{Kind: ControllerMoves} }

var (
	numberedConditions = []ConditionKind{InSyncShrinks, LeaderMoves, TaskMoves}
	namedConditions    = []ConditionKind{ZNodeAppears, ZNodeGone, NewSession, GenerationMoves}
)

// String writes the kind and, in parentheses, what is watched:
// znode-gone(/admin/reassign_partitions), task-moves(sink/0).
func (c Condition) String() string {
	switch {
	case slices.Contains(numberedConditions, c.Kind):
		return fmt.Sprintf("%s(%s/%d)", c.Kind, c.Name, c.N)
	case c.Kind == ControllerMoves:
		return string(c.Kind)
	}
	return fmt.Sprintf("%s(%s)", c.Kind, c.Name)
}

// ParseCondition reads what Condition.String writes.
func ParseCondition(text string) (Condition, error) {
	kind, of, err := cutOf(text)
	if err != nil {
		return Condition{}, fmt.Errorf("parse condition %q: %w", text, err)
	}
	c := Condition{Kind: ConditionKind(kind), Name: of}
	if slices.Contains(numberedConditions, c.Kind) {
		if c.Name, c.N, err = cutNumber(of); err != nil {
			return Condition{}, fmt.Errorf("parse condition %q: %w", text, err)
		}
	}
	if err := c.check(); err != nil {
		return Condition{}, fmt.Errorf("parse condition %q: %w", text, err)
	}
	return c, nil
}

// movesRoles says whether somebody else plays a part once it came true.
func (c Condition) movesRoles() bool {
	switch c.Kind {
	case ControllerMoves, LeaderMoves, GenerationMoves, TaskMoves, InSyncShrinks:
		return true
	}
	return false
}

func (c Condition) check() error {
	switch {
	case c.Kind == ControllerMoves && c.Name == "":
		return nil
	case slices.Contains(numberedConditions, c.Kind) || slices.Contains(namedConditions, c.Kind):
		if c.Name == "" {
			return fmt.Errorf("%s: want what to watch", c.Kind)
		}
	default:
		return fmt.Errorf("unknown condition %s(%s)", c.Kind, c.Name)
	}
	if isPath := c.Kind == ZNodeAppears || c.Kind == ZNodeGone; isPath && !strings.HasPrefix(c.Name, "/") {
		return errors.New("want a path that begins with /")
	}
	if c.Kind == NewSession {
		node, err := topology.ParseNode(c.Name)
		if err == nil && node.Role != topology.Broker {
			err = fmt.Errorf("%v is no broker", node)
		}
		return err
	}
	return nil
}
