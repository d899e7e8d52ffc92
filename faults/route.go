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
	from, fixedFrom := known(b.from)
	to, fixedTo := known(b.to)
	if !fixedFrom || !fixedTo {
		return nil
	}
	return []topology.Link{{From: from, To: to}}
}

func (b between) String() string { return b.from.String() + "→" + b.to.String() }

// checkRoute says what is wrong with a route on this rig.
func checkRoute(route Route, rig *Rig) error {
	switch route := route.(type) {
	case fixed:
		if len(route) == 0 {
			return errors.New("no link given")
		}
	case between:
		return errors.Join(checkEnds(rig, route.from, route.to), checkLinks(route, rig))
	case shape:
		return checkShape(route, rig)
	}
	return checkLinks(route, rig)
}

func checkShape(s shape, rig *Rig) error {
	if s.target == nil {
		if len(s.Known(rig.Layout)) == 0 {
			return fmt.Errorf("%v: %w", s, errNoLink)
		}
		return nil
	}
	return checkEnds(rig, s.target)
}

func checkEnds(rig *Rig, ends ...Target) error {
	var errs []error
	for _, end := range ends {
		errs = append(errs, checkTarget(end, topology.ZooKeeper, topology.Broker, topology.Worker, topology.Client)(rig))
	}
	return errors.Join(errs...)
}

func checkLinks(route Route, rig *Rig) error {
	for _, link := range route.Known(rig.Layout) {
		if !rig.Layout.HasLink(link) {
			return fmt.Errorf("there is no link %v", link)
		}
	}
	return nil
}
