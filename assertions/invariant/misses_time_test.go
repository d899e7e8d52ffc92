package invariant

import (
	"time"

	"kafkachaos/harness/history"
)

var missesOfTime = []miss{
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
	{SlowRecovery, "a long wait in the next fault", Held, func(t *tape) {
		recovers(t, time.Second)
		t.fault(history.Fault{Number: 2}, history.Intended, history.InEffect)
		t.begin(alice, 2)
		t.wait(time.Hour)
		t.outcome(history.Acked, alice, 2, 0, 2)
		t.fault(history.Fault{Number: 2}, history.Healed)
		t.read(final, 2, alice, 2)
	}},
	{SlowRecovery, "a wait without end after it recovered", Held, func(t *tape) {
		recovers(t, time.Second)
		t.begin(alice, 2)
		t.wait(time.Hour)
		t.sendTo(1, bob, 0, 0)
	}},
	{SlowRecovery, "nothing was tried for long after the heal", Held, func(t *tape) {
		t.send(alice, 0, 0)
		t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect, history.Healed)
		t.wait(time.Hour)
		t.send(alice, 1, 1)
		finally(t, 2)
	}},
	{SlowRecovery, "nobody waited for as long as the bound allows", Held, func(t *tape) {
		recovers(t, time.Second)
		t.fault(history.Fault{Why: "broker-1 is not registered"}, history.Unrecovered)
	}},
	{SlowRecovery, "the system was whole later than was looked first", Held, func(t *tape) {
		recovers(t, time.Second)
		t.fault(history.Fault{Why: "broker-1 is not registered"}, history.Unrecovered)
		t.fault(history.Fault{}, history.Recovered)
	}},
}
