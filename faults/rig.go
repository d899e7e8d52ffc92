package faults

import (
	"context"
	"time"

	"kafkachaos/harness/topology"
)

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
