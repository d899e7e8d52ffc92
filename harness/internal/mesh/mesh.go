package mesh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// Proxy is one listener of an egress. Its name is unique on that egress: the
// far node's, with a suffix when the link has several, as zk-2.quorum and
// zk-2.election.
type Proxy struct {
	Name     string
	Listen   string // such as 0.0.0.0:9093, which is at the egress's own address
	Upstream string // the far node by a name that bypasses /etc/hosts
}

// Mesh is every link of a cluster. Its methods may be called side by side; a
// call returns within the bound of its context, and within 10 s an egress
// whatever that is (a probe within its patience and 5 s).
type Mesh struct {
	client   *http.Client
	egresses map[topology.Node]*egress
	links    map[topology.Link][]Proxy
	owners   map[topology.Node]map[string]topology.Link // proxy name → link
}

var (
	_ faults.Links      = (*Mesh)(nil)
	_ faults.LinkBatch  = (*Mesh)(nil)
	_ faults.LinkReader = (*Mesh)(nil)
)

// Open is New for the proxies of a topology.
func Open(apis map[topology.Node]string, proxies []topology.Proxy) (*Mesh, error) {
	links := make(map[topology.Link][]Proxy)
	for _, p := range proxies {
		links[p.Link] = append(links[p.Link], Proxy{Name: p.Name, Listen: p.Listen(), Upstream: p.Upstream()})
	}
	return New(apis, links)
}

// New is the mesh of egresses that need not be up yet; each has no proxies before
// Fill. apis tells where the API of each node's egress answers (host:port/path); links
// are the proxies that each link consists of, on the egress of its From.
func New(apis map[topology.Node]string, links map[topology.Link][]Proxy) (*Mesh, error) {
	m := &Mesh{
		egresses: make(map[topology.Node]*egress, len(apis)),
		links:    links,
		owners:   make(map[topology.Node]map[string]topology.Link),
	}
	m.client = &http.Client{Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 8 * len(apis), // one server may have them all
	}}
	for node, api := range apis {
		m.egresses[node] = &egress{node: node, base: "http://" + api, client: m.client}
		m.owners[node] = make(map[string]topology.Link)
	}
	for link, proxies := range links {
		if err := m.own(link, proxies); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Fill gives the egress of a node its proxies: when it returns, they listen. An
// egress that does not answer yet is asked again until ctx is over.
func (m *Mesh) Fill(ctx context.Context, node topology.Node) error {
	egress := m.egresses[node]
	if egress == nil {
		return fmt.Errorf("fill the egress of %s: it has none", node)
	}
	var wanted []Proxy
	for link, proxies := range m.links {
		if link.From == node {
			wanted = append(wanted, proxies...)
		}
	}
	return egress.populate(ctx, wanted)
}

// Close lets go of the connections to the egresses. What is on the links stays.
// It is valid on nil and never fails.
func (m *Mesh) Close() error {
	if m != nil {
		m.client.CloseIdleConnections()
	}
	return nil
}

func (m *Mesh) own(link topology.Link, proxies []Proxy) error {
	owned := m.owners[link.From]
	switch {
	case owned == nil:
		return fmt.Errorf("make link %s: %s has no egress", link, link.From)
	case len(proxies) == 0:
		return fmt.Errorf("make link %s: it has no proxy", link)
	}
	for _, proxy := range proxies {
		if other, taken := owned[proxy.Name]; taken {
			return fmt.Errorf("make link %s: proxy %s belongs to %s", link, proxy.Name, other)
		}
		owned[proxy.Name] = link
	}
	return nil
}

// each asks every egress at once and joins what went wrong.
func (m *Mesh) each(ask func(*egress) error) error {
	var group errgroup.Group
	errs := make([]error, len(m.egresses))
	i := 0
	for _, e := range m.egresses {
		slot := &errs[i]
		i++
		group.Go(func() error {
			*slot = ask(e)
			return nil
		})
	}
	_ = group.Wait() // what went wrong is in errs
	return errors.Join(errs...)
}

// Links are the links of the mesh, in the order of their names.
func (m *Mesh) Links() []topology.Link {
	all := make([]topology.Link, 0, len(m.links))
	for link := range m.links {
		all = append(all, link)
	}
	slices.SortFunc(all, byName)
	return all
}

func byName(a, b topology.Link) int { return strings.Compare(a.String(), b.String()) }

// find is the proxies of a link; the error for a link that does not exist names
// those that do.
func (m *Mesh) find(link topology.Link) ([]Proxy, error) {
	if proxies := m.links[link]; proxies != nil {
		return proxies, nil
	}
	var known []string
	for _, other := range m.Links() {
		if other.From == link.From {
			known = append(known, other.String())
		}
	}
	if known == nil {
		return nil, fmt.Errorf("find link %s: %w; from %s there is none", link, ErrNoLink, link.From)
	}
	return nil, fmt.Errorf("find link %s: %w; from %s there are %s", link, ErrNoLink, link.From, strings.Join(known, ", "))
}

// ErrNoLink is of errors about a link that the cluster does not have.
var ErrNoLink = errors.New("no such link")
