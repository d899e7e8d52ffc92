package report

import (
	"fmt"
	"io"
	"slices"
)

// Text writes the timeline, one event a line: when, where, what. Findings begin
// with "!!".
func (t Timeline) Text(to io.Writer) error {
	entries := slices.Clone(t.Entries)
	for _, v := range t.Violations {
		entries = append(entries, Entry{v.At, "!! " + v.Law, v.Text})
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return int(a.At - b.At) })
	width := 12
	for _, e := range entries {
		width = max(width, min(24, len([]rune(e.Lane))))
	}
	_, err := fmt.Fprintf(to, "run %s of brokers %s, workers %s, from %s for %v\n%d records acknowledged; longest wait %v %s; slowest recovery %v %s\n\n",
		t.Header.Run, t.Header.Brokers, t.Header.Workers, t.Header.Origin.UTC().Format("2006-01-02 15:04:05 MST"), Seconds(t.Length),
		t.Acked, Seconds(t.Gap.Took), on(t.Gap.Of, "on "), Seconds(t.Recovery.Took), on(t.Recovery.Of, "after "))
	for _, e := range entries {
		if err == nil {
			_, err = fmt.Fprintf(to, "%9s s  %-*s  %s\n", seconds(e.At), width, e.Lane, e.What)
		}
	}
	if t.Doubt != "" && err == nil {
		_, err = fmt.Fprintf(to, "\nnot whole: %s\n", t.Doubt)
	}
	return err
}

func on(what, preposition string) string {
	if what == "" {
		return ""
	}
	return preposition + what
}
