package invariant

import (
	"slices"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// story is a small history by the law that it is about.
type story struct {
	law   Law
	about string
	tell  func(*tape)
}

// breaches must be rejected, each for its law.
var breaches = []story{
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

	{NoProgress, "nothing is acknowledged", func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Available: true}, history.Intended, history.InEffect)
		t.begin(alice, 1)
		t.fault(history.Fault{}, history.Healed)
		t.outcome(history.Acked, alice, 1, 0, 1)
		finally(t, 2)
	}},

	{NoProgress, "only what was under way before is acknowledged", func(t *tape) {
		t.begin(alice, 0)
		t.fault(history.Fault{Available: true}, history.Intended, history.InEffect)
		t.outcome(history.Acked, alice, 0, 0, 0)
		t.begin(alice, 1)
		t.fault(history.Fault{}, history.Healed)
		t.outcome(history.Acked, alice, 1, 0, 1)
		finally(t, 2)
	}},

	{Unavailable, "a wait during the fault", func(t *tape) { waits(t, 3*time.Second, 0) }},
	{Unavailable, "a wait that lasts beyond the heal", func(t *tape) { waits(t, time.Second, 1500*time.Millisecond) }},
	{Unavailable, "a wait that has no end", func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Budget: time.Second}, history.Intended, history.InEffect)
		t.begin(alice, 1)
		t.wait(3 * time.Second)
		t.outcome(history.Unknown, alice, 1, 0, 0)
		t.begin(alice, 2)
	}},
	{Unavailable, "the second of two that were sent at once", func(t *tape) {
		t.fault(history.Fault{Budget: time.Second}, history.Intended, history.InEffect)
		t.begin(alice, 0)
		t.begin(alice, 1)
		t.outcome(history.Acked, alice, 0, 0, 0)
		t.wait(2 * time.Second)
		t.outcome(history.Acked, alice, 1, 0, 1)
	}},
	{Unavailable, "one partition of two", func(t *tape) {
		t.fault(history.Fault{Budget: time.Second}, history.Intended, history.InEffect)
		t.begin(alice, 0)
		for i := range int64(4) {
			t.wait(500 * time.Millisecond)
			t.sendTo(1, bob, i, i)
		}
		t.outcome(history.Acked, alice, 0, 0, 0)
	}},

	{SlowRecovery, "the first acknowledgement comes late", func(t *tape) { recovers(t, 3*time.Second) }},
	{SlowRecovery, "nothing is acknowledged any more", func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect, history.Healed)
		t.begin(alice, 1)
		t.wait(2 * time.Second)
		t.outcome(history.Unknown, alice, 1, 0, 0)
		t.begin(alice, 2)
	}},
	{SlowRecovery, "the system was whole late", func(t *tape) {
		t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect, history.Healed)
		t.send(alice, 0, 0)
		t.wait(2 * time.Second)
		t.fault(history.Fault{}, history.Recovered)
	}},
}

// TestBreachesAreRejectedByTheirLaw: each law of all has a story, and each story
// is told by its law.
func TestBreachesAreRejectedByTheirLaw(t *testing.T) {
	told := map[Law]bool{}
	for _, s := range breaches {
		told[s.law] = true
		t.Run(s.law.String()+": "+s.about, func(t *testing.T) {
			tape := newTape()
			s.tell(tape)
			tape.over()
			report := tape.judge(t)
			if report.Verdict != Fail || !slices.Contains(report.Broken(), s.law) {
				t.Errorf("want %s broken:\n%v", s.law, report)
			}
		})
	}
	for _, s := range Laws() {
		if !told[s.Law] {
			t.Errorf("no history breaks %q", s.Law)
		}
	}
}

func sendsOf(t *tape, count int64) {
	for i := range count {
		t.send(alice, i, i)
	}
}

// finally reads alice's first records in the end.
func finally(t *tape, count int64) {
	t.assign(final, 0)
	for i := range count {
		t.read(final, i, alice, i)
	}
}

func lines(t *tape, source int, count int64) {
	for i := range count {
		e := history.Event{Kind: history.Send, Client: source, Seq: i}
		t.add(e)
		e.Outcome, e.Offset = history.Acked, -1
		t.add(e)
	}
}

func transactional(t *tape) {
	t.change(alice, func(c *history.Client) { c.Transactional = true })
}

func pair(t *tape) (one, two int) {
	return t.client(history.Client{Name: "one", Role: history.Consumer, Group: "g"}),
		t.client(history.Client{Name: "two", Role: history.Consumer, Group: "g"})
}

// copies has records on a topic that a sink shall deliver.
func copies(t *tape, count int64) (sink int) {
	sink = t.client(history.Client{Name: "file", Role: history.SinkFile, Topics: []int{topicOrders}})
	sendsOf(t, count)
	finally(t, count)
	return sink
}

func lossWithAcks1(t *tape) {
	t.change(alice, func(c *history.Client) { c.Acks = "1" })
	t.send(alice, 0, 0)
	t.fault(history.Fault{}, history.Intended, history.InEffect, history.Healed)
	t.send(alice, 1, 1)
	t.assign(final, 0)
	t.read(final, 1, alice, 1)
}

// waits has a fault with a budget of two seconds, in which a send waits so long
// before and after the heal.
func waits(t *tape, before, after time.Duration) {
	t.send(alice, 0, 0)
	t.fault(history.Fault{Budget: 2 * time.Second}, history.Intended, history.InEffect)
	t.begin(alice, 1)
	t.wait(before)
	t.fault(history.Fault{}, history.Healed)
	t.wait(after)
	t.outcome(history.Acked, alice, 1, 0, 1)
	finally(t, 2)
}

// recovers has a fault with a bound of two seconds, and the first
// acknowledgement so long after its heal.
func recovers(t *tape, after time.Duration) {
	t.send(alice, 0, 0)
	t.fault(history.Fault{Recovery: 2 * time.Second}, history.Intended, history.InEffect)
	t.begin(alice, 1)
	t.fault(history.Fault{}, history.Healed)
	t.wait(after)
	t.outcome(history.Acked, alice, 1, 0, 1)
	finally(t, 2)
}
