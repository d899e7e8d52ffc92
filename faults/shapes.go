package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kafkachaos/harness/topology"
)

// shape is a route that follows from the layout alone, and perhaps a target.
type shape struct {
	text   string
	target Target // nil if the shape needs none
	links  func(Layout, topology.Node) []topology.Link
}

func (s shape) String() string { return s.text }

func (s shape) Resolve(ctx context.Context, rig *Rig) ([]topology.Link, error) {
	var node topology.Node
	if s.target != nil {
		var err error
		if node, err = s.target.Resolve(ctx, rig); err != nil {
			return nil, err
		}
	}
	links := s.links(rig.Layout, node)
	if len(links) == 0 {
		return nil, fmt.Errorf("resolve %v: %w", s, errNoLink)
	}
	return links, nil
}

func (s shape) Known(layout Layout) []topology.Link {
	if s.target == nil {
		return s.links(layout, topology.Node{})
	}
	if node, fixed := known(s.target); fixed {
		return s.links(layout, node)
	}
	return nil
}

var errNoLink = errors.New("there is no such link")

// Towards is every link from the target to the nodes of the role, for example
// the controller's links to ZooKeeper.
func Towards(from Target, role topology.Role) Route {
	return shape{fmt.Sprintf("%v→%s-*", from, role), from, func(layout Layout, node topology.Node) []topology.Link {
		return layout.where(func(l topology.Link) bool { return l.From == node && l.To.Role == role })
	}}
}

// ByRole is every link from nodes of one role to nodes of another, or of the
// same.
func ByRole(from, to topology.Role) Route {
	return shape{fmt.Sprintf("%s-*→%s-*", from, to), nil, func(layout Layout, _ topology.Node) []topology.Link {
		return layout.where(func(l topology.Link) bool { return l.From.Role == from && l.To.Role == to })
	}}
}

// Around is every link of the target, dialled by it or towards it.
func Around(target Target) Route {
	return shape{fmt.Sprintf("around(%v)", target), target, func(layout Layout, node topology.Node) []topology.Link {
		return layout.where(func(l topology.Link) bool { return l.From == node || l.To == node })
	}}
}

// Across is every link between a node of one group and a node of the other,
// whoever dials.
func Across(a, b []topology.Node) Route {
	return shape{fmt.Sprintf("across(%s|%s)", plus(a), plus(b)), nil, func(layout Layout, _ topology.Node) []topology.Link {
		return layout.where(func(l topology.Link) bool { return separates(l, a, b) || separates(l.Back(), a, b) })
	}}
}

func separates(link topology.Link, a, b []topology.Node) bool {
	return slices.Contains(a, link.From) && slices.Contains(b, link.To)
}

// Bridged is every link between the two halves of a role that see each other
// through one node alone: that one keeps all its links.
func Bridged(bridge topology.Node) Route {
	return shape{fmt.Sprintf("bridge(%v)", bridge), nil, func(layout Layout, _ topology.Node) []topology.Link {
		others := slices.DeleteFunc(layout.Of(bridge.Role), func(n topology.Node) bool { return n == bridge })
		half := len(others) / 2
		return Across(others[:half], others[half:]).Known(layout)
	}}
}

// Ring is every link over which a node of the role would be reached by one that
// it is not to see, when each sees a majority, itself included, and no two see
// the same: node n is reached by those that follow it in the ring.
func Ring(role topology.Role) Route {
	return shape{fmt.Sprintf("ring(%s)", role), nil, func(layout Layout, _ topology.Node) []topology.Link {
		nodes := layout.Of(role)
		majority := len(nodes)/2 + 1
		return layout.where(func(l topology.Link) bool {
			from, to := slices.Index(nodes, l.From), slices.Index(nodes, l.To)
			return from >= 0 && to >= 0 && (from-to+len(nodes))%len(nodes) >= majority
		})
	}}
}

// Isolate black-holes every link of the target.
func Isolate(target Target) LinkFault { return Blackhole().On(Around(target)) }

// Split black-holes every link between the groups: a symmetric partition.
func Split(a, b []topology.Node) LinkFault { return Blackhole().On(Across(a, b)) }

// OneWay swallows what the nodes of one group send to those of the other,
// whoever dialled; what is sent the other way arrives.
func OneWay(from, to []topology.Node) Fault {
	return built{Spec{"one-way", map[string]string{"from": plus(from), "to": plus(to)}}, func(layout Layout) Fault {
		dialled := layout.where(func(l topology.Link) bool { return separates(l, from, to) })
		answered := layout.where(func(l topology.Link) bool { return separates(l.Back(), from, to) })
		var halves []Fault
		if len(dialled) > 0 {
			halves = append(halves, Blackhole(dialled...).Upstream())
		}
		if len(answered) > 0 {
			halves = append(halves, Blackhole(answered...).Downstream())
		}
		return Together(halves...)
	}}
}

// Bridge black-holes the links between two halves of the nodes of a role; both
// go on to see the bridge.
func Bridge(bridge topology.Node) LinkFault { return Blackhole().On(Bridged(bridge)) }

// MajoritiesRing black-holes links so that each node of the role is reached by a
// majority, and no two by the same one.
func MajoritiesRing(role topology.Role) LinkFault { return Blackhole().On(Ring(role)) }

// plus writes a group of nodes.
func plus(nodes []topology.Node) string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.String()
	}
	return strings.Join(names, "+")
}

// built is a fault that is put together from others once the layout is known.
type built struct {
	spec  Spec
	build func(Layout) Fault
}

func (b built) String() string               { return b.spec.String() }
func (b built) Check(rig *Rig) error         { return b.build(rig.Layout).Check(rig) }
func (b built) Claims(layout Layout) []Claim { return b.build(layout).Claims(layout) }
func (b built) Prepare(rig *Rig) Effect      { return b.build(rig.Layout).Prepare(rig) }
func (b built) Once() bool                   { return once(b.build(Layout{})) }
