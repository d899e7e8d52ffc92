package invariant

import (
	"kafkachaos/harness/history"
)

var missesOfReaders = []miss{
	{Backwards, "in a new assignment", Held, func(t *tape) {
		sendsOf(t, 2)
		t.read(early, 1, alice, 1)
		t.assign(early, 0)
		t.read(early, 0, alice, 0)
		finally(t, 2)
	}},
	{Backwards, "after a revocation", Held, func(t *tape) {
		sendsOf(t, 2)
		t.read(early, 1, alice, 1)
		t.position(history.RevokeMark, early, 0)
		t.read(early, 0, alice, 0)
		finally(t, 2)
	}},

	{Skipped, "a marker of a transaction", Held, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Commit, 1, alice, history.Acked)
		t.send(alice, 1, 2)
		t.assign(final, 0)
		t.read(final, 0, alice, 0)
		t.read(final, 2, alice, 1)
	}},
	{Skipped, "an aborted record that readers of all records see", Held, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Abort, 1, alice, history.Acked)
		t.send(alice, 1, 2)
		t.read(early, 0, alice, 0)
		t.assign(final, 0)
		t.read(final, 2, alice, 1)
	}},
	{Skipped, "a group goes on where its members were", Held, func(t *tape) {
		one, two := pair(t)
		sendsOf(t, 2)
		t.assign(one, 0)
		t.read(one, 0, alice, 0)
		t.assign(two, 1)
		t.read(two, 1, alice, 1)
		finally(t, 2)
	}},

	{CommitBackwards, "commits that overlap", Held, func(t *tape) {
		one, two := pair(t)
		later := t.commit(two, 8)
		t.commit(one, 9)(history.Acked)
		later(history.Acked)
	}},
	{CommitBackwards, "a refused commit", Held, func(t *tape) {
		one, two := pair(t)
		t.commit(one, 9)(history.Acked)
		t.commit(two, 8)(history.Refused)
		t.commit(two, 9)(history.Acked)
	}},
	{CommitBackwards, "another group", Held, func(t *tape) {
		one, _ := pair(t)
		other := t.client(history.Client{Name: "other", Role: history.Consumer, Group: "h"})
		t.commit(one, 9)(history.Acked)
		t.commit(other, 8)(history.Acked)
	}},
}
