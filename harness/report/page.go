package report

import (
	"bytes"
	_ "embed" // the page's template, style and script
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// PageName is the page in the folder of a run.
const PageName = "report.html"

// PageLimit bounds a page, in bytes: it opens at once, and can be sent by mail.
// What does not fit is left out, of scenarios that passed first, and the page
// says so.
const PageLimit = 2 << 20

// mostLines of a timeline's text are on the page.
const mostLines = 300

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// Page writes the page of these scenarios, whose links are relative to the folder
// that it is for. A history that cannot be read is said on the page.
func Page(to io.Writer, folder string, scenarios []Scenario) error {
	p := page{Style: template.CSS(style), Script: template.JS(script)} //nolint:gosec // both are files of this package
	p.head(scenarios)
	sorted := slices.Clone(scenarios)
	slices.SortStableFunc(sorted, func(a, b Scenario) int {
		return slices.Index(Verdicts(), a.Verdict) - slices.Index(Verdicts(), b.Verdict)
	})
	for i, s := range sorted {
		section, err := newSection(fmt.Sprintf("s%d", i+1), folder, s)
		if err != nil {
			return err
		}
		p.Sections = append(p.Sections, section)
	}
	p.fit(PageLimit - 64<<10) // the rest of the page
	for _, s := range p.Sections {
		if p.First == "" && s.Marks > 0 && s.Verdict != Pass {
			p.First = s.ID + "-v1"
		}
	}
	if err := pageTemplate.Execute(to, p); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// WritePage writes the page of the last run in the folder, into it. The folders of
// other shards may be added.
func WritePage(folder string, others ...string) error {
	all, err := readAll(append([]string{folder}, others...))
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return writePage(folder, all)
}

func writePage(folder string, all []Scenario) error {
	var text bytes.Buffer
	if err := Page(&text, folder, all); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, PageName), text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// page is what the template shows.
type page struct {
	Style    template.CSS
	Script   template.JS
	Title    string
	Facts    []string
	Verdicts []tally
	Areas    []area
	Sections []section
	First    string // the mark of the first violation
	LeftOut  int    // timelines that did not fit
}

type tally struct {
	Verdict Verdict
	Count   int
}

type area struct {
	Name                  string
	Counts                []int // by verdict
	Count                 int
	Took                  Seconds
	Unavailable, Recovery Seconds // the worst
}

func (p *page) head(scenarios []Scenario) {
	releases := distinct(scenarios, func(s Scenario) string { return s.Kafka })
	p.Title = "Kafka " + strings.Join(releases, ", ") + " under chaos"
	began, ended := time.Time{}, time.Time{}
	for _, s := range scenarios {
		if began.IsZero() || s.Date.Before(began) {
			began = s.Date
		}
		if end := s.Date.Add(time.Duration(s.Took)); end.After(ended) {
			ended = end
		}
	}
	if len(scenarios) > 0 {
		seeds := distinct(scenarios, func(s Scenario) string { return fmt.Sprint(s.Seed) })
		text := "seed " + strings.Join(seeds, ", ")
		if len(seeds) > 3 {
			text = fmt.Sprintf("%d seeds", len(seeds))
		}
		p.Facts = append(p.Facts, began.UTC().Format("2 January 2006, 15:04 MST"), Seconds(ended.Sub(began)).String(), text)
	}
	if workers := distinct(scenarios, func(s Scenario) string { return s.Workers }); !slices.Equal(workers, releases) && len(workers) > 0 {
		p.Facts = append(p.Facts, "workers "+strings.Join(workers, ", "))
	}
	for _, v := range Verdicts() {
		p.Verdicts = append(p.Verdicts, tally{v, count(scenarios, v)})
	}
	for _, name := range distinct(scenarios, Scenario.Area) {
		p.Areas = append(p.Areas, areaOf(name, scenarios))
	}
	slices.SortFunc(p.Areas, func(a, b area) int { return strings.Compare(a.Name, b.Name) })
}

func areaOf(name string, scenarios []Scenario) area {
	a := area{Name: name, Counts: make([]int, len(Verdicts()))}
	for _, s := range scenarios {
		if s.Area() == name {
			a.Count++
			a.Counts[slices.Index(Verdicts(), s.Verdict)]++
			a.Took += s.Took
			a.Unavailable, a.Recovery = max(a.Unavailable, s.Unavailable), max(a.Recovery, s.Recovery)
		}
	}
	return a
}

func count(scenarios []Scenario, verdict Verdict) (n int) {
	for _, s := range scenarios {
		if s.Verdict == verdict {
			n++
		}
	}
	return n
}

func distinct(scenarios []Scenario, of func(Scenario) string) (all []string) {
	for _, s := range scenarios {
		if text := of(s); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// fit leaves timelines out until the page has room: of what passed before of what
// failed, texts before pictures, the last first.
func (p *page) fit(limit int) {
	size := 0
	for _, s := range p.Sections {
		size += len(s.Timeline) + len(s.Text)*5/4 + 4<<10
	}
	for _, drop := range []func(*section){
		func(s *section) { s.Text, s.More = "", strings.Count(s.Text, "\n")+s.More },
		func(s *section) { s.Timeline, s.LeftOut, s.Marks = "", true, 0 },
	} {
		for i := len(p.Sections) - 1; i >= 0 && size > limit; i-- {
			s := &p.Sections[i]
			before := len(s.Timeline) + len(s.Text)*5/4
			drop(s)
			size -= before - len(s.Timeline) - len(s.Text)*5/4
		}
	}
	for _, s := range p.Sections {
		if s.LeftOut {
			p.LeftOut++
		}
	}
}

// link is how the folder is reached from the page.
func link(from, to string) string {
	if to == "" {
		return ""
	}
	from, err := filepath.Abs(from)
	if err != nil {
		return ""
	}
	if to, err = filepath.Abs(to); err != nil {
		return ""
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(relative) + "/"
}
