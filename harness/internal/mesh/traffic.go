package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"kafkachaos/harness/topology"
)

// Flow is the bytes of one stream of a link.
type Flow struct {
	Delivered int64 // since the start
	Swallowed int64 // since the start, by toxics or because the receiver was gone
	Waiting   int64 // now, in the proxy
}

// Traffic is what a link carries, its proxies taken together.
type Traffic struct {
	Open   int   // connections now
	Opened int64 // connections since the start
	Failed int64 // connections accepted whose far node could not be reached
	Up     Flow
	Down   Flow
}

func (f *Flow) add(other Flow) {
	f.Delivered += other.Delivered
	f.Swallowed += other.Swallowed
	f.Waiting += other.Waiting
}

// Connections reads what every link carries. When an egress does not answer,
// the error says so and the rest is returned.
func (m *Mesh) Connections(ctx context.Context) (map[topology.Link]Traffic, error) {
	var mu sync.Mutex
	all := make(map[topology.Link]Traffic, len(m.links))
	err := m.each(func(e *egress) error {
		var read map[string]Traffic
		if err := e.call(ctx, http.MethodGet, "/connections", nil, &read); err != nil {
			return fmt.Errorf("read connections: %w", err)
		}
		mu.Lock()
		defer mu.Unlock()
		for name, t := range read {
			link, ours := m.owners[e.node][name]
			if !ours {
				continue
			}
			sum := all[link]
			sum.Open += t.Open
			sum.Opened += t.Opened
			sum.Failed += t.Failed
			sum.Up.add(t.Up)
			sum.Down.add(t.Down)
			all[link] = sum
		}
		return nil
	})
	return all, err
}

// Dump is each egress's own account of its proxies and its traffic, raw, for
// the evidence folder. When an egress does not answer, the error says so and
// the rest is returned.
func (m *Mesh) Dump(ctx context.Context) (map[topology.Node]json.RawMessage, error) {
	var mu sync.Mutex
	all := make(map[topology.Node]json.RawMessage, len(m.egresses))
	err := m.each(func(e *egress) error {
		var proxies, connections json.RawMessage
		if err := e.call(ctx, http.MethodGet, "/proxies", nil, &proxies); err != nil {
			return fmt.Errorf("dump: %w", err)
		}
		if err := e.call(ctx, http.MethodGet, "/connections", nil, &connections); err != nil {
			return fmt.Errorf("dump: %w", err)
		}
		text, err := json.MarshalIndent(map[string]json.RawMessage{"proxies": proxies, "connections": connections}, "", "  ")
		mu.Lock()
		defer mu.Unlock()
		all[e.node] = text
		return err
	})
	return all, err
}
