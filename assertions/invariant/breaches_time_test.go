package invariant

import (
	"time"

	"kafkachaos/harness/history"
)

var breachesOfTime = []story{
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
	{SlowRecovery, "the system was not whole for as long as anybody waited", func(t *tape) {
		t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect, history.Healed)
		t.send(alice, 0, 0)
		t.wait(2 * time.Second)
		t.fault(history.Fault{Why: "broker-1 is not registered"}, history.Unrecovered)
	}},
}
