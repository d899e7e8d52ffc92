package invariant

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// cutOff has a fault that is proved and healed, with a send before, during and
// after it, and a final read.
func cutOff(t *tape, f history.Fault) { cutOffFor(t, 0, f) }

func cutOffFor(t *tape, lasts time.Duration, f history.Fault) {
	t.send(alice, 0, 0)
	t.fault(f, history.Intended, history.Injected, history.InEffect)
	t.send(alice, 1, 1)
	t.wait(lasts)
	t.fault(f, history.Healed)
	t.send(alice, 2, 2)
	finally(t, 3)
}

// TestTooLittleIsInconclusive: what breaks no law, but proves too little, is
// inconclusive with its reason, and nothing else is.
func TestTooLittleIsInconclusive(t *testing.T) {
	all := history.Fault{Available: true, Budget: time.Second, Recovery: time.Second}
	tests := map[string]struct {
		tell   func(*tape)
		reason string // empty for a pass
	}{
		"enough": {func(t *tape) {
			cutOff(t, all)
			t.over()
		}, ""},
		"records went past the fault": {func(t *tape) {
			cutOff(t, history.Fault{Severs: true})
			t.over()
		}, "1 records that were sent while it lasted were acknowledged past it"},
		"what was under way before went past the fault": {func(t *tape) {
			t.send(alice, 0, 0)
			t.begin(alice, 1)
			t.fault(history.Fault{Severs: true}, history.Intended, history.Injected, history.InEffect)
			t.outcome(history.Acked, alice, 1, 0, 1)
			t.begin(alice, 2)
			t.fault(history.Fault{}, history.Healed)
			t.outcome(history.Acked, alice, 2, 0, 2)
			finally(t, 3)
			t.over()
		}, ""},
		"nobody waited long enough for all to be whole": {func(t *tape) {
			cutOff(t, all)
			t.fault(history.Fault{Why: "broker-1 is not registered"}, history.Unrecovered)
			t.over()
		}, "before all was whole: broker-1 is not registered"},
		"no end":         {func(t *tape) { cutOff(t, all) }, "did not come to its end"},
		"nothing at all": {func(t *tape) { t.over() }, "nothing was acknowledged"},
		"nothing acknowledged": {func(t *tape) {
			t.begin(alice, 0)
			t.outcome(history.Unknown, alice, 0, 0, 0)
			t.over()
		}, "nothing was acknowledged"},
		"no final read": {func(t *tape) {
			t.send(alice, 0, 0)
			t.read(early, 0, alice, 0)
			t.over()
		}, "no final read of their partitions, such as orders/0"},
		"a final read of another partition": {func(t *tape) {
			t.send(alice, 0, 0)
			t.sendTo(1, alice, 1, 0)
			finally(t, 1)
			t.over()
		}, "such as orders/1"},
		"a source whose topic nobody read in the end": {func(t *tape) {
			source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1})
			lines(t, source, 2)
			t.read(early, 0, source, 0)
			t.over()
		}, "lines of file were not looked for"},
		"a source whose topic was not read wholly in the end": {func(t *tape) {
			source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1, Topics: []int{topicOrders}})
			lines(t, source, 2)
			t.assign(final, 0)
			t.read(final, 0, source, 0)
			t.over()
		}, "lines of file were not looked for"},
		"a source whose topic was deleted": {func(t *tape) {
			source := t.client(history.Client{Name: "file", Role: history.Source, Acks: "all", InFlight: 1, Topics: []int{topicOrders}})
			lines(t, source, 2)
			finally(t, 0)
			t.position(history.PositionMark, final, 0)
			t.events[len(t.events)-1].Partition = orders(1)
			t.add(history.Event{Kind: history.Admin, Client: alice, Change: &history.Change{What: history.DeleteTopic, Topic: topicOrders}})
			t.over()
		}, "lines of file were not looked for"},
		"more was read past than can be followed": {func(t *tape) {
			for i := range int64(mostHoles + 2) {
				t.send(alice, i, i*2*widest)
			}
			for i := range int64(mostHoles + 2) {
				t.read(final, i*2*widest, alice, i)
			}
			t.over()
		}, "too many to look at"},
		"an unknown kind": {func(t *tape) {
			cutOff(t, all)
			t.add(history.Event{Kind: "later"})
			t.over()
		}, `unknown kind "later"`},
		"never injected": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended)
			finally(t, 1)
			t.over()
		}, "never injected"},
		"not seen in effect": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.Injected, history.NoEffect)
			t.send(alice, 1, 1)
			t.fault(all, history.Healed)
			t.send(alice, 2, 2)
			finally(t, 3)
			t.over()
		}, "could not be seen in effect"},
		"not seen in effect, as a part of what was": {func(t *tape) {
			cutOff(t, history.Fault{})
			part := history.Fault{Number: 2, Part: true}
			t.fault(part, history.Intended, history.Injected)
			t.send(alice, 3, 3)
			t.fault(part, history.Healed)
			t.send(alice, 4, 4)
			finally(t, 5)
			t.over()
		}, ""},
		"in effect only at first": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.InEffect)
			t.send(alice, 1, 1)
			t.fault(all, history.NoEffect, history.Healed)
			t.send(alice, 2, 2)
			finally(t, 3)
			t.over()
		}, "not all the time"},
		"never healed": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.InEffect)
			t.send(alice, 1, 1)
			finally(t, 2)
			t.over()
		}, "never healed"},
		"an instant fault is over": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(history.Fault{Instant: true, Available: true, Recovery: time.Second}, history.Intended, history.Injected, history.InEffect)
			t.send(alice, 1, 1)
			finally(t, 2)
			t.over()
		}, ""},
		"little before": {func(t *tape) {
			t.terms(history.Terms{Before: 2})
			cutOff(t, all)
			t.over()
		}, "too little traffic before: 1 acknowledged, want 2"},
		"little during": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			cutOff(t, all)
			t.over()
		}, "too little traffic during: 1 tried, want 2"},
		"little during what is over at once, where nothing is promised": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			cutOff(t, history.Fault{})
			t.over()
		}, ""},
		"little during what lasts, where nothing is promised": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			cutOffFor(t, time.Second, history.Fault{})
			t.over()
		}, "too little traffic during: 1 tried, want 2"},
		"nothing asked of traffic during what lasts": {func(t *tape) {
			cutOffFor(t, time.Second, history.Fault{})
			t.over()
		}, ""},
		"little after": {func(t *tape) {
			t.terms(history.Terms{After: 2})
			cutOff(t, all)
			t.over()
		}, "too little traffic after: 1 acknowledged, want 2"},
		"nothing acknowledged, and too little tried for no progress": {func(t *tape) {
			t.terms(history.Terms{During: 2})
			t.send(alice, 0, 0)
			t.fault(all, history.Intended, history.InEffect)
			t.begin(alice, 1)
			t.fault(all, history.Healed)
			t.outcome(history.Acked, alice, 1, 0, 1)
			finally(t, 2)
			t.over()
		}, "too little traffic during: 1 tried, want 2"},
		"over before it could recover": {func(t *tape) {
			t.send(alice, 0, 0)
			t.fault(history.Fault{Recovery: time.Second}, history.Intended, history.InEffect)
			t.begin(alice, 1)
			t.fault(history.Fault{}, history.Healed)
			t.sendTo(1, bob, 0, 0)
			finally(t, 1)
			t.position(history.PositionMark, final, 1)
			t.readFrom(1, final, 0, bob, 0)
			t.over()
		}, "ended before orders/0 could recover"},
		"demanded, but nothing of it": {func(t *tape) {
			t.terms(history.Terms{Demand: []string{"gap in a sink"}})
			cutOff(t, all)
			t.over()
		}, `"gap in a sink" is demanded`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			test.tell(tape)
			report := tape.judge(t)
			if test.reason == "" {
				if report.Verdict != Pass || len(report.Doubts) > 0 {
					t.Errorf("want a pass:\n%v", report)
				}
				return
			}
			if report.Verdict != Inconclusive || !slices.ContainsFunc(report.Doubts, func(doubt string) bool { return strings.Contains(doubt, test.reason) }) {
				t.Errorf("want it inconclusive for %q:\n%v", test.reason, report)
			}
		})
	}
}
