package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The measures of a picture, in its own units; a character of a label takes about
// glyph.
const (
	pictureWidth = 1180.0
	labelWidth   = 172.0
	rightMargin  = 14.0
	axisHeight   = 46.0
	headHeight   = 26.0
	rowHeight    = 18.0
	chartHeight  = 38.0
	lanePad      = 6.0
	glyph        = 6.1
)

// picture is a timeline laid out: what package html/template draws.
type picture struct {
	ID            string
	Width, Height float64
	Left, Right   float64
	Ticks         []tick
	Heads         []head
	Lanes         []laneShape
	Columns       []shape // behind all lanes: the windows of faults
	Marks         []mark
	Summary       string // for those who do not see it
}

type tick struct {
	X     float64
	Label string
}

type head struct {
	Y    float64
	Text string
}

type laneShape struct {
	Name, Note string
	Group      string
	Y, Height  float64
	Shapes     []shape
	Paths      []path
}

// shape is a rectangle, or what its class makes of it, with a label in it or beside.
type shape struct {
	Class      string
	X, Y, W, H float64
	Label      string
	Title      string
	Outside    bool // the label stands right of it
}

// LabelX is where the label begins.
func (s shape) LabelX() float64 {
	if s.Outside {
		return s.X + s.W + 4
	}
	return s.X + 4
}

// LabelY is its base line.
func (s shape) LabelY() float64 { return s.Y + s.H/2 + 4 }

type path struct{ Class, D, Title string }

// mark is a moment at which something was found, or several.
type mark struct {
	ID, Text string
	X        float64
	Title    string
}

// draw lays the timeline out. The id tells its marks from those of others on the
// page.
func draw(t Timeline, id string) picture {
	d := drawing{t: t, p: picture{ID: id, Width: pictureWidth, Left: labelWidth, Right: pictureWidth - rightMargin}, y: axisHeight}
	d.ticks()
	for i, lane := range t.Lanes {
		if i == 0 || lane.Group != t.Lanes[i-1].Group {
			d.p.Heads = append(d.p.Heads, head{d.y + 18, lane.Group.String()})
			d.y += headHeight
		}
		d.lane(lane)
	}
	d.p.Height = d.y + 8
	d.columns()
	d.marks()
	d.p.Summary = fmt.Sprintf("Timeline of %v: %d lanes, %d records acknowledged, %d findings. The same as text is below.",
		Seconds(t.Length), len(t.Lanes), t.Acked, len(t.Violations))
	return d.p
}

type drawing struct {
	t Timeline
	p picture
	y float64
}

// x is where a time is.
func (d *drawing) x(at time.Duration) float64 {
	length := max(d.t.Length, time.Second)
	return round(labelWidth + float64(at)/float64(length)*(pictureWidth-rightMargin-labelWidth))
}

func round(x float64) float64 { return float64(int(x*10+0.5)) / 10 }

func (d *drawing) ticks() {
	step := time.Second
	for _, s := range []int{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600} {
		if step = time.Duration(s) * time.Second; d.t.Length/step <= 12 {
			break
		}
	}
	for at := time.Duration(0); at <= d.t.Length; at += step {
		d.p.Ticks = append(d.p.Ticks, tick{d.x(at), clock(at, step)})
	}
}

func clock(at, step time.Duration) string {
	if step < time.Minute {
		return fmt.Sprintf("%d s", int(at.Seconds()))
	}
	return fmt.Sprintf("%d min", int(at.Minutes()))
}

func (d *drawing) lane(lane Lane) {
	shape := laneShape{Name: lane.Name, Group: lane.Group.String(), Y: d.y}
	y := d.y + lanePad
	rows := stack(lane.Faults)
	for i, window := range lane.Faults {
		shape.Shapes = append(shape.Shapes, d.window(window, y+float64(rows[i])*rowHeight)...)
	}
	if len(rows) > 0 {
		y += float64(slices.Max(rows)+1) * rowHeight
	}
	for _, band := range lane.Bands {
		for _, span := range band {
			shape.Shapes = append(shape.Shapes, d.span(span, "state "+string(span.Level), y, rowHeight-2))
		}
		y += rowHeight
	}
	if lane.Group == Clients {
		d.chart(&shape, lane, y)
		y += chartHeight
	}
	for _, point := range lane.Points {
		shape.Shapes = append(shape.Shapes, d.fit(shapeAt("point", d.x(point.At)-3, d.y+lanePad, 6, 6), "", point.Text))
	}
	y = max(y, d.y+lanePad+rowHeight)
	shape.Height = y + lanePad - 2 - d.y
	d.y = shape.Y + shape.Height
	d.p.Lanes = append(d.p.Lanes, shape)
}

func shapeAt(class string, x, y, w, h float64) shape {
	return shape{Class: class, X: round(x), Y: round(y), W: round(w), H: h}
}

func (d *drawing) span(s Span, class string, y, height float64) shape {
	from := d.x(s.From)
	return d.fit(shapeAt(class, from, y, max(1.5, d.x(s.To)-from-1), height), s.Label,
		fmt.Sprintf("%s (from %s s, for %v)", s.Text, seconds(s.From), Seconds(s.To-s.From)))
}

// fit puts the label into the shape, or as much of it as there is room for; two
// letters of a word say nothing, so then it is left to the title.
func (d *drawing) fit(s shape, label, title string) shape {
	s.Title = title
	room := int((s.W - 6) / glyph)
	letters := []rune(label)
	switch {
	case len(letters) <= room:
		s.Label = label
	case strings.HasPrefix(label, "session 0x") && room >= 6:
		s.Label = "…" + string(letters[len(letters)-min(room-1, 6):])
	case room >= 6:
		s.Label = string(letters[:room-1]) + "…"
	}
	return s
}

// stack gives each window a row in which no other one is at that time.
func stack(windows []Window) []int {
	var rows []int
	var ends []time.Duration
	for _, w := range windows {
		row := slices.IndexFunc(ends, func(end time.Duration) bool { return end <= w.Intended })
		if row < 0 {
			row = len(ends)
			ends = append(ends, 0)
		}
		ends[row] = max(w.Until(), w.Recovered, w.Unrecovered) + 1
		rows = append(rows, row)
	}
	return rows
}

// columns are the windows of faults, behind everything.
func (d *drawing) columns() {
	seen := map[int]bool{}
	for _, lane := range d.t.Lanes {
		for _, w := range lane.Faults {
			if seen[w.Number] || lane.Name == combined || w.Injected < 0 {
				continue
			}
			seen[w.Number] = true
			from := d.x(w.Injected)
			d.p.Columns = append(d.p.Columns, shapeAt("column", from, axisHeight, max(1, d.x(w.Until())-from), d.p.Height-axisHeight-8))
		}
	}
}

// marks are the findings; those that would lie on each other are one mark, with the
// number of the first.
func (d *drawing) marks() {
	const apart = 16
	for i, v := range d.t.Violations {
		x := d.x(v.At)
		text := fmt.Sprintf("%s s: %s: %s", seconds(v.At), v.Law, v.Text)
		if last := len(d.p.Marks) - 1; last >= 0 && x-d.p.Marks[last].X < apart {
			d.p.Marks[last].Title += "\n" + text
			continue
		}
		d.p.Marks = append(d.p.Marks, mark{fmt.Sprintf("%s-v%d", d.p.ID, len(d.p.Marks)+1), fmt.Sprint(i + 1), x, text})
	}
}
