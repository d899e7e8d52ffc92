package faults

import (
	"context"
	"fmt"
	"time"

	"kafkachaos/harness/topology"
)

// Tools is everything that faults act through, filled by the owner of a
// cluster. A tool left nil is one that this cluster does not offer: a fault that
// needs it is refused with ErrUnsupported before anything is injected.
//
// Every method of every tool returns within the bound of its context, works on
// the witness plane unless it says otherwise, and may be called from several
// goroutines at once.
type Tools struct {
	Layout     Layout
	Links      Links
	Nodes      Nodes
	Sessions   Sessions
	Groups     Groups
	Connect    Connect
	Topics     Topics
	Partitions Partitions
	Roles      Roles
	Watch      Watch

	// Vocabulary reads the faults of plans; nil is the Standard one.
	Vocabulary Vocabulary

	// Recorder is told of every step of every injection; it may be nil.
	Recorder Recorder

	// Workers is the group.id of the Connect workers, for faults whose proof is
	// that this group rebalanced.
	Workers string
}

// Stream is the half of a link that a toxic sits on.
type Stream string

// The two halves of a link, in Toxiproxy's words.
const (
	Upstream   Stream = "upstream"   // what the dialling node sends
	Downstream Stream = "downstream" // what it is answered
)

// Toxic is one change to the traffic of a link, in Toxiproxy's terms. Its name
// is unique on its link.
type Toxic struct {
	Name       string
	Type       string
	Stream     Stream
	Attributes map[string]any
}

// Links acts on the directed links of a cluster and asks them how they are.
// Every method returns within the bound of its context.
type Links interface {
	// AddToxic puts the toxic on the link: connections already open and those to
	// come are affected before it returns.
	AddToxic(ctx context.Context, link topology.Link, toxic Toxic) error
	// RemoveToxic takes the toxic of that name off the link. That it is not there
	// is no error: a heal may be repeated.
	RemoveToxic(ctx context.Context, link topology.Link, name string) error
	// SetEnabled opens or cuts the link. Cutting closes the connections that are
	// open and refuses new ones.
	SetEnabled(ctx context.Context, link topology.Link, enabled bool) error
	// Probe opens a connection of its own through the link, asks the far node a
	// question that it answers without side effects, and waits for the answer for
	// at most patience.
	Probe(ctx context.Context, link topology.Link, patience time.Duration) (Echo, error)
}

// Echo is what one probe of a link came to. An error of Probe means that it
// could not be tried; whatever the link did to it is told here.
type Echo struct {
	Connected bool          // the TCP handshake was accepted
	Answered  bool          // the far node's answer arrived
	Bytes     int           // how many bytes of it
	Closed    bool          // the connection was closed or reset before patience was over
	Took      time.Duration // from the dial to the answer, the close, or the end of patience
}

// LinkBatch is what a Links may offer besides: the same changes on many links
// in one go. Faults use it where it is offered. The error joins those of the
// single changes; the other changes are made all the same.
type LinkBatch interface {
	AddToxics(ctx context.Context, links []topology.Link, toxic Toxic) error
	RemoveToxics(ctx context.Context, links []topology.Link, name string) error
	SetAllEnabled(ctx context.Context, links []topology.Link, enabled bool) error
}

// LinkUpdater is what a Links may offer besides: other attributes for a toxic
// that stays on its link. A delay with jitter needs it.
type LinkUpdater interface {
	UpdateToxic(ctx context.Context, link topology.Link, toxic Toxic) error
}

// LinkReader is what a Links may offer besides: it reads what the proxy has on
// a link. Audit needs it to say that no toxic is left, and faults whose effect a
// probe cannot see are proved by it.
type LinkReader interface {
	ReadLink(ctx context.Context, link topology.Link) (LinkState, error)
}

// LinkState is what the proxy says of one link.
type LinkState struct {
	Enabled bool
	Toxics  []string // names
}

// Signal is what can be done to a process from outside.
type Signal string

// The signals. A paused process keeps its memory and its sockets and does
// nothing.
const (
	SignalKill      Signal = "kill"      // SIGKILL
	SignalTerminate Signal = "terminate" // SIGTERM: it shuts down by itself
	SignalPause     Signal = "pause"
	SignalResume    Signal = "resume"
)

// Nodes acts on the processes of a cluster.
type Nodes interface {
	// Signal returns as soon as the signal was delivered; what came of it is read
	// by Process. Killing and terminating a paused process resumes it first.
	Signal(ctx context.Context, node topology.Node, signal Signal) error
	// Start starts the process of a node that has ended, on the same names and
	// links, and returns when it runs; that it is ready is read by Process.
	Start(ctx context.Context, node topology.Node) error
	// Process reads how the node's process is.
	Process(ctx context.Context, node topology.Node) (Process, error)
	// LimitCPU gives the node that many cores at most, fractions allowed; 0 takes
	// the limit away.
	LimitCPU(ctx context.Context, node topology.Node, cores float64) error
}

// ProcessState is what a process does.
type ProcessState string

// The states of a process.
const (
	Running ProcessState = "running"
	Paused  ProcessState = "paused"
	Exited  ProcessState = "exited"
)

// Process is a reading of a node's process.
type Process struct {
	State   ProcessState
	Started time.Time // of this incarnation; another time means another process
	Cores   float64   // the limit, 0 for none
	// Ready says that the node plays its part: the broker is registered, the
	// worker is in the group, the ZooKeeper server serves. Only RollingRestart
	// reads it.
	Ready bool
}

// SessionID names a ZooKeeper session; 0 names none.
type SessionID int64

func (id SessionID) String() string { return fmt.Sprintf("0x%x", uint64(id)) }

// Sessions reads and ends the ZooKeeper sessions of brokers.
type Sessions interface {
	// Owner is the session that owns the registration of the broker, /brokers/ids/N;
	// 0 and no error when the broker is not registered.
	Owner(ctx context.Context, broker topology.Node) (SessionID, error)
	// Open lists the sessions that ZooKeeper holds open for that broker at the
	// moment, registered or not, in no order ("cons").
	Open(ctx context.Context, broker topology.Node) ([]SessionID, error)
	// Expire ends the session from outside, and returns when ZooKeeper has removed
	// its ephemeral nodes. That the session is already over is no error.
	Expire(ctx context.Context, session SessionID) error
}
