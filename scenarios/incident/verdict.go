package incident

import "strings"

// Verdict is what one run of a scenario came to.
type Verdict string

// The verdicts. A run that is neither Green nor Red says nothing about the
// system.
const (
	Green        Verdict = "green"        // the scenario passed
	Red          Verdict = "red"          // an assertion about the system failed
	Inconclusive Verdict = "inconclusive" // a fault was not seen in effect, or a premise did not come about
	Environment  Verdict = "environment"  // nothing was asked of the system: no cluster, no scenario, no time
)

// Prefix begins the failure of a scenario that came to this verdict; findings
// have a form of their own (assertions.ParseFinding).
func (v Verdict) Prefix() string { return string(v) + ": " }

// verdictOf tells the verdict that a failure begins with; without one it is a
// failed assertion.
func verdictOf(message string) Verdict {
	for _, v := range []Verdict{Inconclusive, Environment} {
		if strings.HasPrefix(message, v.Prefix()) {
			return v
		}
	}
	return Red
}
