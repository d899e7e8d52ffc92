package invariant

import (
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// misses come near to a breach of their law and must pass.
var misses = []struct {
	law    Law
	about  string
	status Status
	tell   func(*tape)
}{
	{Lost, "all is there", Held, func(t *tape) {
		sendsOf(t, 3)
		finally(t, 3)
	}},
	{Lost, "what is missing may not have happened", Held, func(t *tape) {
		t.send(alice, 0, 0)
		t.begin(alice, 1)
		t.outcome(history.Unknown, alice, 1, 0, 0)
		t.begin(alice, 2) // never returned
		t.begin(alice, 3)
		t.outcome(history.Refused, alice, 3, 0, 0)
		t.send(alice, 4, 2)
		t.assign(final, 0)
		t.read(final, 0, alice, 0)
		t.read(final, 2, alice, 4)
	}},
	{Lost, "an early reader began behind it", Held, func(t *tape) {
		sendsOf(t, 2)
		t.assign(early, 1)
		t.read(early, 1, alice, 1)
		finally(t, 2)
	}},
	{Lost, "acks=1 does not promise it under a fault", NotPromised, lossWithAcks1},
	{Lost, "unclean elections do not promise it", NotPromised, func(t *tape) {
		t.topic(history.Topic{Number: topicOrders, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 2, Unclean: true})
		lose(t)
	}},
	{Lost, "one replica in sync does not promise it when a broker is killed", NotPromised, func(t *tape) {
		t.topic(history.Topic{Number: topicOrders, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 1})
		t.stop("broker-1", false)
		lose(t)
	}},
	{Lost, "an old Kafka does not promise it when a broker is killed", NotPromised, func(t *tape) {
		t.header.Brokers = "0.10.2.0"
		t.stop("broker-1", false)
		lose(t)
	}},
	{Lost, "unclean elections did not promise it for a while", NotPromised, func(t *tape) {
		for _, unclean := range []bool{true, false} {
			t.topic(history.Topic{Number: topicOrders, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 2, Unclean: unclean})
		}
		lose(t)
	}},
	{Lost, "a worker was killed, and one replica in sync will do", Held, func(t *tape) {
		t.topic(history.Topic{Number: topicOrders, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 1})
		t.stop("worker-1", false)
		sendsOf(t, 2)
		finally(t, 2)
	}},
	{Lost, "the topic was deleted", NotChecked, func(t *tape) {
		lose(t)
		t.add(history.Event{Kind: history.Admin, Client: alice, Change: &history.Change{What: history.DeleteTopic, Topic: topicOrders}})
	}},
	{Lost, "an aborted transaction", NotChecked, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Abort, 1, alice, history.Acked)
		t.assign(final, 0)
		t.passed(final, 2)
	}},
	{Lost, "the outcome of the transaction is unknown", NotChecked, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Commit, 1, alice, history.Unknown)
		t.assign(final, 0)
		t.passed(final, 2)
	}},

	{Unseen, "seen in the last poll", Held, func(t *tape) {
		sendsOf(t, 1)
		finally(t, 1)
	}},
	{Unseen, "acknowledged without an offset, but seen", Held, func(t *tape) {
		t.send(alice, 0, -1)
		t.read(final, 0, alice, 0)
	}},

	{Duplicate, "read twice at the same offset by two", Held, func(t *tape) {
		sendsOf(t, 1)
		t.read(early, 0, alice, 0)
		finally(t, 1)
	}},
	{Duplicate, "without idempotence", NotPromised, func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent, c.InFlight = false, 1 })
		t.send(alice, 0, 1)
		t.assign(final, 0)
		t.read(final, 0, alice, 0)
		t.read(final, 1, alice, 0)
	}},
	{Duplicate, "the same number of two producers", Held, func(t *tape) {
		t.send(alice, 0, 0)
		t.send(bob, 0, 1)
		finally(t, 1)
		t.read(final, 1, bob, 0)
	}},

	{Moved, "a duplicate stands at both", Held, func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent, c.InFlight = false, 1 })
		t.send(alice, 0, 1)
		t.assign(final, 0)
		t.read(final, 0, alice, 0)
		t.read(final, 1, alice, 0)
	}},

	{Conflict, "the acknowledgement comes after the read", Held, func(t *tape) {
		t.begin(alice, 0)
		t.read(final, 0, alice, 0)
		t.outcome(history.Acked, alice, 0, 0, 0)
	}},
	{Conflict, "unclean elections do not promise it", NotPromised, func(t *tape) {
		t.topic(history.Topic{Number: topicOrders, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 2, Unclean: true})
		t.begin(alice, 0)
		t.begin(bob, 0)
		t.read(early, 0, alice, 0)
		t.read(final, 0, bob, 0)
	}},

	{Phantom, "read while the send is under way", Held, func(t *tape) {
		t.begin(alice, 0)
		t.read(final, 0, alice, 0)
	}},
	{Phantom, "the send is of unknown outcome", Held, func(t *tape) {
		t.begin(alice, 0)
		t.outcome(history.Unknown, alice, 0, 0, 0)
		t.read(final, 0, alice, 0)
	}},

	{Reordered, "two producers", Held, func(t *tape) {
		t.send(alice, 5, 0)
		t.send(bob, 4, 1)
		t.assign(final, 0)
		t.read(final, 0, alice, 5)
		t.read(final, 1, bob, 4)
	}},
	{Reordered, "two partitions", Held, func(t *tape) {
		t.sendTo(0, alice, 1, 0)
		t.sendTo(1, alice, 0, 9)
		t.read(final, 0, alice, 1)
		t.readFrom(1, final, 9, alice, 0)
	}},
	{Reordered, "a duplicate stands behind a later one", Held, func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent, c.InFlight = false, 1 })
		t.send(alice, 0, 0)
		t.send(alice, 1, 1)
		for offset, seq := range []int64{0, 1, 0} {
			t.read(final, int64(offset), alice, seq)
		}
	}},
	{Reordered, "a request that timed out arrives late", Held, func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent, c.InFlight = false, 1 })
		t.begin(alice, 0)
		t.outcome(history.Unknown, alice, 0, 0, 0)
		t.send(alice, 1, 0)
		t.read(final, 0, alice, 1)
		t.read(final, 1, alice, 0)
	}},
	{Reordered, "several in flight without idempotence", NotPromised, func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent = false })
		swapped(t)
	}},
	{Reordered, "several in flight before 1.0.0", NotPromised, func(t *tape) {
		t.header.Brokers = "0.11.0.3"
		swapped(t)
	}},

	{Refused, "unknown is not refused", Held, func(t *tape) {
		t.begin(alice, 0)
		t.outcome(history.Unknown, alice, 0, 0, 0)
		t.read(final, 0, alice, 0)
	}},

	{Aborted, "by a reader of all records", NotChecked, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Abort, 1, alice, history.Acked)
		t.read(early, 0, alice, 0)
	}},
	{Aborted, "the commit may have happened", Held, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.end(history.Commit, 1, alice, history.Unknown)
		t.read(final, 0, alice, 0)
	}},
	{Aborted, "read before the commit returned", Held, func(t *tape) {
		transactional(t)
		t.txn(1, alice, 0, 0)
		t.read(final, 0, alice, 0)
		t.end(history.Commit, 1, alice, history.Acked)
	}},

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

	{NoProgress, "one is acknowledged", Held, func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Available: true}, history.Intended, history.InEffect)
		t.send(alice, 1, 1)
		t.fault(history.Fault{}, history.Healed)
		t.send(alice, 2, 2)
		finally(t, 3)
	}},
	{NoProgress, "a fault that is over at once", NotChecked, func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Available: true, Instant: true}, history.Intended, history.InEffect)
		t.send(alice, 1, 1)
		finally(t, 2)
	}},
	{Unavailable, "a wait without end that began long before the fault", Held, func(t *tape) {
		t.begin(alice, 0)
		t.wait(time.Hour)
		t.sendTo(1, bob, 0, 0)
		t.fault(history.Fault{Budget: time.Second}, history.Intended, history.InEffect, history.Healed)
		t.sendTo(1, bob, 1, 1)
	}},
	{Unavailable, "within the budget", Held, func(t *tape) { waits(t, 1900*time.Millisecond, 0) }},
	{Unavailable, "nothing was tried for long", Held, func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Budget: time.Second}, history.Intended, history.InEffect)
		t.wait(time.Hour)
		t.send(alice, 1, 1)
		t.fault(history.Fault{}, history.Healed)
		finally(t, 2)
	}},
	{Unavailable, "a long wait before the fault", Held, func(t *tape) {
		t.begin(alice, 0)
		t.wait(time.Hour)
		t.fault(history.Fault{Budget: time.Second}, history.Intended, history.InEffect)
		t.outcome(history.Acked, alice, 0, 0, 0)
		t.fault(history.Fault{}, history.Healed)
		finally(t, 1)
	}},
	{SlowRecovery, "within the bound", Held, func(t *tape) { recovers(t, 1900*time.Millisecond) }},
	{SlowRecovery, "a long wait after it recovered", Held, func(t *tape) {
		recovers(t, time.Second)
		t.begin(alice, 2)
		t.wait(time.Hour)
		t.outcome(history.Acked, alice, 2, 0, 2)
		t.read(final, 2, alice, 2)
	}},
	{SlowRecovery, "nothing was tried for long after the heal", Held, func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect, history.Healed)
		t.wait(time.Hour)
		t.send(alice, 1, 1)
		finally(t, 2)
	}},
}

func TestNearMissesPass(t *testing.T) {
	told := map[Law]bool{}
	for _, s := range misses {
		told[s.law] = true
		t.Run(s.law.String()+": "+s.about, func(t *testing.T) {
			tape := newTape()
			s.tell(tape)
			tape.over()
			report := tape.judge(t)
			if status := report.Of(s.law).Status; report.Verdict == Fail || status != s.status {
				t.Errorf("%s is %s, want %s:\n%v", s.law, status, s.status, report)
			}
		})
	}
	for _, s := range Laws() {
		if !told[s.Law] {
			t.Errorf("no history comes near to %q", s.Law)
		}
	}
}

// lose has a record that is lost, if that is promised not to be.
func lose(t *tape) {
	t.send(alice, 0, 0)
	t.send(alice, 1, 1)
	t.assign(final, 0)
	t.read(final, 1, alice, 1)
}

func swapped(t *tape) {
	t.begin(alice, 0)
	t.begin(alice, 1)
	t.outcome(history.Acked, alice, 1, 0, 0)
	t.outcome(history.Acked, alice, 0, 0, 1)
	t.read(final, 0, alice, 1)
	t.read(final, 1, alice, 0)
}
