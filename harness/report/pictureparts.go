package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// window draws a fault: what was intended, what was injected but not seen yet, what
// was seen in effect, and how long the cluster took to be whole afterwards.
func (d *drawing) window(w Window, y float64) []shape {
	const height = rowHeight - 3
	title := w.describe()
	until := w.Until()
	if w.Injected < 0 || w.Instant {
		class := "instant"
		if w.Injected < 0 {
			class = "never"
		} else if !w.Proved() && w.Refuted >= 0 {
			class = "instant unproved"
		}
		s := shapeAt(class, d.x(w.Intended)-5, y+2, 10, 11)
		s.Title, s.Label, s.Outside = title, w.Kind, true
		return append([]shape{s}, d.recovery(w, max(w.Injected, w.Intended), y)...)
	}
	var parts []shape
	add := func(class string, from, to time.Duration) {
		if x := d.x(from); to > from {
			s := shapeAt(class, x, y, max(2, d.x(to)-x), height)
			s.Title = title
			parts = append(parts, s)
		}
	}
	add("intended", w.Intended, w.Injected)
	switch {
	case w.Refuted >= 0:
		add("unproved", w.Injected, until)
	case w.Seen < 0:
		add("injected", w.Injected, until)
	default:
		add("injected", w.Injected, min(w.Seen, until))
		add("effect", max(w.Seen, w.Injected), until)
	}
	if len(parts) > 0 {
		parts = append(parts, d.caption(w, until, y, height))
	}
	return append(parts, d.recovery(w, until, y)...)
}

// caption names the fault, in its window or else right of it.
func (d *drawing) caption(w Window, until time.Duration, y, height float64) shape {
	x := d.x(w.Intended)
	s := shapeAt("caption", x, y, max(2, d.x(until)-x), height)
	s.Label = w.Kind + " " + Seconds(until-w.Injected).String()
	if !w.Proved() {
		s.Label += ", not proved"
	}
	s.Outside = float64(len([]rune(s.Label)))*glyph > s.W-6
	if s.Outside && s.LabelX()+float64(len([]rune(s.Label)))*glyph > d.p.Right {
		s.Label = ""
	}
	return s
}

// recovery is the time from the heal until the cluster was read to be whole.
func (d *drawing) recovery(w Window, healed time.Duration, y float64) []shape {
	class, to := "recovering", w.Recovered
	if w.Recovered < 0 {
		class, to = "unrecovered", w.Unrecovered
	}
	if to < healed || w.Healed < 0 && !w.Instant {
		return nil
	}
	from := d.x(healed)
	s := shapeAt(class, from, y, max(2, d.x(to)-from), rowHeight-3)
	s.Title = "whole again after " + Seconds(to-healed).String()
	if class == "unrecovered" {
		s.Title = "not whole " + Seconds(to-healed).String() + " after the heal: " + w.Why
	}
	return []shape{s}
}

// describe tells of every step of the fault.
func (w Window) describe() string {
	text := w.Name
	for _, step := range []struct {
		at   time.Duration
		text string
	}{{w.Intended, "intended"}, {w.Injected, "injected"}, {w.Seen, "seen in effect"}, {w.Refuted, "seen without effect"},
		{w.Healed, "healed"}, {w.Recovered, "recovered"}, {w.Unrecovered, "not recovered by"}} {
		if step.at >= 0 {
			text += fmt.Sprintf("\n%s at %s s", step.text, seconds(step.at))
		}
	}
	if w.Injected >= 0 && w.Seen < 0 && w.Refuted < 0 {
		text += "\nnever proved"
	}
	return text
}

// chart draws what a client did by the second: bars for acknowledgements, a line
// for how long they took, crosses for what failed, and the gaps.
func (d *drawing) chart(shape *laneShape, lane Lane, y float64) {
	most, slowest := 0, time.Duration(0)
	for _, s := range lane.Rate {
		most, slowest = max(most, s.Acked), max(slowest, s.Latency)
	}
	shape.Note = fmt.Sprintf("up to %d/s", most)
	if slowest > 0 {
		shape.Note += ", slowest " + Seconds(slowest).String()
	}
	base := y + chartHeight - 2
	var bars, line, crosses strings.Builder
	drawing := false
	for n, s := range lane.Rate {
		from := time.Duration(n) * time.Second
		x, end := d.x(from), d.x(min(from+time.Second, max(d.t.Length, time.Second)))
		if s.Acked > 0 {
			height := round(max(1, float64(s.Acked)/float64(most)*(chartHeight-6)))
			fmt.Fprintf(&bars, "M%v %vv-%vh%vv%vz", x, base, height, round(max(0.8, end-x-0.8)), height)
		}
		if s.Failed > 0 {
			fmt.Fprintf(&crosses, "M%v %vl5 5m0 -5l-5 5", round((x+end)/2-2.5), base-6)
		}
		if s.Latency > 0 && slowest > 0 {
			fmt.Fprintf(&line, "%s%v %v", map[bool]string{true: "L", false: "M"}[drawing], round((x+end)/2),
				round(base-float64(s.Mean())/float64(slowest)*(chartHeight-6)))
		}
		drawing = s.Latency > 0
	}
	shape.Paths = append(shape.Paths,
		path{"bars", bars.String(), "records by the second, " + shape.Note},
		path{"latency", line.String(), "mean time to the acknowledgement; the height is " + Seconds(slowest).String()},
		path{"failed", crosses.String(), "seconds in which something was refused, or its outcome stayed unknown"})
	shape.Paths = slices.DeleteFunc(shape.Paths, func(p path) bool { return p.D == "" })
	for _, gap := range union(lane.Gaps) {
		shape.Shapes = append(shape.Shapes, d.span(gap, "gap", y+2, chartHeight-4))
	}
}

// union joins gaps that overlap, of several partitions; each keeps its text, and
// the longest its label.
func union(gaps []Span) (joined []Span) {
	gaps = slices.Clone(gaps)
	slices.SortStableFunc(gaps, func(a, b Span) int { return int(a.From - b.From) })
	var longest time.Duration
	for _, gap := range gaps {
		last := len(joined) - 1
		if last < 0 || gap.From > joined[last].To {
			joined, longest = append(joined, gap), gap.To-gap.From
			continue
		}
		joined[last].Text += "; " + gap.Text
		joined[last].To = max(joined[last].To, gap.To)
		if took := gap.To - gap.From; took > longest {
			longest, joined[last].Label = took, gap.Label
		}
	}
	return joined
}
