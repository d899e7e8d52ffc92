package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Table writes what became of each obligation, over all runs given, as a table in
// Markdown: how many of them passed, the median of their seconds, and the longest
// wait for an acknowledgement and the slowest recovery of any. Areas and titles are
// in order. What was skipped is left out.
func Table(w io.Writer, all []Scenario) error {
	byTitle := map[string][]Scenario{}
	for _, s := range all {
		if s.Verdict != Skipped {
			byTitle[s.Title] = append(byTitle[s.Title], s)
		}
	}
	titles := slices.SortedFunc(maps.Keys(byTitle), func(a, b string) int {
		return cmp.Or(cmp.Compare(byTitle[a][0].Area(), byTitle[b][0].Area()), cmp.Compare(a, b))
	})
	text := "| area | obligation | passed | seconds | longest wait | recovery |\n|---|---|---|---|---|---|\n"
	for _, title := range titles {
		text += row(byTitle[title])
	}
	_, err := io.WriteString(w, text)
	return err
}

// row is the line of one obligation.
func row(runs []Scenario) string {
	passed := 0
	var took []Seconds
	var unavailable, recovery Seconds
	for _, s := range runs {
		if s.Verdict == Pass {
			passed++
		}
		took = append(took, s.Took)
		unavailable = max(unavailable, s.Unavailable)
		recovery = max(recovery, s.Recovery)
	}
	slices.Sort(took)
	return fmt.Sprintf("| %s | %s | %d of %d | %s | %s | %s |\n", runs[0].Area(), runs[0].Title, passed, len(runs),
		took[len(took)/2], orNone(unavailable), orNone(recovery))
}

// orNone is the duration, or a dash where nothing was measured.
func orNone(s Seconds) string {
	if s == 0 {
		return "–"
	}
	return s.String()
}
