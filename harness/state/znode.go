package state

import (
	"fmt"
	"time"
)

// ZNode is one node of ZooKeeper's tree, or its absence.
type ZNode struct {
	Source
	Path   string
	Exists bool // the fields below are zero when it is absent

	Owner   SessionID // the session of an ephemeral node; 0 for a persistent one
	Czxid   int64     // the transaction that created it
	Mzxid   int64     // the transaction that last changed its data
	Version int32     // counts the changes of its data
	Created time.Time // by the clock of ZooKeeper
	Data    []byte    // nil where only the existence was asked for
}

func (n ZNode) String() string {
	if !n.Exists {
		return fmt.Sprintf("%s is absent (read %v)", n.Path, n.Source)
	}
	owner := "persistent"
	if n.Owner != 0 {
		owner = "owned by session " + n.Owner.String()
	}
	return fmt.Sprintf("%s exists, %s, czxid 0x%x, version %d (read %v)", n.Path, owner, uint64(n.Czxid), n.Version, n.Source)
}

// ZNodeEvent is what a watch of one node tells.
type ZNodeEvent string

// The events of a watch. Its first one is always ZNodeFound, the node as it was when
// the watch was set.
const (
	ZNodeFound   ZNodeEvent = "found"
	ZNodeCreated ZNodeEvent = "created"
	ZNodeDeleted ZNodeEvent = "deleted"
	ZNodeChanged ZNodeEvent = "changed" // the data, that is
)

// ZNodeChange is one event of a watch and the node after it, as far as the
// event tells: right after a creation or change the transaction ids and the
// owner are still unknown (0).
type ZNodeChange struct {
	Event ZNodeEvent
	Node  ZNode
}

func (c ZNodeChange) String() string {
	if c.Event == ZNodeFound {
		return "found that " + c.Node.String()
	}
	return fmt.Sprintf("%s %s (seen %v)", c.Node.Path, c.Event, c.Node.Source)
}
