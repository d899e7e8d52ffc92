package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kafkachaos/harness/topology"
)

// Route is a set of links that is found when the fault is injected.
type Route interface {
	Resolve(ctx context.Context, rig *Rig) ([]topology.Link, error)
	// Known lists the links as far as they are known without asking anybody.
	Known(layout Layout) []topology.Link
	String() string
}

// Links that are named one by one.
type fixed []topology.Link

// Fixed is the route of exactly these links.
func Fixed(links ...topology.Link) Route { return fixed(links) }

func (f fixed) Resolve(context.Context, *Rig) ([]topology.Link, error) { return f, nil }
func (f fixed) Known(Layout) []topology.Link                           { return f }

func (f fixed) String() string {
	names := make([]string, len(f))
	for i, link := range f {
		names[i] = link.String()
	}
	return strings.Join(names, ",")
}

// between is the link from one target to another.
type between struct{ from, to Target }

// Between is the link from one target to another, for example the controller's
// to the leader of ZooKeeper.
func Between(from, to Target) Route { return between{from, to} }

func (b between) Resolve(ctx context.Context, rig *Rig) ([]topology.Link, error) {
	from, err := b.from.Resolve(ctx, rig)
	if err != nil {
		return nil, err
	}
	to, err := b.to.Resolve(ctx, rig)
	if err != nil {
		return nil, err
	}
	link := topology.Link{From: from, To: to}
	if !rig.Layout.HasLink(link) {
		return nil, fmt.Errorf("resolve %v: there is no link %v", b, link)
	}
	return []topology.Link{link}, nil
}

func (b between) Known(Layout) []topology.Link {
	from, fixedFrom := b.from.(Node)
	to, fixedTo := b.to.(Node)
	if !fixedFrom || !fixedTo {
		return nil
	}
	return []topology.Link{{From: topology.Node(from), To: topology.Node(to)}}
}

func (b between) String() string { return b.from.String() + "→" + b.to.String() }

// towards is every link from a target to the nodes of a role.
type towards struct {
	from Target
	role topology.Role
}

// Towards is every link from the target to the nodes of the role, for example
// the controller's links to ZooKeeper.
func Towards(from Target, role topology.Role) Route { return towards{from, role} }

func (t towards) Resolve(ctx context.Context, rig *Rig) ([]topology.Link, error) {
	from, err := t.from.Resolve(ctx, rig)
	if err != nil {
		return nil, err
	}
	links := t.links(rig.Layout, from)
	if len(links) == 0 {
		return nil, fmt.Errorf("resolve %v: %v has no link to a %s", t, from, t.role)
	}
	return links, nil
}

func (t towards) links(layout Layout, from topology.Node) []topology.Link {
	return layout.where(func(l topology.Link) bool { return l.From == from && l.To.Role == t.role })
}

func (t towards) Known(layout Layout) []topology.Link {
	if node, fixed := t.from.(Node); fixed {
		return t.links(layout, topology.Node(node))
	}
	return nil
}

func (t towards) String() string { return fmt.Sprintf("%v→%s-*", t.from, t.role) }

// checkRoute says what is wrong with a route on this rig.
func checkRoute(route Route, rig *Rig) error {
	if links, ok := route.(fixed); ok && len(links) == 0 {
		return errors.New("no link given")
	}
	for _, link := range route.Known(rig.Layout) {
		if !rig.Layout.HasLink(link) {
			return fmt.Errorf("there is no link %v", link)
		}
	}
	return nil
}
