package faults

import (
	"fmt"
	"slices"

	"kafkachaos/harness/topology"
)

// Claim is one thing that a fault holds on to while it lasts, so that no other
// fault undoes it: a property of a link, of a node, or of something with a name.
type Claim struct {
	Link  topology.Link // zero for what is not a link's
	Node  topology.Node // zero for what is not a node's
	Thing string        // such as "process"
	// Mode lets claims agree: two claims of one thing conflict unless both have
	// the same mode, and it is not empty.
	Mode string
}

// The things that the faults of this package claim of links and nodes, and the
// modes in which they can agree.
const (
	ThingOpen    = "open"    // of a link: whether it lets connections through
	ThingSockets = "sockets" // of a link: whether its connections are Kept or Closed
	ThingTraffic = "traffic" // of a link: how it flows, Shared by all
	ThingProcess = "process" // of a node
	ThingCores   = "cores"   // of a node

	ThingSession    = "session"    // of a broker with ZooKeeper
	ThingMembership = "membership" // of a worker in a group

	Kept   = "kept"
	Closed = "closed"
	Shared = "shared"
)

func (c Claim) String() string {
	switch {
	case c.Link != topology.Link{}:
		return fmt.Sprintf("%s of %v", c.Thing, c.Link)
	case c.Node != topology.Node{}:
		return fmt.Sprintf("%s of %v", c.Thing, c.Node)
	}
	return c.Thing
}

// conflicts says whether two faults with these claims would undo each other.
func (c Claim) conflicts(other Claim) bool {
	same := c.Link == other.Link && c.Node == other.Node && c.Thing == other.Thing
	return same && (c.Mode == "" || c.Mode != other.Mode)
}

// conflict finds the first pair of claims that conflict.
func conflict(ours, theirs []Claim) (Claim, bool) {
	for _, our := range ours {
		for _, their := range theirs {
			if our.conflicts(their) {
				return our, true
			}
		}
	}
	return Claim{}, false
}

// disables says whether the claim keeps a broker from its peers or from
// ZooKeeper. Slow links do not, nor do links of workers and clients.
func (c Claim) disables() bool {
	server := func(n topology.Node) bool { return n.Role == topology.Broker || n.Role == topology.ZooKeeper }
	switch c.Thing {
	case ThingProcess, ThingSession:
		return true
	case ThingOpen, ThingSockets:
		return server(c.Link.From) && server(c.Link.To)
	}
	return false
}

// down is the least number of brokers that explain the claims: the brokers
// which, had they been down, would account for every process stopped and every
// link disturbed. A link between two brokers counts for one of them.
func down(claims []Claim) int {
	bits := map[topology.Node]uint{}
	bit := func(node topology.Node) uint {
		if node.Role != topology.Broker {
			return 0
		}
		if bits[node] == 0 {
			bits[node] = 1 << len(bits)
		}
		return bits[node]
	}
	var needs []uint // each needs one of its bits
	for _, claim := range claims {
		need := bit(claim.Node) | bit(claim.Link.From) | bit(claim.Link.To)
		if need != 0 && claim.disables() && !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	return leastCover(needs, 0)
}

// leastCover is the size of the smallest set that meets every need.
func leastCover(needs []uint, chosen uint) int {
	for _, need := range needs {
		if need&chosen != 0 {
			continue
		}
		least := len(needs)
		for one := need & -need; need != 0; one = need & -need {
			least = min(least, 1+leastCover(needs, chosen|one))
			need &^= one
		}
		return least
	}
	return 0
}
