package witness

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"kafkachaos/harness/state"
)

// Watch tells what happens to a node, absent or not, until the context ends;
// then the channel is closed. When Watch returns, the watch is set, and the
// node as it was then is the channel's first value (state.ZNodeFound).
//
// An event is handed on the moment ZooKeeper sends it. ZooKeeper's watches fire
// once, so several changes in quick succession may come out as fewer, but
// never none: what the node was before and what it is when the watch is set
// again are compared, also across broken connections and expired sessions.
// A reader that is slow delays the events and loses none.
func (z *ZooKeeper) Watch(ctx context.Context, path string) (<-chan state.ZNodeChange, error) {
	w := &watch{z: z, path: path, out: make(chan state.ZNodeChange, 8)}
	first, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := w.arm(first); err != nil {
		return nil, fmt.Errorf("watch %s in ZooKeeper: %w", path, err)
	}
	w.out <- state.ZNodeChange{Event: state.ZNodeFound, Node: w.node}
	go w.run(ctx)
	return w.out, nil
}

type watch struct {
	z    *ZooKeeper
	path string
	out  chan state.ZNodeChange

	node  state.ZNode     // as last told
	fired <-chan zk.Event // the watch that is set
}

func (w *watch) run(ctx context.Context) {
	defer close(w.out)
	for {
		select {
		case event := <-w.fired:
			w.tell(ctx, w.after(event)...)
		case <-ctx.Done():
			return
		}
		before := w.node
		if !w.rearm(ctx) {
			return
		}
		w.tell(ctx, between(before, w.node)...)
	}
}

// after is what one event of ZooKeeper means, known before the node is read
// again. The loss of a session is no event of the node.
func (w *watch) after(event zk.Event) []state.ZNodeChange {
	var kind state.ZNodeEvent
	switch event.Type {
	case zk.EventNodeCreated:
		kind = state.ZNodeCreated
	case zk.EventNodeDeleted:
		kind = state.ZNodeDeleted
	case zk.EventNodeDataChanged:
		kind = state.ZNodeChanged
	default:
		return nil
	}
	node := znode(w.path, nil, nil, w.z.server())
	if node.Exists = kind != state.ZNodeDeleted; kind == state.ZNodeChanged {
		node.Czxid, node.Owner, node.Created = w.node.Czxid, w.node.Owner, w.node.Created
	}
	w.node = node
	return []state.ZNodeChange{{Event: kind, Node: node}}
}

// between is what must have happened to a node that was found so at first and
// so later. A transaction id of 0 is one not yet known.
func between(before, now state.ZNode) []state.ZNodeChange {
	another := before.Exists && now.Exists && before.Czxid != 0 && before.Czxid != now.Czxid
	var changes []state.ZNodeChange
	if before.Exists && !now.Exists || another {
		gone := state.ZNode{Source: now.Source, Path: now.Path}
		changes = append(changes, state.ZNodeChange{Event: state.ZNodeDeleted, Node: gone})
	}
	switch {
	case !before.Exists && now.Exists || another:
		changes = append(changes, state.ZNodeChange{Event: state.ZNodeCreated, Node: now})
	case before.Exists && now.Exists && before.Mzxid != 0 && before.Mzxid != now.Mzxid:
		changes = append(changes, state.ZNodeChange{Event: state.ZNodeChanged, Node: now})
	}
	return changes
}

func (w *watch) tell(ctx context.Context, changes ...state.ZNodeChange) {
	for _, change := range changes {
		select {
		case w.out <- change:
		case <-ctx.Done():
			return
		}
	}
}

// rearm sets the watch again, however long ZooKeeper is away, and says whether
// it did before the context ended.
func (w *watch) rearm(ctx context.Context) bool {
	for w.arm(ctx) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-w.z.life.Done():
			return false
		case <-time.After(redial):
		}
	}
	return true
}

func (w *watch) arm(ctx context.Context) error {
	type armed struct {
		node  state.ZNode
		fired <-chan zk.Event
	}
	got, err := askAgain(ctx, w.z, func(conn *zk.Conn) (armed, error) {
		exists, stat, fired, err := conn.ExistsW(w.path)
		if !exists {
			stat = nil
		}
		return armed{znode(w.path, stat, nil, conn.Server()), fired}, err
	})
	if err == nil {
		w.node, w.fired = got.node, got.fired
	}
	return err
}
