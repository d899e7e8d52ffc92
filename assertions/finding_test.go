package assertions

import (
	"testing"

	"github.com/onsi/gomega"

	"kafkachaos/harness/state"
)

func TestParseFinding(t *testing.T) {
	for message, want := range map[string]Finding{
		"finding: in sync of the cluster":                                        {InSync, "the cluster"},
		"after expiry 2\nTimed out after 5.001s.\nfinding: alive of worker-1\n…": {Alive, "worker-1"},
		"  finding: one of two of connector a\nfinding: alive of worker-1":       {"one of two", "connector a"},
		"finding: nothing\nfinding: alive of worker-1":                           {Alive, "worker-1"},
	} {
		if got, ok := ParseFinding(message); !ok || got != want {
			t.Errorf("%q: read %v, %v", message, got, ok)
		}
	}
	for _, message := range []string{"", "a finding: alive of worker-1", "finding: ", "finding: of x", "finding:  of x\n"} {
		if got, ok := ParseFinding(message); ok {
			t.Errorf("%q: read %v", message, got)
		}
	}
}

// Whatever gomega wraps around a matcher, its finding can be read again.
func TestEveryFailureHasItsFinding(t *testing.T) {
	absent, present := state.Registration{Broker: 1}, registered(0xa, 1)
	read := func(assert func(gomega.Gomega)) string {
		message := ""
		assert(gomega.NewGomega(func(text string, _ ...int) { message = text }))
		return message
	}
	for name, test := range map[string]struct {
		message string
		want    Finding
	}{
		"expected":   {read(func(g gomega.Gomega) { g.Expect(absent).To(BeRegistered()) }), Finding{Registered, "broker-1"}},
		"with words": {read(func(g gomega.Gomega) { g.Expect(absent).To(BeRegistered(), "after expiry %d", 2) }), Finding{Registered, "broker-1"}},
		"negated":    {read(func(g gomega.Gomega) { g.Expect(present).NotTo(BeRegistered()) }), Finding{"not registered", "broker-1"}},
		"in a not":   {read(func(g gomega.Gomega) { g.Expect(present).To(gomega.Not(BeRegistered())) }), Finding{"not registered", "broker-1"}},
		"in an and": {read(func(g gomega.Gomega) {
			g.Expect(absent).To(gomega.And(gomega.Not(BeRegistered()), HaveNewSessionSince(present)))
		}), Finding{RegisteredAnew, "broker-1"}},
		"in time": {read(func(g gomega.Gomega) {
			g.Eventually(func() (state.Registration, error) { return absent, nil }).WithTimeout(1).Should(HaveNewSessionSince(present))
		}), Finding{RegisteredAnew, "broker-1"}},
	} {
		if got, ok := ParseFinding(test.message); !ok || got != test.want {
			t.Errorf("%s: read %v, %v in\n%s", name, got, ok, test.message)
		}
	}
}
