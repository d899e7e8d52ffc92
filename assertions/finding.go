package assertions

import (
	"fmt"
	"strings"
)

// Finding is what a failed assertion is known by: which assertion, of which node
// or part of the cluster. It is one line of every failure message of a matcher
// here.
type Finding struct {
	Assertion string // such as "registered with a new session"
	Subject   string // such as "broker-1" or "the controller"
}

// The assertions, by the names that findings have.
const (
	Registered       = "registered"
	RegisteredAnew   = "registered with a new session"
	SessionKept      = "session kept"
	ControllerServes = "controller serves"
	InSync           = "in sync"
	Whole            = "whole"
	Running          = "running"
	Alive            = "alive"
	EachTaskOnce     = "each task once"
	WorkShared       = "work shared"
	NoThreadStuck    = "no thread stuck"
	findingHead      = "finding: "
	findingSeparator = " of "
)

func (f Finding) String() string {
	return fmt.Sprintf("%s%s%s%s", findingHead, f.Assertion, findingSeparator, f.Subject)
}

// ParseFinding finds the finding in a failure message, behind whatever the
// framework and the scenario put before it. A failure without one is no finding
// about the system.
func ParseFinding(message string) (Finding, bool) {
	for line := range strings.Lines(message) {
		text, found := strings.CutPrefix(strings.TrimSpace(line), findingHead)
		if !found {
			continue
		}
		if at := strings.LastIndex(text, findingSeparator); at > 0 {
			return Finding{Assertion: text[:at], Subject: text[at+len(findingSeparator):]}, true
		}
	}
	return Finding{}, false
}
