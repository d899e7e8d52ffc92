package invariant

import (
	"fmt"
	"strings"
	"time"

	"kafkachaos/harness/history"
)

// String renders the report for people: the verdict, what there was to judge,
// what was promised and checked, and what is broken.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s: %s\n", r.Header.Run, r.Verdict)
	for _, doubt := range r.Doubts {
		fmt.Fprintf(&b, "  inconclusive: %s\n", doubt)
	}
	t := r.Traffic
	fmt.Fprintf(&b, "judged %v of%s: %d sends (%d acked, %d refused, %d unknown), %d polls that brought %d records, %d other lines\n",
		short(r.Length), release(r.Header), t.Sends, t.Acked, t.Refused, t.Unknown, t.Polls, t.Records, t.Others)
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "  %v\n", f)
	}
	for _, status := range []Status{Broken, Held, NotPromised} {
		r.section(&b, status)
	}
	var idle []string
	for _, one := range r.Laws {
		if one.Status == NotChecked {
			idle = append(idle, one.Law.String())
		}
	}
	if len(idle) > 0 {
		fmt.Fprintf(&b, "not checked, for there was no such traffic\n  %s\n", strings.Join(idle, ", "))
	}
	if r.Header.Command != "" {
		fmt.Fprintf(&b, "run it again: %s\n", r.Header.Command)
	}
	return b.String()
}

func release(h history.Header) string {
	text := ""
	if h.Brokers != "" {
		text += " brokers " + h.Brokers
	}
	if h.Workers != "" {
		text += " workers " + h.Workers
	}
	if text == "" {
		return " an unknown release"
	}
	return text
}

func (r Report) section(b *strings.Builder, status Status) {
	title := string(status)
	for _, one := range r.Laws {
		if one.Status != status {
			continue
		}
		if title != "" {
			fmt.Fprintln(b, title)
			title = ""
		}
		one.render(b)
	}
}

func (l LawReport) render(b *strings.Builder) {
	if len(l.Promised) > 0 {
		count := fmt.Sprintf("%d checked", l.Checked)
		if l.Violations > 0 {
			count = fmt.Sprintf("%d times, %s", l.Violations, count)
		}
		fmt.Fprintf(b, "  %-32s %s, promised by %s\n", l.Law, count, strings.Join(l.Promised, "; or "))
	}
	if l.Status == Broken {
		fmt.Fprintf(b, "    the law: %s\n", statements[l.Law].Demands)
	}
	renderViolations(b, l.Kept, l.Violations)
	if len(l.NotPromised) > 0 {
		fmt.Fprintf(b, "  %-32s %d times, not promised for %s\n", l.Law, l.Tolerated, strings.Join(l.NotPromised, "; nor for "))
	}
	renderViolations(b, l.KeptThere, l.Tolerated)
}

func renderViolations(b *strings.Builder, kept []Violation, count int) {
	for _, v := range kept {
		fmt.Fprintf(b, "    - %v\n", v)
	}
	if more := count - len(kept); more > 0 {
		fmt.Fprintf(b, "    - and %d more\n", more)
	}
}

// String says what is wrong with what, and what was the matter then.
func (v Violation) String() string {
	var parts []string
	if v.Record != "" {
		parts = append(parts, v.Record)
	}
	if v.Partition != "" {
		parts = append(parts, v.Partition)
	}
	if v.Offset >= 0 {
		parts = append(parts, fmt.Sprintf("offset %d", v.Offset))
	}
	if v.Broker >= 0 {
		parts = append(parts, fmt.Sprintf("acknowledged while broker-%d led", v.Broker))
	}
	parts = append(parts, "at "+short(v.At).String())
	text := strings.Join(parts, ", ") + ": " + v.Text
	switch {
	case len(v.Faults) > 0:
		text += "; active then: " + strings.Join(v.Faults, ", ")
	default:
		text += "; no fault was active then"
	}
	if len(v.Disk) > 0 {
		text += "; on disk " + strings.Join(v.Disk, ", ")
	}
	return text
}

// String says what was measured around the fault.
func (f FaultReport) String() string {
	if f.At < 0 {
		return fmt.Sprintf("fault %s: never injected", f.Name)
	}
	text := fmt.Sprintf("fault %s: from %v for %v; acked %d before, %d of %d tried during, %d after",
		f.Name, short(f.At), short(f.Lasted), f.Before, f.During, f.Tried, f.After)
	if f.LongestGapOn != "" {
		text += fmt.Sprintf("; longest wait %v on %s", short(f.LongestGap), f.LongestGapOn)
	}
	if f.SlowRecoveryOn != "" {
		text += fmt.Sprintf("; slowest after the heal %v on %s", short(f.SlowestRecovery), f.SlowRecoveryOn)
	}
	return text
}

func short(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
