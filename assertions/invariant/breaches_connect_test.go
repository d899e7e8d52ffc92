package invariant

import (
	"time"

	"kafkachaos/harness/history"
)

var breachesOfConnect = []story{
	{SourceGap, "a line is missing before another one", func(t *tape) {
		source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1})
		lines(t, source, 3)
		t.read(final, 0, source, 0)
		t.read(final, 1, source, 2)
	}},

	{SinkGap, "in the middle", func(t *tape) {
		sink := copies(t, 3)
		t.sink(sink, alice, 0, 2)
	}},
	{SinkGap, "at the end", func(t *tape) {
		sink := copies(t, 3)
		t.sink(sink, alice, 0, 1)
	}},
	{SinkGap, "nothing came at all", func(t *tape) { copies(t, 3) }},

	{SinkDuplicate, "twice without any fault", func(t *tape) {
		sink := copies(t, 2)
		t.sink(sink, alice, 0, 1, 0)
	}},
	{SinkDuplicate, "twice in a sink that is exactly-once", func(t *tape) {
		sink := copies(t, 2)
		t.change(sink, func(c *history.Client) { c.ExactlyOnce = true })
		t.stop("worker-1", false)
		t.sink(sink, alice, 0, 1, 1)
	}},

	{SinkReordered, "the later one first", func(t *tape) {
		sink := copies(t, 2)
		t.sink(sink, alice, 1, 0)
	}},

	{TwoOwners, "in one generation", func(t *tape) {
		t.owners(3, map[string][]string{"worker-1": {"copy-0"}, "worker-2": {"copy-0", "copy-1"}})
	}},
	{TwoOwners, "one member has it twice", func(t *tape) {
		t.owners(3, map[string][]string{"worker-1": {"copy-0", "copy-0"}})
	}},

	{NoOwner, "lost by its owner", func(t *tape) {
		t.terms(history.Terms{Ownerless: time.Second})
		t.owners(3, map[string][]string{"worker-1": {"copy-0"}, "worker-2": {"copy-1"}})
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
		t.wait(2 * time.Second)
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
	}},
	{NoOwner, "expected and never owned", func(t *tape) {
		t.terms(history.Terms{Ownerless: time.Second, Tasks: map[string][]string{"connect": {"copy-0", "copy-1"}}})
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
		t.wait(2 * time.Second)
		t.owners(4, map[string][]string{"worker-1": {"copy-0"}})
	}},
}
