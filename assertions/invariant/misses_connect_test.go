package invariant

import (
	"time"

	"kafkachaos/harness/history"
)

var missesOfConnect = []miss{
	{SourceGap, "all lines, one twice", Held, func(t *tape) {
		source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1})
		lines(t, source, 2)
		for offset, line := range []int64{0, 1, 1} {
			t.read(final, int64(offset), source, line)
		}
	}},

	{SinkGap, "a record that never came to the topic", Held, func(t *tape) {
		sink := copies(t, 2)
		t.begin(alice, 2)
		t.outcome(history.Unknown, alice, 2, 0, 0)
		t.sink(sink, alice, 0, 1)
	}},

	{SinkDuplicate, "at least once, under a fault", NotPromised, func(t *tape) {
		sink := copies(t, 2)
		t.stop("worker-1", false)
		t.sink(sink, alice, 0, 1, 0, 1)
	}},
	{SinkDuplicate, "the topic has it twice", Held, func(t *tape) {
		source := t.client(history.Client{Name: "in", Role: history.Source, Acks: "all", InFlight: 1})
		sink := t.client(history.Client{Name: "out", Role: history.SinkFile, Topics: []int{topicOrders}, ExactlyOnce: true})
		lines(t, source, 1)
		t.read(final, 0, source, 0)
		t.read(final, 1, source, 0)
		t.sink(sink, source, 0, 0)
	}},

	{SinkReordered, "delivered again in order", Held, func(t *tape) {
		sink := copies(t, 3)
		t.stop("worker-1", false)
		t.sink(sink, alice, 0, 1, 0, 1, 2)
	}},

	{SinkReordered, "early, from another partition", Held, func(t *tape) {
		source := t.client(history.Client{Name: "in", Role: history.Source, Acks: "all", InFlight: 1})
		sink := t.client(history.Client{Name: "out", Role: history.SinkFile, Topics: []int{topicOrders}})
		lines(t, source, 3)
		for offset := range int64(3) {
			t.read(final, offset, source, offset)
		}
		t.readFrom(1, final, 0, source, 1)
		t.sink(sink, source, 1, 0, 1, 2)
	}},

	{TwoOwners, "one after the other", Held, func(t *tape) {
		t.owners(3, map[string][]string{"worker-1": {"copy-0"}})
		t.owners(4, map[string][]string{"worker-2": {"copy-0"}})
	}},

	{NoOwner, "within the bound", Held, func(t *tape) {
		t.terms(history.Terms{Ownerless: time.Second})
		t.owners(3, map[string][]string{"worker-1": {"copy-0"}, "worker-2": {"copy-1"}})
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
		t.wait(900 * time.Millisecond)
		t.owners(5, map[string][]string{"worker-1": {"copy-0", "copy-1"}})
	}},
	{NoOwner, "owned again since long", Held, func(t *tape) {
		t.terms(history.Terms{Ownerless: time.Second})
		t.owners(3, map[string][]string{"worker-1": {"copy-0"}})
		t.owners(4, map[string][]string{"worker-1": {}})
		t.owners(5, map[string][]string{"worker-1": {"copy-0"}})
		t.wait(time.Hour)
		t.owners(5, map[string][]string{"worker-1": {"copy-0"}})
		t.owners(6, map[string][]string{"worker-1": {}})
	}},
	{NoOwner, "not expected any more", Held, func(t *tape) {
		t.terms(history.Terms{Ownerless: time.Second})
		t.owners(3, map[string][]string{"worker-1": {"copy-0", "copy-1"}})
		t.terms(history.Terms{Ownerless: time.Second, Tasks: map[string][]string{"connect": {"copy-0"}}})
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
		t.wait(time.Hour)
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
	}},
	{NoOwner, "long unread, but owned whenever read", Held, func(t *tape) {
		t.terms(history.Terms{Ownerless: time.Second})
		t.owners(3, map[string][]string{"worker-1": {"copy-0"}})
		t.wait(time.Hour)
		t.owners(4, map[string][]string{"worker-2": {"copy-0"}})
	}},
}
