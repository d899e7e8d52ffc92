package invariant

import (
	"kafkachaos/harness/history"
)

var breachesOfReaders = []story{
	{Backwards, "an earlier offset in the next poll", func(t *tape) {
		sendsOf(t, 2)
		t.read(early, 1, alice, 1)
		t.read(early, 0, alice, 0)
	}},
	{Backwards, "the same offset again", func(t *tape) {
		sendsOf(t, 1)
		t.read(early, 0, alice, 0)
		t.read(early, 0, alice, 0)
	}},
	{Backwards, "before where the assignment begins", func(t *tape) {
		sendsOf(t, 1)
		t.assign(early, 1)
		t.read(early, 0, alice, 0)
	}},

	{Skipped, "others see what lies between", func(t *tape) {
		sendsOf(t, 3)
		t.read(early, 0, alice, 0)
		t.read(early, 2, alice, 2)
		finally(t, 3)
	}},
	{Skipped, "at the beginning of an assignment", func(t *tape) {
		sendsOf(t, 2)
		t.assign(early, 0)
		t.read(early, 1, alice, 1)
		finally(t, 2)
	}},
	{Skipped, "a group goes on behind what its members read", func(t *tape) {
		one, two := pair(t)
		sendsOf(t, 3)
		t.assign(one, 0)
		t.read(one, 0, alice, 0)
		t.assign(two, 2)
		t.read(two, 2, alice, 2)
		finally(t, 3)
	}},
	{Skipped, "a group goes on behind what its members read, by the next record", func(t *tape) {
		one, two := pair(t)
		sendsOf(t, 3)
		t.read(one, 0, alice, 0)
		t.read(two, 2, alice, 2)
		finally(t, 3)
	}},

	{CommitBackwards, "a lower offset after a higher one", func(t *tape) {
		one, two := pair(t)
		t.commit(one, 9)(history.Acked)
		t.commit(two, 8)(history.Acked)
	}},
	{CommitBackwards, "a member starts before what was committed", func(t *tape) {
		one, two := pair(t)
		t.commit(one, 9)(history.Acked)
		t.assign(two, 8)
	}},
}
