package faults

import (
	"slices"

	"kafkachaos/harness/topology"
)

// Layout is the ground that faults stand on: the nodes of the cluster and the
// links between them.
type Layout struct {
	Nodes []topology.Node
	Links []topology.Link
}

// NewLayout lists the links between these nodes: every directed pair whose
// roles ever dial each other.
func NewLayout(nodes ...topology.Node) Layout {
	layout := Layout{Nodes: nodes}
	for _, from := range nodes {
		for _, to := range nodes {
			if from != to && topology.Connects(from.Role, to.Role) {
				layout.Links = append(layout.Links, topology.Link{From: from, To: to})
			}
		}
	}
	return layout
}

// Of lists the nodes of a role.
func (l Layout) Of(role topology.Role) []topology.Node {
	var nodes []topology.Node
	for _, node := range l.Nodes {
		if node.Role == role {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// HasNode says whether the node is part of the cluster.
func (l Layout) HasNode(node topology.Node) bool { return slices.Contains(l.Nodes, node) }

// HasLink says whether the link is part of the cluster.
func (l Layout) HasLink(link topology.Link) bool { return slices.Contains(l.Links, link) }

// where lists the links that the condition holds for, in the layout's order.
func (l Layout) where(holds func(topology.Link) bool) []topology.Link {
	var links []topology.Link
	for _, link := range l.Links {
		if holds(link) {
			links = append(links, link)
		}
	}
	return links
}
