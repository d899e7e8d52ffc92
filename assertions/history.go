package assertions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/gomega/types"

	"kafkachaos/assertions/invariant"
)

// The assertions about histories, by the names that findings have.
const (
	PromisesKept = "every promise kept"
	LawUpheld    = "upheld: " // and the laws
	LawBroken    = "broken: " // and the law
	Doubted      = "inconclusive"
)

// KeepEveryPromise holds for a history in which nothing that is promised or
// demanded is broken, and which proves enough: an inconclusive one does not.
func KeepEveryPromise() types.GomegaMatcher {
	return on(PromisesKept, "to keep every promise", func(r invariant.Report) string {
		switch r.Verdict {
		case invariant.Pass:
			return ""
		case invariant.Inconclusive:
			return "it is inconclusive: " + strings.Join(r.Doubts, "; ")
		}
		return "these are broken: " + names(r.Broken())
	})
}

// LoseNoAck holds for a history in which no record that was acknowledged is
// lost or never seen, and where that was promised or demanded, and checked.
func LoseNoAck() types.GomegaMatcher { return Uphold(invariant.Lost, invariant.Unseen) }

// Uphold holds for a history in which each of the laws was checked where it is
// promised or demanded, and held.
func Uphold(laws ...invariant.Law) types.GomegaMatcher {
	return on(LawUpheld+names(laws), "to uphold: "+names(laws), func(r invariant.Report) string {
		var wrong []string
		for _, law := range laws {
			if status := r.Of(law).Status; status != invariant.Held {
				wrong = append(wrong, fmt.Sprintf("%q is %s", law, status))
			}
		}
		return strings.Join(wrong, ", ")
	})
}

// Break holds for a history in which the law is broken: for planted faults.
func Break(law invariant.Law) types.GomegaMatcher {
	return on(LawBroken+law.String(), fmt.Sprintf("to break %q", law), func(r invariant.Report) string {
		if !slices.Contains(r.Broken(), law) {
			return fmt.Sprintf("it is %s", r.Of(law).Status)
		}
		return ""
	})
}

// BeInconclusive holds for a history that breaks nothing, but proves too little
// for a reason that has this text in it: for faults that do nothing.
func BeInconclusive(reason string) types.GomegaMatcher {
	return on(Doubted, fmt.Sprintf("to be inconclusive, for %q", reason), func(r invariant.Report) string {
		switch {
		case r.Verdict != invariant.Inconclusive:
			return fmt.Sprintf("the verdict is %s", r.Verdict)
		case !slices.ContainsFunc(r.Doubts, func(doubt string) bool { return strings.Contains(doubt, reason) }):
			return "it is for other reasons"
		}
		return ""
	})
}

func names(laws []invariant.Law) string {
	var names []string
	for _, law := range laws {
		names = append(names, law.String())
	}
	return strings.Join(names, ", ")
}
