package assertions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onsi/gomega/types"
)

// tryMatcher sees that the matcher accepts the reading if nothing is to be wrong with
// it, and else refuses it for that reason. It returns the failure message, which
// has the reading in it.
func tryMatcher(t *testing.T, matcher types.GomegaMatcher, reading fmt.Stringer, wrong string) string {
	t.Helper()
	matched, err := matcher.Match(reading)
	if err != nil {
		t.Fatal(err)
	}
	if matched != (wrong == "") {
		t.Fatalf("matched = %t", matched)
	}
	message := matcher.FailureMessage(reading)
	if !strings.Contains(message, wrong) || !strings.Contains(message, reading.String()) {
		t.Errorf("failure %q: want %q and the reading", message, wrong)
	}
	return message
}
