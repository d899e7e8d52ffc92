package witness

import (
	"context"
	"testing"
	"time"

	"kafkachaos/harness/state"
)

func next(t *testing.T, changes <-chan state.ZNodeChange) state.ZNodeChange {
	t.Helper()
	select {
	case change, open := <-changes:
		if !open {
			t.Fatal("the watch ended")
		}
		return change
	case <-time.After(5 * time.Second):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

func expect(t *testing.T, changes <-chan state.ZNodeChange, events ...state.ZNodeEvent) {
	t.Helper()
	for _, want := range events {
		if got := next(t, changes); got.Event != want || got.Node.Exists != (want != state.ZNodeDeleted) || got.Node.By == "" {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

func startWatch(t *testing.T, nodes ...string) (*fakeZK, <-chan state.ZNodeChange) {
	t.Helper()
	fake, z := fakeWitness(t)
	fake.do(nodes...)
	changes, err := z.Watch(t.Context(), "/a")
	if err != nil {
		t.Fatal(err)
	}
	if first := next(t, changes); first.Event != state.ZNodeFound || first.Node.Exists != (len(nodes) > 0) {
		t.Fatalf("got %v first", first)
	}
	return fake, changes
}

// rearmed waits until the watch is set again, as it is after each event.
func (z *fakeZK) rearmed(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		z.mu.Lock()
		set := len(z.watches["/a"])
		z.mu.Unlock()
		if set > 0 {
			return
		}
	}
	t.Fatal("the watch was not set again")
}

func TestWatchTellsEachEvent(t *testing.T) {
	fake, changes := startWatch(t)
	for _, step := range []struct {
		do   string
		want state.ZNodeEvent
	}{
		{"create /a", state.ZNodeCreated}, {"set /a", state.ZNodeChanged}, {"delete /a", state.ZNodeDeleted},
		{"create /a", state.ZNodeCreated}, {"delete /a", state.ZNodeDeleted},
	} {
		fake.rearmed(t)
		fake.do(step.do)
		expect(t, changes, step.want)
	}
	fake.rearmed(t)
	if len(changes) > 0 {
		t.Errorf("one event too many: %v", <-changes)
	}
}

// Changes between the firing of a watch and its being set again are told from
// what the node is then.
func TestWatchTellsWhatHappenedBetween(t *testing.T) {
	for name, test := range map[string]struct {
		nodes, do []string
		want      []state.ZNodeEvent
	}{
		"deleted and made again": {[]string{"create /a"}, []string{"delete /a", "create /a"},
			[]state.ZNodeEvent{state.ZNodeDeleted, state.ZNodeCreated}},
		"made and deleted": {nil, []string{"create /a", "delete /a"},
			[]state.ZNodeEvent{state.ZNodeCreated, state.ZNodeDeleted}},
		"changed and deleted": {[]string{"create /a"}, []string{"set /a", "delete /a"},
			[]state.ZNodeEvent{state.ZNodeChanged, state.ZNodeDeleted}},
		"changed, deleted, made": {[]string{"create /a"}, []string{"set /a", "delete /a", "create /a"},
			[]state.ZNodeEvent{state.ZNodeChanged, state.ZNodeDeleted, state.ZNodeCreated}},
	} {
		t.Run(name, func(t *testing.T) {
			fake, changes := startWatch(t, test.nodes...)
			fake.do(test.do...)
			expect(t, changes, test.want...)
		})
	}
}

func TestWatchOutlivesBrokenConnections(t *testing.T) {
	for name, forgets := range map[string]bool{"session kept": false, "session expired": true} {
		t.Run(name, func(t *testing.T) {
			fake, changes := startWatch(t, "create /a")
			fake.restart(forgets, "delete /a")
			expect(t, changes, state.ZNodeDeleted)
			fake.rearmed(t)
			fake.do("create /a")
			expect(t, changes, state.ZNodeCreated)
		})
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	_, z := fakeWitness(t)
	ctx, cancel := context.WithCancel(t.Context())
	changes, err := z.Watch(ctx, "/a")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, changes) // nothing yet
	<-changes
	cancel()
	select {
	case change, open := <-changes:
		if open {
			t.Errorf("got %v", change)
		}
	case <-time.After(time.Second):
		t.Error("the watch goes on")
	}
}
