package assertions

import (
	"testing"

	"github.com/onsi/gomega/types"

	"kafkachaos/assertions/invariant"
)

func TestHistoryMatchers(t *testing.T) {
	judged := func(verdict invariant.Verdict, lost, unseen invariant.Status, doubts ...string) invariant.Report {
		return invariant.Report{Verdict: verdict, Doubts: doubts,
			Laws: []invariant.LawReport{{Law: invariant.Lost, Status: lost}, {Law: invariant.Unseen, Status: unseen}}}
	}
	pass := judged(invariant.Pass, invariant.Held, invariant.Held)
	little := judged(invariant.Inconclusive, invariant.Held, invariant.Held, "fault cut: it could not be seen in effect")
	lossy := judged(invariant.Fail, invariant.Broken, invariant.Held)
	lax := judged(invariant.Pass, invariant.NotPromised, invariant.NotPromised)
	tests := map[string]struct {
		matcher types.GomegaMatcher
		report  invariant.Report
		wrong   string // in the failure; empty for a match
	}{
		"a pass keeps every promise":   {KeepEveryPromise(), pass, ""},
		"too little keeps none":        {KeepEveryPromise(), little, "could not be seen in effect"},
		"a loss breaks one":            {KeepEveryPromise(), lossy, "these are broken: lost"},
		"a pass loses nothing":         {LoseNoAck(), pass, ""},
		"a loss is one":                {LoseNoAck(), lossy, `"lost" is broken`},
		"not promised is not upheld":   {LoseNoAck(), lax, `"never seen" is not promised`},
		"not there is not upheld":      {Uphold(invariant.SinkGap), pass, `"gap in a sink" is not checked`},
		"a loss breaks its law":        {Break(invariant.Lost), lossy, ""},
		"a loss breaks no other law":   {Break(invariant.Unseen), lossy, "it is held"},
		"a pass breaks none":           {Break(invariant.Lost), pass, "it is held"},
		"too little is inconclusive":   {BeInconclusive("seen in effect"), little, ""},
		"but for its reason":           {BeInconclusive("too little traffic"), little, "other reasons"},
		"a pass is not inconclusive":   {BeInconclusive(""), pass, "the verdict is pass"},
		"a loss is not inconclusive":   {BeInconclusive(""), lossy, "the verdict is fail"},
		"what is demanded is upheld":   {Uphold(invariant.Lost), pass, ""},
		"one of two is not both":       {Uphold(invariant.Lost, invariant.SinkGap), pass, "gap in a sink"},
		"broken of two is not upheld":  {Uphold(invariant.Unseen, invariant.Lost), lossy, `"lost" is broken`},
		"the second of two is upheld ": {Uphold(invariant.Unseen), lossy, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tryMatcher(t, test.matcher, test.report, test.wrong)
		})
	}
}
