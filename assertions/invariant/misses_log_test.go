package invariant

import (
	"kafkachaos/harness/history"
)

var missesOfTheLog = []miss{
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
	{Reordered, "a copy in another partition, read before the record", Held, func(t *tape) {
		t.change(alice, func(c *history.Client) { c.Idempotent, c.InFlight = false, 1 })
		t.sendTo(0, alice, 0, 0)
		t.sendTo(1, alice, 1, 0)
		t.readFrom(1, final, 0, alice, 1)
		t.readFrom(1, final, 1, alice, 0)
		t.read(final, 0, alice, 0)
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
}
