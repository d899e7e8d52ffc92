package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// ErrOverBudget says that an obligation took longer than its budget.
var ErrOverBudget = errors.New("over budget")

// Budget is how long an obligation may be unavailable, and may take to recover; 0
// for no bound.
type Budget struct {
	Unavailable Seconds `json:"unavailable_seconds,omitzero"`
	Recovery    Seconds `json:"recovery_seconds,omitzero"`
}

// Budgets are those of obligations, by their titles. "*" is that of all others.
type Budgets map[string]Budget

// ReadBudgets reads a file of budgets.
func ReadBudgets(path string) (Budgets, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the budget: %w", err)
	}
	var budgets Budgets
	if err := json.Unmarshal(text, &budgets); err != nil {
		return nil, fmt.Errorf("read the budget %s: %w", path, err)
	}
	return budgets, nil
}

func (b Budgets) of(title string) Budget {
	if one, known := b[title]; known {
		return one
	}
	return b["*"]
}

// Figure is one of the times of an obligation, in its last run and before.
type Figure struct {
	Last   time.Duration
	Median time.Duration // of the runs before
	Runs   int           // before
	Budget time.Duration // 0 for none
}

// OverBudget says that the last run took longer than it may.
func (f Figure) OverBudget() bool { return f.Budget > 0 && f.Last > f.Budget }

// Slower says that the last run took twice as long as they used to, and at least a
// second more, which the machine alone does not explain. Fewer than three runs
// before are no habit.
func (f Figure) Slower() bool {
	return f.Runs >= 3 && f.Last >= 2*f.Median && f.Last-f.Median >= time.Second
}

// Obligation is how a scenario did over its runs on the same releases.
type Obligation struct {
	Title, Releases       string
	Verdicts              map[Verdict]int
	Unavailable, Recovery Figure
}

// Trend is how all obligations did, by title and releases.
type Trend struct{ Obligations []Obligation }

// NewTrend compares the last run of each scenario on the same releases with those
// before and with its budget. Times are those of runs that passed or failed: the
// others say nothing of the system.
func NewTrend(all []Scenario, budgets Budgets) Trend {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Scenario) int { return a.Date.Compare(b.Date) })
	runs := map[[2]string][]Scenario{}
	var keys [][2]string
	for _, s := range all {
		key := [2]string{s.Title, s.releases()}
		if runs[key] == nil {
			keys = append(keys, key)
		}
		runs[key] = append(runs[key], s)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var t Trend
	for _, key := range keys {
		o := Obligation{Title: key[0], Releases: key[1], Verdicts: map[Verdict]int{}}
		var unavailable, recovery []time.Duration
		for _, s := range runs[key] {
			o.Verdicts[s.Verdict]++
			if s.Verdict == Pass || s.Verdict == Fail {
				unavailable = append(unavailable, time.Duration(s.Unavailable))
				recovery = append(recovery, time.Duration(s.Recovery))
			}
		}
		budget := budgets.of(o.Title)
		o.Unavailable, o.Recovery = figure(unavailable, budget.Unavailable), figure(recovery, budget.Recovery)
		t.Obligations = append(t.Obligations, o)
	}
	return t
}

func (s Scenario) releases() string {
	if s.Workers == "" || s.Workers == s.Kafka {
		return s.Kafka
	}
	return s.Workers + " on " + s.Kafka
}

// figure takes the last of the times for the newest.
func figure(times []time.Duration, budget Seconds) Figure {
	f := Figure{Budget: time.Duration(budget)}
	if len(times) == 0 {
		return f
	}
	f.Last = times[len(times)-1]
	before := slices.Sorted(slices.Values(times[:len(times)-1]))
	if f.Runs = len(before); f.Runs > 0 {
		f.Median = before[f.Runs/2]
	}
	return f
}

// Print writes a line an obligation, what is slower or over budget marked, and
// returns ErrOverBudget if one is.
func (t Trend) Print(to io.Writer) error {
	var text strings.Builder
	var over []string
	fmt.Fprintf(&text, "%-10s %-28s %-28s %s\n", "release", "unavailable", "recovery", "obligation")
	for _, o := range t.Obligations {
		fmt.Fprintf(&text, "%-10s %-28s %-28s %s (%s)\n", o.Releases, o.Unavailable, o.Recovery, o.Title, o.verdicts())
		for name, f := range map[string]Figure{"unavailable": o.Unavailable, "recovery": o.Recovery} {
			if f.OverBudget() {
				over = append(over, fmt.Sprintf("%s on %s: %s %v, budget %v", o.Title, o.Releases, name, Seconds(f.Last), Seconds(f.Budget)))
			}
		}
	}
	if _, err := io.WriteString(to, text.String()); err != nil {
		return fmt.Errorf("print the trend: %w", err)
	}
	if len(over) > 0 {
		slices.Sort(over)
		return fmt.Errorf("%w:\n  %s", ErrOverBudget, strings.Join(over, "\n  "))
	}
	return nil
}

func (o Obligation) verdicts() string {
	var all []string
	for _, v := range Verdicts() {
		if n := o.Verdicts[v]; n > 0 {
			all = append(all, fmt.Sprintf("%s %d", v, n))
		}
	}
	return strings.Join(all, ", ")
}

// String is the last time, what it was before, and what is wrong with it.
func (f Figure) String() string {
	if f.Last == 0 && f.Median == 0 {
		return "-"
	}
	text := Seconds(f.Last).String()
	if f.Runs > 0 {
		text += fmt.Sprintf(" (was %v)", Seconds(f.Median))
	}
	switch {
	case f.OverBudget():
		text += " OVER BUDGET"
	case f.Slower():
		text += " SLOWER"
	}
	return text
}
