package topology

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Spec says which cluster to start. It is made by New, and a Spec in hand is
// valid; the zero Spec is that of New without options: one ZooKeeper server,
// three brokers, no worker, Kafka's DefaultVersion, the Fast profile.
type Spec struct {
	counts     map[Role]int
	versions   map[Role]Version
	profile    Profile
	roleConfig map[Role]map[string]string
	nodeConfig map[Node]map[string]string
	jvm        map[Role][]string
	plugins    []string
}

// Option shapes a Spec. An option that cannot be is refused by New, with an
// error that names it.
type Option func(*Spec) error

// New applies the options in order and checks that such a cluster can be.
func New(options ...Option) (Spec, error) {
	spec := Spec{
		counts:     map[Role]int{},
		versions:   map[Role]Version{},
		roleConfig: map[Role]map[string]string{},
		nodeConfig: map[Node]map[string]string{},
		jvm:        map[Role][]string{},
	}
	for _, option := range options {
		if err := option(&spec); err != nil {
			return Spec{}, err
		}
	}
	return spec, spec.check()
}

// Count is how many nodes play the role.
func (s Spec) Count(role Role) int {
	n, given := s.counts[role]
	switch {
	case given:
		return n
	case role == Broker:
		return 3
	case role == Worker:
		return 0
	}
	return 1
}

// Version is the Kafka release that the role runs.
func (s Spec) Version(role Role) Version {
	if v := s.versions[role]; !v.IsZero() {
		return v
	}
	return DefaultVersion
}

// Versions lists the releases that the cluster needs, each once, in order.
func (s Spec) Versions() []Version {
	var all []Version
	for _, role := range Roles() {
		if s.Count(role) > 0 && !slices.Contains(all, s.Version(role)) {
			all = append(all, s.Version(role))
		}
	}
	slices.SortFunc(all, func(a, b Version) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	return all
}

// Nodes lists the nodes, ZooKeeper first, then brokers, then workers. The
// client is not among them: it is no process of the cluster.
func (s Spec) Nodes() []Node {
	var nodes []Node
	for _, role := range Roles() {
		nodes = append(nodes, s.NodesOf(role)...)
	}
	return nodes
}

// NodesOf lists the nodes that play the role, by number.
func (s Spec) NodesOf(role Role) []Node {
	if role == Client {
		return []Node{TheClient}
	}
	nodes := make([]Node, s.Count(role))
	for i := range nodes {
		nodes[i] = Node{role, i + 1}
	}
	return nodes
}

// Has says whether the node belongs to the cluster; the client always does.
func (s Spec) Has(node Node) bool {
	return node == TheClient || node.Role != Client && node.ID >= 1 && node.ID <= s.Count(node.Role)
}

// Links lists every directed link, in the order of Nodes, the client's last.
func (s Spec) Links() []Link {
	var links []Link
	for _, from := range append(s.Nodes(), TheClient) {
		for _, to := range s.Nodes() {
			if from != to && Connects(from.Role, to.Role) {
				links = append(links, Link{from, to})
			}
		}
	}
	return links
}

// Plugins lists the plug-in folders of the workers.
func (s Spec) Plugins() []string { return slices.Clone(s.plugins) }

// Replication is the replication factor of internal topics: three, or the
// number of brokers where there are fewer.
func (s Spec) Replication() int { return min(3, s.Count(Broker)) }

func (s Spec) String() string {
	parts := []string{}
	for _, role := range Roles() {
		if n := s.Count(role); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s %s", n, role, s.Version(role)))
		}
	}
	return strings.Join(parts, ", ") + ", " + s.profile.String() + " profile"
}

func (s Spec) check() error {
	if version := s.Version(ZooKeeper); s.Count(ZooKeeper) > 1 && !version.ServersGoByName() {
		return fmt.Errorf("ask for %d ZooKeeper servers of Kafka %v: they would call each other past their proxies (ZOOKEEPER-3860); "+
			"take the ZooKeeper of a release before 2.4.0 or from 3.6.0 on, by VersionOf(ZooKeeper, ...)", s.Count(ZooKeeper), version)
	}
	for _, node := range slices.SortedFunc(maps.Keys(s.nodeConfig), func(a, b Node) int {
		return strings.Compare(a.String(), b.String())
	}) {
		if !s.Has(node) {
			return fmt.Errorf("configure %s: this cluster has %d of role %s", node, s.Count(node.Role), node.Role)
		}
	}
	for _, node := range s.Nodes() {
		if err := s.checkReplication(node); err != nil {
			return err
		}
	}
	return nil
}
