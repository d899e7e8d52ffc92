package faults

import "fmt"

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

// String writes the kind and, in parentheses, what is watched:
// znode-gone(/admin/reassign_partitions), task-moves(sink/0).
func (c Condition) String() string {
	switch c.Kind {
	case InSyncShrinks, LeaderMoves, TaskMoves:
		return fmt.Sprintf("%s(%s/%d)", c.Kind, c.Name, c.N)
	case ControllerMoves:
		return string(c.Kind)
	}
	return fmt.Sprintf("%s(%s)", c.Kind, c.Name)
}
