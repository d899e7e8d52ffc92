package rig

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// pollEvery is how often a condition is looked at that ZooKeeper sends no event
// for: half of the 10 ms within which a trigger fires.
const pollEvery = 5 * time.Millisecond

// Watch turns conditions on the witness plane into events.
type Watch struct {
	Roles    Roles
	Sessions Sessions
}

var _ faults.Watch = Watch{}

// Arm sets the watch. What stands in a node of ZooKeeper fires by ZooKeeper's own
// events; sessions, generations and tasks are polled.
func (w Watch) Arm(ctx context.Context, condition faults.Condition) (<-chan faults.Event, error) {
	switch condition.Kind {
	case faults.ZNodeAppears:
		return w.onNode(ctx, condition.Name, state.ZNodeCreated)
	case faults.ZNodeGone:
		return w.onNode(ctx, condition.Name, state.ZNodeDeleted)
	case faults.NewSession:
		return w.onSession(ctx, condition.Name)
	case faults.InSyncShrinks:
		return w.onPartition(ctx, condition, func(was, is state.Partition) bool { return len(is.ISR) < len(was.ISR) })
	case faults.LeaderMoves:
		return w.onPartition(ctx, condition, func(was, is state.Partition) bool { return is.Leader != was.Leader })
	case faults.ControllerMoves:
		return onChange(ctx, w, witness.ControllerPath, w.holder(faults.Controller), differ)
	case faults.GenerationMoves:
		return polled(ctx, w.generation(condition.Name), func(was, is int) bool { return is != was })
	case faults.TaskMoves:
		return polled(ctx, w.holder(faults.WorkerOf(condition.Name, condition.N)), differ)
	}
	return nil, fmt.Errorf("watch %v: %w: unknown condition", condition, faults.ErrUnsupported)
}

func differ(was, is topology.Node) bool { return is != was }

// onNode fires at the first event of that kind on a node of ZooKeeper.
func (w Watch) onNode(ctx context.Context, path string, awaited state.ZNodeEvent) (<-chan faults.Event, error) {
	changes, err := w.Roles.ZooKeeper.Watch(ctx, path)
	if err != nil {
		return nil, err
	}
	out := make(chan faults.Event, 1)
	go func() {
		for change := range changes { // ends with the context
			if change.Event == awaited {
				out <- faults.Event{At: change.Node.At}
				return
			}
		}
		out <- ended(ctx, nil)
	}()
	return out, nil
}

// ended is the event of a watch that did not fire.
func ended(ctx context.Context, last error) faults.Event {
	if ctx.Err() == nil {
		last = errors.Join(errors.New("the watch ended"), last)
	}
	return faults.Event{At: time.Now(), Err: errors.Join(ctx.Err(), last)}
}

// onSession fires when ZooKeeper has a session for the broker that it had not.
func (w Watch) onSession(ctx context.Context, broker string) (<-chan faults.Event, error) {
	node, err := topology.ParseNode(broker)
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context) ([]faults.SessionID, error) { return w.Sessions.Open(ctx, node) }
	return polled(ctx, open, func(was, is []faults.SessionID) bool {
		return slices.ContainsFunc(is, func(id faults.SessionID) bool { return !slices.Contains(was, id) })
	})
}

// onPartition fires by the state that the controller and the leader keep of a
// partition.
func (w Watch) onPartition(ctx context.Context, c faults.Condition, fires func(was, is state.Partition) bool) (<-chan faults.Event, error) {
	at := witness.PartitionPath(c.Name, c.N)
	return onChange(ctx, w, at, func(ctx context.Context) (state.Partition, error) {
		read := state.Partition{Topic: c.Name, Partition: c.N}
		node, err := w.Roles.ZooKeeper.Get(ctx, at)
		if err == nil && !node.Exists {
			err = fmt.Errorf("%v", node)
		}
		if err == nil {
			err = read.AddPartitionState(node)
		}
		return read, err
	}, fires)
}

func (w Watch) generation(group string) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		view, err := w.Roles.Brokers.Group(ctx, group)
		return view.Generation, err
	}
}

func (w Watch) holder(role faults.Role) func(context.Context) (topology.Node, error) {
	return func(ctx context.Context) (topology.Node, error) { return w.Roles.Holder(ctx, role) }
}

// onChange fires by what stands in a node of ZooKeeper.
func onChange[T any](ctx context.Context, w Watch, path string, read func(context.Context) (T, error), fires func(was, is T) bool) (<-chan faults.Event, error) {
	life, end := context.WithCancel(ctx)
	changes, err := w.Roles.ZooKeeper.Watch(life, path)
	if err != nil {
		end()
		return nil, err
	}
	was, err := read(ctx)
	if err != nil {
		end()
		return nil, err
	}
	out := make(chan faults.Event, 1)
	go func() {
		defer end()
		out <- firstThat(ctx, changes, read, func(is T) bool { return fires(was, is) })
	}()
	return out, nil
}

// firstThat reads after every change until the reading fires; what happened then
// happened when ZooKeeper told of the change. A reading that fails is tried
// again: that nobody plays a part for a moment says nothing yet.
func firstThat[T any](ctx context.Context, changes <-chan state.ZNodeChange, read func(context.Context) (T, error), fires func(T) bool) faults.Event {
	var last error
	var again <-chan time.Time // while the last reading has failed
	for {
		var at time.Time
		select {
		case change, open := <-changes: // ends with the context
			if !open {
				return ended(ctx, last)
			}
			at = change.Node.At
		case at = <-again:
		}
		is, err := read(ctx)
		if again, last = nil, err; err != nil {
			again = time.After(pollEvery)
		} else if fires(is) {
			return faults.Event{At: at}
		}
	}
}

// polled reads once, and then again and again until what it reads differs in
// the way that fires. Readings that fail on the way are tried again: that a role
// is vacant for a moment is part of its moving.
func polled[T any](ctx context.Context, read func(context.Context) (T, error), fires func(was, is T) bool) (<-chan faults.Event, error) {
	was, err := read(ctx)
	if err != nil {
		return nil, err
	}
	out := make(chan faults.Event, 1)
	go func() {
		ticks := time.NewTicker(pollEvery)
		defer ticks.Stop()
		var last error
		for {
			select {
			case <-ctx.Done():
				out <- ended(ctx, last)
				return
			case <-ticks.C:
			}
			is, err := read(ctx)
			if last = err; err == nil && fires(was, is) {
				out <- faults.Event{At: time.Now()}
				return
			}
		}
	}()
	return out, nil
}
