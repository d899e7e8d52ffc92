package assertions

import (
	"testing"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

func registered(session state.SessionID, czxid int64, endpoints ...string) state.Registration {
	if len(endpoints) == 0 {
		endpoints = []string{"PLAINTEXT://broker-1:9093"}
	}
	return state.Registration{Broker: 1, Present: true, Session: session, Czxid: czxid, Endpoints: endpoints}
}

func TestRegistrationMatchers(t *testing.T) {
	before := registered(0xa, 10)
	absent := state.Registration{Broker: 1}
	other := registered(0xb, 20)
	other.Broker = 2
	tests := map[string]struct {
		matcher types.GomegaMatcher
		reading state.Registration
		wrong   string // in the failure; empty for a match
	}{
		"present is registered":        {BeRegistered(), before, ""},
		"absent is not":                {BeRegistered(), absent, "it is absent"},
		"a later session is new":       {HaveNewSessionSince(before), registered(0xb, 11), ""},
		"new after an absent reading":  {HaveNewSessionSince(absent), registered(0xb, 11), ""},
		"absent is not new":            {HaveNewSessionSince(before), absent, "it is absent"},
		"the old session is not new":   {HaveNewSessionSince(before), registered(0xa, 11), "still the old one"},
		"an older node is not new":     {HaveNewSessionSince(before), registered(0xb, 10), "not younger"},
		"another endpoint is not same": {HaveNewSessionSince(before), registered(0xb, 11, "PLAINTEXT://x:1"), "endpoints changed"},
		"another broker is no proof":   {HaveNewSessionSince(before), other, "is of broker-1"},
		"the same session is kept":     {KeepSessionOf(before), before, ""},
		"a new session is not kept":    {KeepSessionOf(before), registered(0xb, 11), "registered anew"},
		"a new node is not kept":       {KeepSessionOf(before), registered(0xa, 11), "registered anew"},
		"absent is not kept":           {KeepSessionOf(before), absent, "it is absent"},
		"another broker is not kept":   {KeepSessionOf(before), other, "is of broker-1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tryMatcher(t, test.matcher, test.reading, test.wrong)
		})
	}
}

func TestMatchersRefuseAnotherKindOfReading(t *testing.T) {
	if _, err := BeRegistered().Match(state.ControllerView{}); err == nil {
		t.Error("a controller was judged as a registration")
	}
}
