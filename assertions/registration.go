package assertions

import (
	"fmt"
	"slices"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

// BeRegistered holds for a broker that has its node in ZooKeeper, whoever owns
// it. That alone proves no health: an old node stays for a session time-out.
func BeRegistered() types.GomegaMatcher {
	return on(Registered, "to be registered", func(r state.Registration) string {
		if !r.Present {
			return "it is absent"
		}
		return ""
	})
}

// HaveNewSessionSince holds for a broker that registered again after the
// earlier reading: present, by another session, in a later transaction, at the
// same endpoints.
func HaveNewSessionSince(before state.Registration) types.GomegaMatcher {
	return on(RegisteredAnew, fmt.Sprintf("to be registered by a new session, since %v", before), func(r state.Registration) string {
		switch {
		case r.Broker != before.Broker:
			return fmt.Sprintf("the earlier reading is of broker-%d", before.Broker)
		case !r.Present:
			return "it is absent"
		case r.Session == before.Session:
			return "the session is still the old one"
		case before.Present && r.Czxid <= before.Czxid:
			return "the node is not younger than before"
		case before.Present && !slices.Equal(r.Endpoints, before.Endpoints):
			return "the endpoints changed"
		}
		return ""
	})
}

// KeepSessionOf holds for a broker that is still registered by the session of
// the earlier reading: nothing expired in between.
func KeepSessionOf(before state.Registration) types.GomegaMatcher {
	return on(SessionKept, fmt.Sprintf("to keep its session, since %v", before), func(r state.Registration) string {
		switch {
		case r.Broker != before.Broker:
			return fmt.Sprintf("the earlier reading is of broker-%d", before.Broker)
		case !r.Present:
			return "it is absent"
		case r.Session != before.Session || r.Czxid != before.Czxid:
			return "it was registered anew"
		}
		return ""
	})
}
