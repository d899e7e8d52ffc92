package mesh

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// toxicJSON is a toxic as Toxiproxy's API has it.
type toxicJSON struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     faults.Stream  `json:"stream"`
	Attributes map[string]any `json:"attributes"`
}

func wire(toxic *faults.Toxic) *toxicJSON {
	if toxic == nil {
		return nil
	}
	w := toxicJSON(*toxic)
	if w.Attributes == nil {
		w.Attributes = map[string]any{}
	}
	return &w
}

// Standing is one thing that is not as it is on a healed link.
type Standing struct {
	Link  topology.Link
	Proxy string // which of the link's proxies
	// Toxic is what is on it; its attributes are as JSON has them. Nil when the
	// proxy is disabled, or missing.
	Toxic   *faults.Toxic
	Missing bool // the egress does not have the proxy at all
}

func (s Standing) String() string {
	switch {
	case s.Missing:
		return fmt.Sprintf("%s: proxy %s is missing", s.Link, s.Proxy)
	case s.Toxic == nil:
		return fmt.Sprintf("%s: proxy %s is disabled", s.Link, s.Proxy)
	}
	return fmt.Sprintf("%s: toxic %s (%s, %s) on proxy %s", s.Link, s.Toxic.Name, s.Toxic.Type, s.Toxic.Stream, s.Proxy)
}

type proxyState struct {
	Enabled bool
	Toxics  []toxicJSON
}

// Condition is everything that stands on the mesh, in the order of the links'
// names; empty when every link is healed. When an egress does not answer, the
// error says so and the rest is returned.
func (m *Mesh) Condition(ctx context.Context) ([]Standing, error) {
	var mu sync.Mutex
	var all []Standing
	err := m.each(func(e *egress) error {
		var states map[string]proxyState
		if err := e.call(ctx, http.MethodGet, "/proxies", nil, &states); err != nil {
			return fmt.Errorf("read condition: %w", err)
		}
		mu.Lock()
		defer mu.Unlock()
		for name, link := range m.owners[e.node] {
			state, there := states[name]
			all = append(all, standings(link, name, state, there)...)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b Standing) int {
		return cmp.Or(byName(a.Link, b.Link), cmp.Compare(a.Proxy, b.Proxy))
	})
	return all, err
}

func standings(link topology.Link, proxy string, state proxyState, there bool) []Standing {
	if !there {
		return []Standing{{Link: link, Proxy: proxy, Missing: true}}
	}
	var all []Standing
	if !state.Enabled {
		all = append(all, Standing{Link: link, Proxy: proxy})
	}
	for _, toxic := range state.Toxics {
		all = append(all, Standing{Link: link, Proxy: proxy, Toxic: (*faults.Toxic)(&toxic)})
	}
	return all
}

// ReadLink reads what is on one link: enabled when all of its proxies are, the
// toxics of any of them.
func (m *Mesh) ReadLink(ctx context.Context, link topology.Link) (faults.LinkState, error) {
	proxies, err := m.find(link)
	if err != nil {
		return faults.LinkState{}, fmt.Errorf("read: %w", err)
	}
	state := faults.LinkState{Enabled: true}
	for _, proxy := range proxies {
		var read proxyState
		if err := m.egresses[link.From].call(ctx, http.MethodGet, "/proxies/"+url.PathEscape(proxy.Name), nil, &read); err != nil {
			return faults.LinkState{}, fmt.Errorf("read %s: %w", link, err)
		}
		state.Enabled = state.Enabled && read.Enabled
		for _, toxic := range read.Toxics {
			if !slices.Contains(state.Toxics, toxic.Name) {
				state.Toxics = append(state.Toxics, toxic.Name)
			}
		}
	}
	return state, nil
}

// HealAll takes every toxic off every link and enables every link. It may be
// repeated. Bytes that were held are delivered; connections that a black hole
// took bytes from are closed.
func (m *Mesh) HealAll(ctx context.Context) error {
	return m.each(func(e *egress) error {
		if err := e.call(ctx, http.MethodPost, "/reset", nil, nil); err != nil {
			return fmt.Errorf("heal all links: %w", err)
		}
		return nil
	})
}
