package invariant

import (
	"kafkachaos/harness/history"
)

var breachesOfTheLog = []story{
	{Lost, "nobody sees it, and the next one is read", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		t.assign(final, 0)
		t.read(final, 1, alice, 1)
	}},
	{Lost, "in the middle of what one consumer reads", func(t *tape) {
		for i := range int64(3) {
			t.send(alice, i, i)
		}
		t.read(early, 0, alice, 0)
		t.read(early, 2, alice, 2)
	}},
	{Lost, "seen once, gone in the end", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		t.read(early, 0, alice, 0)
		t.assign(final, 0)
		t.read(final, 1, alice, 1)
	}},
	{Lost, "the final read gets to the end of the log without it", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		t.assign(final, 0)
		t.read(final, 0, alice, 0)
		t.passed(final, 2)
	}},
	{Lost, "another record stands at its offset", func(t *tape) {
		t.send(alice, 0, 0)
		t.begin(bob, 0)
		t.assign(final, 0)
		t.read(final, 0, bob, 0)
	}},
	{Lost, "another record was read at its offset before", func(t *tape) {
		t.begin(alice, 0)
		t.begin(bob, 0)
		t.read(final, 0, bob, 0)
		t.outcome(history.Acked, alice, 0, 0, 0)
	}},
	{Lost, "acknowledged with acks=1 and no fault", func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Acks = "1" })
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		t.assign(final, 0)
		t.read(final, 1, alice, 1)
	}},
	{Lost, "in a committed transaction", func(t *tape) {
		t.txn(1, alice, 0, 0)
		t.end(history.Commit, 1, alice, history.Acked)
		t.send(alice, 1, 2)
		t.assign(final, 0)
		t.read(final, 2, alice, 1)
	}},
	{Lost, "far before the next one that is read", func(t *tape) {
		t.send(alice, 0, 5)
		t.send(alice, 1, 1_000_000)
		t.assign(final, 0)
		t.read(final, 1_000_000, alice, 1)
	}},
	{Lost, "demanded, though acks=1 does not promise it under a fault", func(t *tape) {
		t.terms(history.Terms{Demand: []string{"lost"}})
		lossWithAcks1(t)
	}},

	{Unseen, "the final read never gets there", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		t.assign(final, 0)
		t.read(final, 0, alice, 0)
	}},
	{Unseen, "only an early reader saw the tail", func(t *tape) {
		t.send(alice, 0, 0)
		t.assign(final, 0)
		t.read(early, 0, alice, 0)
	}},
	{Unseen, "acknowledged without an offset", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(alice, 1, -1)
		t.read(final, 0, alice, 0)
	}},
	{Unseen, "a source's last line", func(t *tape) {
		source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1})
		lines(t, source, 2)
		t.read(final, 0, source, 0)
	}},

	{Duplicate, "one record at two offsets", func(t *tape) {
		t.send(alice, 0, 0)
		t.read(final, 0, alice, 0)
		t.read(final, 1, alice, 0)
	}},
	{Duplicate, "one record in two partitions", func(t *tape) {
		t.send(alice, 0, 0)
		t.read(final, 0, alice, 0)
		t.readFrom(1, final, 0, alice, 0)
	}},
	{Duplicate, "a send of unknown outcome, written twice", func(t *tape) {
		t.begin(alice, 0)
		t.outcome(history.Unknown, alice, 0, 0, 0)
		t.read(early, 0, alice, 0)
		t.read(final, 1, alice, 0)
	}},

	{Moved, "acknowledged at 0, found at 1", func(t *tape) {
		t.send(alice, 0, 0)
		t.assign(final, 0)
		t.read(final, 1, alice, 0)
	}},
	{Moved, "acknowledged in one partition, found in another", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		t.assign(final, 0)
		t.readFrom(1, final, 0, alice, 0)
		t.read(final, 1, alice, 1)
	}},

	{Conflict, "two readers find two records", func(t *tape) {
		t.begin(alice, 0)
		t.begin(bob, 0)
		t.read(early, 0, alice, 0)
		t.read(final, 0, bob, 0)
	}},
	{Conflict, "two acknowledgements", func(t *tape) {
		t.send(alice, 0, 0)
		t.send(bob, 0, 0)
	}},
	{Conflict, "another one than was acknowledged before", func(t *tape) {
		t.send(alice, 0, 0)
		t.begin(alice, 1)
		t.read(final, 0, alice, 1)
	}},
	{Conflict, "another one than is acknowledged later", func(t *tape) {
		t.begin(alice, 1)
		t.read(final, 0, alice, 1)
		t.send(alice, 2, 0)
	}},

	{Phantom, "never sent", func(t *tape) { t.read(final, 0, alice, 7) }},
	{Phantom, "read before it was sent", func(t *tape) {
		t.read(final, 0, alice, 0)
		t.send(alice, 0, 0)
	}},
	{Phantom, "from a client that there is not", func(t *tape) { t.read(final, 0, 99, 0) }},
	{Phantom, "in place of another record", func(t *tape) {
		t.send(alice, 0, 0)
		t.read(early, 0, alice, 0)
		t.read(final, 0, alice, 7)
	}},
	{Phantom, "a value that says nothing", func(t *tape) { t.read(final, 0, 0, 0) }},
	{Phantom, "a line of a sink", func(t *tape) {
		sink := t.client(history.Client{Name: "file", Role: history.SinkFile, Topics: []int{topicOrders}})
		t.sink(sink, alice, 3)
	}},

	{Reordered, "the later one stands first", func(t *tape) {
		t.send(alice, 0, 1)
		t.send(alice, 1, 0)
	}},
	{Reordered, "the later one stands first, and a copy of the other in another partition", func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent, c.InFlight = false, 1 })
		t.readFrom(1, final, 0, alice, 0)
		t.send(alice, 0, 1)
		t.send(alice, 1, 0)
		t.read(final, 0, alice, 1)
		t.read(final, 1, alice, 0)
	}},
	{Reordered, "of unknown outcome, as it was read", func(t *tape) {
		t.begin(alice, 0)
		t.begin(alice, 1)
		t.read(final, 0, alice, 1)
		t.read(final, 1, alice, 0)
	}},

	{Refused, "read after the refusal", func(t *tape) {
		t.begin(alice, 0)
		t.outcome(history.Refused, alice, 0, 0, 0)
		t.read(final, 0, alice, 0)
	}},
	{Refused, "read before the refusal", func(t *tape) {
		t.begin(alice, 0)
		t.read(early, 0, alice, 0)
		t.outcome(history.Refused, alice, 0, 0, 0)
	}},

	{Aborted, "read as committed", func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Abort, 1, alice, history.Acked)
		t.read(final, 0, alice, 0)
	}},
	{Aborted, "read as committed before the commit was refused", func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.read(final, 0, alice, 0)
		t.end(history.Commit, 1, alice, history.Refused)
	}},
	{Aborted, "never committed", func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.read(final, 0, alice, 0)
	}},
}
