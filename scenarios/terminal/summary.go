package terminal

import (
	"fmt"
	"strings"
	"time"

	"kafkachaos/scenarios/incident"
)

// Ran is a scenario that ran.
type Ran struct {
	Title   string
	Outcome incident.Outcome
	Took    time.Duration
	Again   string // the command that runs it again
}

// Summary tells what each scenario came to, and what to do about those that did
// not pass; the seed is that of the order and of drawn plans.
func Summary(all []Ran, took time.Duration, seed int64) string {
	var text strings.Builder
	counts := map[incident.Verdict]int{}
	fmt.Fprintf(&text, "\n%-13s %8s  %s\n", "verdict", "seconds", "scenario")
	for _, ran := range all {
		counts[ran.Outcome.Verdict]++
		fmt.Fprintf(&text, "%-13s %8.1f  %s\n", ran.Outcome.Verdict, ran.Took.Seconds(), Cut(ran.Title, Columns-24))
		if ran.Outcome.Verdict == incident.Green {
			continue
		}
		what := ran.Outcome.Reason
		if found := ran.Outcome.Finding; found.Assertion != "" {
			what = found.String()
		}
		fmt.Fprintf(&text, "%24s%s\n", "", Cut(what, Columns-24))
		for _, line := range []string{ran.Again, ran.Outcome.Folder} {
			if line != "" {
				fmt.Fprintf(&text, "%24s%s\n", "", line)
			}
		}
	}
	fmt.Fprintf(&text, "\nRan %d scenarios in %.0f s: %d green, %d red, %d inconclusive, %d environment; seed %d\n", len(all), took.Seconds(),
		counts[incident.Green], counts[incident.Red], counts[incident.Inconclusive], counts[incident.Environment], seed)
	return text.String()
}
