package faults

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"kafkachaos/harness/topology"
)

// readable is a world whose proxies also tell what is on them.
type readable struct{ *world }

func (w readable) ReadLink(ctx context.Context, link topology.Link) (LinkState, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.call(ctx, "read %v", link); err != nil {
		return LinkState{}, err
	}
	state := LinkState{Enabled: !w.cut[link]}
	for _, toxic := range w.toxics[link] {
		state.Toxics = append(state.Toxics, toxic.Name)
	}
	return state, nil
}

func (w *world) Signal(ctx context.Context, node topology.Node, signal Signal) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "%s %v", signal, node)
	if !change {
		return err
	}
	process := w.procs[node]
	process.State = map[Signal]ProcessState{SignalKill: Exited, SignalTerminate: Exited,
		SignalPause: Paused, SignalResume: Running}[signal]
	w.procs[node] = process
	w.made("%s %v", signal, node)
	w.shift(node, signal == SignalKill || signal == SignalTerminate)
	return nil
}

// shift moves the group of workers on when a worker comes or goes.
func (w *world) shift(node topology.Node, gone bool) {
	group := w.groups["workers"]
	if node.Role == topology.Worker {
		group.Generation++
		group.Members = slices.DeleteFunc(group.Members, func(m Member) bool { return m.Node == node })
		if !gone {
			group.Members = append(group.Members, Member{ID: "member of " + node.String(), Node: node})
		}
		w.groups["workers"] = group
	}
}

func (w *world) Start(ctx context.Context, node topology.Node) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "start %v", node)
	if change {
		started := w.procs[node].Started.Add(time.Second)
		w.procs[node] = Process{State: Running, Started: started, Ready: true}
		w.made("start %v", node)
		w.shift(node, false)
	}
	return err
}

func (w *world) Process(ctx context.Context, node topology.Node) (Process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "process %v", node)
	return w.procs[node], err
}

func (w *world) LimitCPU(ctx context.Context, node topology.Node, cores float64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "limit %v %v", node, cores)
	if change {
		process := w.procs[node]
		process.Cores = cores
		w.procs[node] = process
	}
	return err
}

func (w *world) Owner(ctx context.Context, node topology.Node) (SessionID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "owner %v", node)
	return w.sessions[node], err
}

func (w *world) Open(ctx context.Context, node topology.Node) ([]SessionID, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "open %v", node)
	return slices.Clone(w.open[node]), err
}

// Expire ends a session; the broker comes back at once with a new one.
func (w *world) Expire(ctx context.Context, session SessionID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "expire %v", session)
	if !change {
		return err
	}
	for node, open := range w.open {
		if i := slices.Index(open, session); i >= 0 {
			w.open[node] = slices.Delete(open, i, i+1)
			w.sessions[node] = w.session(node)
		}
	}
	w.made("expire %v", session)
	return nil
}

func (w *world) Group(ctx context.Context, group string) (Group, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "group %s", group)
	return w.groups[group], err
}

func (w *world) rebalance(name string, change func([]Member) []Member) {
	group := w.groups[name]
	group.Generation++
	group.Members = change(slices.Clone(group.Members))
	w.groups[name] = group
}

// Leave takes the member out; a worker joins again at once, as another member.
func (w *world) Leave(ctx context.Context, group, member string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "leave %s %s", group, member)
	if change {
		w.rebalance(group, func(all []Member) []Member {
			i := slices.IndexFunc(all, func(m Member) bool { return m.ID == member })
			if i >= 0 && all[i].Node != (topology.Node{}) {
				all[i].ID += "'"
			} else if i >= 0 {
				all = slices.Delete(all, i, i+1)
			}
			return all
		})
	}
	return err
}

type phantom struct {
	*world
	group, id string
}

func (p phantom) Member() string                  { return p.id }
func (p phantom) Leave(ctx context.Context) error { return p.world.Leave(ctx, p.group, p.id) }

func (w *world) Join(ctx context.Context, group, protocol string, sync bool) (Phantom, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "join %s as %s, sync %t", group, protocol, sync)
	id := fmt.Sprintf("phantom-%d", len(w.groups[group].Members))
	if change {
		w.rebalance(group, func(all []Member) []Member { return append(all, Member{ID: id}) })
	}
	if err != nil {
		return nil, err
	}
	return phantom{w, group, id}, nil
}

func (w *world) Config(ctx context.Context, connector string) (map[string]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "config %s", connector)
	return maps.Clone(w.configs[connector]), err
}

func (w *world) SetConfig(ctx context.Context, connector string, config map[string]string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	change, err := w.call(ctx, "set config %s", connector)
	if change {
		w.configs[connector] = maps.Clone(config)
		w.rebalance("workers", func(all []Member) []Member { return all })
	}
	return err
}

func (w *world) Restart(ctx context.Context, connector string, task int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "restart %s/%d", connector, task)
	return err
}

func (w *world) Holder(ctx context.Context, role Role) (topology.Node, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "find %v", role)
	node, found := w.roles[role]
	if !found && err == nil {
		err = fmt.Errorf("nobody is %v", role)
	}
	return node, err
}

func (w *world) Arm(ctx context.Context, condition Condition) (<-chan Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.call(ctx, "arm %v", condition)
	w.events[condition] = make(chan Event, 1)
	return w.events[condition], err
}

// happen lets a condition come true.
func (w *world) happen(condition Condition, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events[condition] <- Event{At: time.Now(), Err: err}
}
