package topology

import (
	"fmt"
	"strings"
)

// Link is the directed way from the node that dials to the node that is
// dialled. What From sends travels upstream, what To answers travels
// downstream; both belong to this link, and the connections that To dials
// towards From belong to another.
type Link struct {
	From, To Node
}

func (l Link) String() string { return l.From.String() + "→" + l.To.String() }

// Back is the link of the connections dialled the other way round.
func (l Link) Back() Link { return Link{From: l.To, To: l.From} }

// ParseLink reads what Link.String writes; "->" is accepted for the arrow.
func ParseLink(text string) (Link, error) {
	from, to, found := strings.Cut(strings.ReplaceAll(text, "->", "→"), "→")
	if !found {
		return Link{}, fmt.Errorf("parse link %q: want FROM→TO, for example broker-1→zk-1", text)
	}
	var link Link
	var err error
	if link.From, err = ParseNode(from); err != nil {
		return Link{}, fmt.Errorf("parse link %q: %w", text, err)
	}
	if link.To, err = ParseNode(to); err != nil {
		return Link{}, fmt.Errorf("parse link %q: %w", text, err)
	}
	return link, nil
}

// MarshalText writes the link as FROM→TO.
func (l Link) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads FROM→TO.
func (l *Link) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLink(string(text))
	return err
}

// Connects says whether nodes of these two roles ever dial each other, in this
// direction. A Connect worker never talks to ZooKeeper; nobody dials a client.
func Connects(from, to Role) bool {
	switch to {
	case ZooKeeper:
		return from == ZooKeeper || from == Broker || from == Client
	case Broker:
		return from == Broker || from == Worker || from == Client
	case Worker:
		return from == Worker || from == Client
	}
	return false
}
