package faults

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kafkachaos/harness/topology"
)

// cutOf takes "kind(of)" apart; "kind" alone is of nothing.
func cutOf(text string) (kind, of string, err error) {
	kind, rest, found := strings.Cut(text, "(")
	if !found {
		return text, "", nil
	}
	of, closed := strings.CutSuffix(rest, ")")
	if !closed || of == "" {
		return "", "", errors.New("want KIND(OF)")
	}
	return kind, of, nil
}

// cutNumber takes "name/number" apart.
func cutNumber(text string) (name string, n int, err error) {
	i := strings.LastIndex(text, "/")
	if i > 0 {
		n, err = strconv.Atoi(text[i+1:])
	}
	if i <= 0 || err != nil || n < 0 {
		return "", 0, fmt.Errorf("%q: want NAME/NUMBER", text)
	}
	return text[:i], n, nil
}

// ParseTarget reads the name of a node or what Role.String writes.
func ParseTarget(text string) (Target, error) {
	if node, err := topology.ParseNode(text); err == nil {
		return Node(node), nil
	}
	kind, of, err := cutOf(text)
	role := Role{Kind: RoleKind(kind), Name: of}
	if err == nil {
		switch role.Kind {
		case KindController, KindZooKeeperLeader, KindConnectLeader:
			if of != "" {
				err = fmt.Errorf("%s is of nothing", kind)
			}
		case KindCoordinator:
			if of == "" {
				err = errors.New("want coordinator(GROUP)")
			}
		case KindLeader, KindFollower, KindTaskWorker:
			role.Name, role.N, err = cutNumber(of)
		default:
			err = errors.New("want a node such as broker-1, or a role such as controller or leader(orders/0)")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("parse target %q: %w", text, err)
	}
	return role, nil
}

// ParseRoute reads what Route.String writes: links with commas between them,
// TARGET→TARGET, TARGET→ROLE-*, ROLE-*→ROLE-*, around(TARGET),
// across(NODE+NODE|NODE), bridge(NODE), ring(ROLE). "->" is accepted for the
// arrow.
func ParseRoute(text string) (Route, error) {
	route, err := parseRoute(strings.ReplaceAll(text, "->", "→"))
	if err != nil {
		return nil, fmt.Errorf("parse links %q: %w", text, err)
	}
	return route, nil
}

func parseRoute(text string) (Route, error) {
	if links, err := parseLinks(text); err == nil {
		return Fixed(links...), nil
	}
	if from, to, found := strings.Cut(text, "→"); found && !strings.Contains(text, ",") {
		return parseArrow(from, to)
	}
	kind, of, err := cutOf(text)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "around":
		target, err := ParseTarget(of)
		return Around(target), err
	case "across":
		a, b, err := parseGroups(of)
		return Across(a, b), err
	case "bridge":
		node, err := topology.ParseNode(of)
		return Bridged(node), err
	case "ring":
		role, err := parseRole(of)
		return Ring(role), err
	}
	_, err = parseLinks(text)
	return nil, err
}

func parseLinks(text string) (links []topology.Link, err error) {
	for name := range strings.SplitSeq(text, ",") {
		link, err := topology.ParseLink(name)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

// parseArrow reads the routes with an arrow that are no link.
func parseArrow(from, to string) (Route, error) {
	role, many := strings.CutSuffix(to, "-*")
	if !many {
		a, err := ParseTarget(from)
		b, errTo := ParseTarget(to)
		return Between(a, b), errors.Join(err, errTo)
	}
	towards, err := parseRole(role)
	if err != nil {
		return nil, err
	}
	if role, many := strings.CutSuffix(from, "-*"); many {
		by, err := parseRole(role)
		return ByRole(by, towards), err
	}
	target, err := ParseTarget(from)
	return Towards(target, towards), err
}

func parseRole(text string) (topology.Role, error) {
	switch role := topology.Role(text); role {
	case topology.ZooKeeper, topology.Broker, topology.Worker, topology.Client:
		return role, nil
	}
	return "", fmt.Errorf("role %q: want zk, broker, worker or client", text)
}

// parseGroups reads two groups of nodes: a+b|c.
func parseGroups(text string) (a, b []topology.Node, err error) {
	left, right, found := strings.Cut(text, "|")
	if !found {
		return nil, nil, fmt.Errorf("groups %q: want NODE+NODE|NODE", text)
	}
	a, err = parseNodes(left, "+")
	b, errRight := parseNodes(right, "+")
	return a, b, errors.Join(err, errRight)
}

func parseNodes(text, between string) (nodes []topology.Node, err error) {
	for name := range strings.SplitSeq(text, between) {
		node, err := topology.ParseNode(name)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}
