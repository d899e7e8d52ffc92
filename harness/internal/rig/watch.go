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

// Arm sets the watch. Conditions on nodes of ZooKeeper fire by its own events;
// sessions, generations and tasks are polled.
func (w Watch) Arm(ctx context.Context, condition faults.Condition) (<-chan faults.Event, error) {
	switch condition.Kind {
	case faults.ZNodeAppears:
		return w.onNode(ctx, condition.Name, state.ZNodeCreated)
	case faults.ZNodeGone:
		return w.onNode(ctx, condition.Name, state.ZNodeDeleted)
	case faults.NewSession:
		return w.onSession(ctx, condition.Name)
	case faults.InSyncShrinks:
		return polled(ctx, w.partition(condition), func(was, is state.Partition) bool { return len(is.ISR) < len(was.ISR) })
	case faults.LeaderMoves:
		return polled(ctx, w.partition(condition), func(was, is state.Partition) bool { return is.Leader != was.Leader })
	case faults.GenerationMoves:
		return polled(ctx, w.generation(condition.Name), func(was, is int) bool { return is != was })
	case faults.TaskMoves:
		role := faults.Role{Kind: faults.KindTaskWorker, Name: condition.Name, N: condition.N}
		return polled(ctx, w.holder(role), func(was, is topology.Node) bool { return is != was })
	case faults.ControllerMoves:
		return polled(ctx, w.holder(faults.Controller), func(was, is topology.Node) bool { return is != was })
	}
	return nil, fmt.Errorf("watch %v: %w: unknown condition", condition, faults.ErrUnsupported)
}

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
		out <- faults.Event{At: time.Now(), Err: ctx.Err()}
	}()
	return out, nil
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

func (w Watch) partition(condition faults.Condition) func(context.Context) (state.Partition, error) {
	return func(ctx context.Context) (state.Partition, error) {
		view, err := w.Roles.Admin.Topic(ctx, condition.Name)
		if err != nil {
			return state.Partition{}, err
		}
		for _, p := range view.Partitions {
			if p.Partition == condition.N {
				return p, nil
			}
		}
		return state.Partition{}, fmt.Errorf("no partition %d in %v", condition.N, view)
	}
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
				out <- faults.Event{At: time.Now(), Err: errors.Join(ctx.Err(), last)}
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
