package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// runs of one obligation, an hour after each other, with these gaps.
func runs(title string, gaps ...int) (all []Scenario) {
	for n, gap := range gaps {
		s := sample(title, Pass)
		s.Date, s.Unavailable, s.Recovery = s.Date.Add(time.Duration(n)*time.Hour), Seconds(ms(gap)), 0
		all = append(all, s)
	}
	return all
}

func TestTrend(t *testing.T) {
	budgets := Budgets{"tight": {Unavailable: Seconds(time.Second)}, "*": {Unavailable: Seconds(ms(9000)), Recovery: Seconds(ms(9000))}}
	tests := map[string]struct {
		all  []Scenario
		says string // of its unavailability
		over bool
	}{
		"within":                  {runs("x", 900, 1000, 1100), "1.1 s (was 1.0 s)", false},
		"the first run":           {runs("x", 900), "900 ms", false},
		"over its own budget":     {runs("tight", 900, 1100), "1.1 s (was 900 ms) OVER BUDGET", true},
		"over that of all others": {runs("x", 9100), "9.1 s OVER BUDGET", true},
		"was over before":         {runs("tight", 1100, 900), "900 ms (was 1.1 s)", false},
		"slower":                  {runs("x", 900, 1000, 1100, 2500), "2.5 s (was 1.0 s) SLOWER", false},
		"slower by little":        {runs("x", 100, 100, 100, 400), "400 ms (was 100 ms)", false},
		"slower than no habit":    {runs("x", 1000, 1000, 4000), "4.0 s (was 1.0 s)", false},
		"nothing measured":        {runs("x", 0), "-", false},
	}
	for name, test := range tests {
		trend := NewTrend(test.all, budgets)
		if len(trend.Obligations) != 1 {
			t.Fatalf("%s: %d obligations", name, len(trend.Obligations))
		}
		if got := trend.Obligations[0].Unavailable.String(); got != test.says {
			t.Errorf("%s: %q, want %q", name, got, test.says)
		}
		var text strings.Builder
		if err := trend.Print(&text); errors.Is(err, ErrOverBudget) != test.over {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(text.String(), test.says) {
			t.Errorf("%s: printed %s", name, text.String())
		}
	}
}

// TestTrendComparesLikeWithLike: other releases are other obligations, a run that
// says nothing of the system is no measurement, and the order is that of the dates.
func TestTrendComparesLikeWithLike(t *testing.T) {
	all := runs("x", 1000, 2000, 3000, 4000)
	all[0].Kafka, all[1].Verdict = "2.1.0", Environment
	all[2], all[3] = all[3], all[2]
	trend := NewTrend(all, nil)
	if len(trend.Obligations) != 2 || trend.Obligations[0].Releases != "2.1.0" {
		t.Fatalf("obligations %+v", trend.Obligations)
	}
	got := trend.Obligations[1]
	if got.Unavailable.Last != 4*time.Second || got.Unavailable.Median != 3*time.Second || got.Unavailable.Runs != 1 {
		t.Errorf("unavailable %+v", got.Unavailable)
	}
	if got.verdicts() != "environment 1, pass 2" {
		t.Errorf("verdicts %q", got.verdicts())
	}
}

func TestTheStoredBudgetIsRead(t *testing.T) {
	budgets, err := ReadBudgets("../../scenarios/budget.json")
	if err != nil || budgets.of("anything").Unavailable == 0 || budgets.of("anything").Recovery == 0 {
		t.Errorf("read %+v, %v", budgets, err)
	}
	bad := filepath.Join(t.TempDir(), "budget.json")
	if err := os.WriteFile(bad, []byte(`{"x": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadBudgets(bad); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("a bad budget: %v", err)
	}
}
