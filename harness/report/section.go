package report

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"strings"
)

// section is one scenario on the page.
type section struct {
	Scenario
	ID         string
	Evidence   string // as a link
	History    string
	Timeline   template.HTML // the picture
	Text       string
	More       int // lines of text that were left out
	Violations []Violation
	Marks      int
	Steady     string
	Doubt      string
	LeftOut    bool
}

var pictureTemplate = template.Must(pageTemplate.Clone()).Lookup("picture")

func newSection(id, folder string, s Scenario) (section, error) {
	s.Reason = strings.Replace(s.Reason, "finding: "+s.Finding+" ", "", 1) // it is the heading
	made := section{Scenario: s, ID: id, Evidence: link(folder, s.EvidenceFolder()), History: link(folder, s.HistoryFolder())}
	if s.History == "" {
		return made, nil
	}
	t, err := Load(s.HistoryFolder())
	if err != nil {
		if made.Doubt = err.Error(); Missing(err) {
			made.Doubt = "its history is not there any more"
		}
		return made, nil
	}
	t.Failed(s)
	var drawn, text bytes.Buffer
	drawing := draw(t, id)
	if err := errors.Join(pictureTemplate.Execute(&drawn, drawing), t.Text(&text)); err != nil {
		return made, fmt.Errorf("draw the timeline of %q: %w", s.Title, err)
	}
	made.Timeline = template.HTML(drawn.String()) //nolint:gosec // the template has escaped it
	lines := strings.SplitAfter(text.String(), "\n")
	made.Text, made.More = strings.Join(lines[:min(mostLines, len(lines))], ""), max(0, len(lines)-mostLines)
	made.Violations, made.Marks = t.Violations, len(drawing.Marks)
	made.Steady, made.Doubt = strings.Join(t.Steady, ", "), t.Doubt
	return made, nil
}
