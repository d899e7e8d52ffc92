package terminal

import (
	"fmt"
	"strings"
	"time"
)

// Progress is what a scenario is doing.
type Progress struct {
	Running time.Duration
	Step    string
	InStep  time.Duration
	Active  []string // faults
	Acked   float64  // records a second since the last time; negative without traffic
	Waits   string   // what is waited for, if anything is
	Read    string   // the last reading of that wait
}

// String is one line, or two while something is waited for.
func (p Progress) String() string {
	parts := []string{fmt.Sprintf("  … %.0f s", p.Running.Seconds())}
	if p.Step != "" {
		parts = append(parts, fmt.Sprintf("for %.0f s in %q", p.InStep.Seconds(), Cut(p.Step, stepColumns*2/3)))
	}
	if p.Acked >= 0 {
		parts = append(parts, fmt.Sprintf("%.0f acks/s", p.Acked))
	}
	faults := "no fault"
	if len(p.Active) > 0 {
		faults = strings.Join(p.Active, "; ")
	}
	lines := []string{clip(strings.Join(append(parts, faults), ", "), Columns)}
	if p.Waits != "" || p.Read != "" {
		lines = append(lines, clip("    waiting: "+strings.Trim(p.Waits+"; "+Cut(p.Read, Columns), "; "), Columns))
	}
	return strings.Join(lines, "\n") + "\n"
}

// clip cuts a line that is too long and keeps its margin.
func clip(line string, width int) string {
	if runes := []rune(line); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return line
}
