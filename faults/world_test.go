package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

// The cluster that the tests pretend to have.
var (
	zk1, zk3   = topology.ZK(1), topology.ZK(3)
	b1, b2, b3 = topology.BrokerNode(1), topology.BrokerNode(2), topology.BrokerNode(3)
	w1, w2     = topology.WorkerNode(1), topology.WorkerNode(2)

	b1zk1 = topology.Link{From: b1, To: zk1}
	b2zk1 = topology.Link{From: b2, To: zk1}
	b1b2  = topology.Link{From: b1, To: b2}
	w1b2  = topology.Link{From: w1, To: b2}
)

func ground() Layout { return NewLayout(zk1, b1, b2, b3, w1, w2, topology.TheClient) }

var errFake = errors.New("forced error")

// world is a pretended cluster behind every tool. It behaves as the real one is
// promised to, but where a test breaks it on purpose.
type world struct {
	mu  sync.Mutex
	log []string

	toxics map[topology.Link][]Toxic
	cut    map[topology.Link]bool
	rtt    time.Duration // of a healthy link, really waited for

	procs    map[topology.Node]Process
	sessions map[topology.Node]SessionID
	open     map[topology.Node][]SessionID
	next     SessionID
	groups   map[string]Group
	configs  map[string]map[string]string
	topics   map[string]Topic
	roles    map[Role]topology.Node
	events   map[Condition]chan Event

	// deaf makes every change a success without effect; fail may return an error
	// for a call, named as in the log.
	deaf bool
	fail func(call string) error
	then func(call string) // after the change was made
}

func newWorld() *world {
	w := &world{
		toxics: map[topology.Link][]Toxic{}, cut: map[topology.Link]bool{},
		procs: map[topology.Node]Process{}, sessions: map[topology.Node]SessionID{},
		open: map[topology.Node][]SessionID{}, next: 0x100,
		groups: map[string]Group{}, configs: map[string]map[string]string{},
		topics: map[string]Topic{}, roles: map[Role]topology.Node{Controller: b1},
		events: map[Condition]chan Event{},
	}
	for _, node := range ground().Nodes {
		w.procs[node] = Process{State: Running, Started: time.Unix(1, 0), Ready: true}
		if node.Role == topology.Broker {
			w.sessions[node] = w.session(node)
		}
	}
	return w
}

func (w *world) rig() *Rig {
	return NewRig(Tools{Layout: ground(), Links: w, Nodes: w, Sessions: w, Groups: w, Connect: w,
		Topics: topicTool{w}, Partitions: w, Roles: w, Watch: w, Workers: "workers"})
}

// call logs a call and says whether it fails, and whether it changes anything.
func (w *world) call(ctx context.Context, format string, args ...any) (change bool, err error) {
	call := fmt.Sprintf(format, args...)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	w.log = append(w.log, call)
	if w.fail != nil {
		if err := w.fail(call); err != nil {
			return false, err
		}
	}
	return !w.deaf, nil
}

// made is called after a change was made.
func (w *world) made(format string, args ...any) {
	if w.then != nil {
		w.then(fmt.Sprintf(format, args...))
	}
}

func (w *world) calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

func (w *world) AddToxic(ctx context.Context, link topology.Link, toxic Toxic) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "add %s %s to %v", toxic.Type, toxic.Stream, link)
	if change {
		w.toxics[link] = append(w.toxics[link], toxic)
		w.made("add %s %s to %v", toxic.Type, toxic.Stream, link)
	}
	return err
}

func (w *world) UpdateToxic(ctx context.Context, link topology.Link, toxic Toxic) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "update %s %s on %v", toxic.Type, toxic.Stream, link)
	for i, old := range w.toxics[link] {
		if change && old.Name == toxic.Name {
			w.toxics[link][i] = toxic
		}
	}
	return err
}

func (w *world) RemoveToxic(ctx context.Context, link topology.Link, name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "remove from %v", link)
	if change {
		w.toxics[link] = slices.DeleteFunc(w.toxics[link], func(t Toxic) bool { return t.Name == name })
	}
	return err
}

func (w *world) SetEnabled(ctx context.Context, link topology.Link, enabled bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "enable %v %t", link, enabled)
	if change {
		w.cut[link] = !enabled
	}
	return err
}

// Probe goes by what is on the link, and takes that time on the clock.
func (w *world) Probe(ctx context.Context, link topology.Link, patience time.Duration) (Echo, error) {
	w.mu.Lock()
	_, err := w.call(ctx, "probe %v", link)
	cut, toxics, took := w.cut[link], slices.Clone(w.toxics[link]), w.rtt
	up := w.procs[link.To].State == Running
	w.mu.Unlock()
	if err != nil {
		return Echo{}, err
	}
	if cut {
		return Echo{}, nil
	}
	echo := Echo{Connected: true, Answered: up, Closed: !up, Bytes: 1000}
	for _, toxic := range toxics {
		switch toxic.Type {
		case "hold", "timeout", "swallow_first":
			pause(ctx, patience)
			return Echo{Connected: true, Took: patience}, ctx.Err()
		case "reset":
			return Echo{Connected: true, Closed: true}, nil
		case "limit_data":
			if toxic.Attributes["bytes"].(int64) < 1000 {
				return Echo{Connected: true, Closed: true, Bytes: 10}, nil
			}
		case "latency":
			took += time.Duration(toxic.Attributes["latency"].(int64) * int64(time.Millisecond))
		case "bandwidth":
			if toxic.Stream == Downstream {
				took += time.Second / time.Duration(toxic.Attributes["rate"].(int))
			}
		case "slicer":
			gap := toxic.Attributes["delay"].(int64) * int64(time.Microsecond)
			if toxic.Stream == Downstream {
				took += time.Duration(gap * int64(999/toxic.Attributes["average_size"].(int)))
			}
		}
	}
	pause(ctx, min(took, patience))
	echo.Took = min(took, patience)
	if took > patience {
		echo = Echo{Connected: true, Took: patience}
	}
	return echo, ctx.Err()
}

// clean says whether nothing is on any link and every process runs.
func (w *world) clean(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for link, toxics := range w.toxics {
		if len(toxics) > 0 || w.cut[link] {
			t.Errorf("%v is left with %v, cut %t", link, toxics, w.cut[link])
		}
	}
	for link, cut := range w.cut {
		if cut {
			t.Errorf("%v is left cut", link)
		}
	}
	for node, process := range w.procs {
		if process.State != Running || process.Cores != 0 {
			t.Errorf("%v is left %+v", node, process)
		}
	}
}

func (w *world) isCut(link topology.Link) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut[link]
}

func (w *world) names(link topology.Link) (names []string) {
	for _, toxic := range w.toxics[link] {
		names = append(names, toxic.Type+" "+string(toxic.Stream))
	}
	return names
}

func nodes(nodes ...topology.Node) []topology.Node { return nodes }

func (w *world) session(node topology.Node) SessionID {
	w.next++
	w.open[node] = append(w.open[node], w.next)
	return w.next
}
