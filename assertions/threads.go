package assertions

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

// HaveNoThreadStuck holds for a node of whose threads none stood still between
// several dumps while it waited for something other than work, and whose JVM
// found no deadlock. One dump shows nothing and does not match.
func HaveNoThreadStuck() types.GomegaMatcher {
	return on(NoThreadStuck, "no thread to be stuck", func(s state.Stuck) string {
		switch {
		case len(s.Deadlocks) > 0:
			return "its JVM found a deadlock: " + s.Deadlocks[0].String()
		case len(s.Threads) > 0:
			return fmt.Sprintf("%d are, first %v", len(s.Threads), s.Threads[0])
		case s.Dumps < 2:
			return fmt.Sprintf("%d dumps show nothing", s.Dumps)
		}
		return ""
	})
}
