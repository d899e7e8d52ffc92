package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kafkachaos/assertions"
	"kafkachaos/assertions/diagnosis"
	"kafkachaos/scenarios/incident"
)

// Failure is a scenario that failed, as a reader meets it who knows Kafka and not
// this project; also one that passed, of which evidence was wanted.
type Failure struct {
	Title   string // the obligation
	Outcome incident.Outcome
	Release string        // of what ran
	After   time.Duration // from the begin of the scenario to its failure
	Step    string        // the last one that it began
	Message string        // what was expected and read

	Active []string // faults at that moment
	Last   string   // fault that was over before it, and since when

	Seed   string // of drawn plans, and what it fixed
	Plan   string // the file of a drawn plan
	Folder string // of the evidence
	Start  string // the file in it to begin with

	Again string // the command that runs it again
	Judge string // the command that judges its history again
	Code  string // the line of the scenario that failed
}

// The room that each part has on a page; together they fit a screen.
const (
	messageLines   = 13
	diagnosisLines = 10
	faultLines     = 3
	stepColumns    = 70
)

// String is the page.
func (f Failure) String() string {
	page := section(headings[f.Outcome.Verdict], f.Title, 2)
	page = append(page, section("", f.headline(), 2)...)
	if f.Message != "" {
		page = append(page, "")
		page = append(page, section("seen", withoutFinding(f.Message), messageLines)...)
	}
	if len(f.Outcome.Diagnosis) > 0 {
		page = append(page, "")
		page = append(page, section("diagnosis", f.diagnosis(), diagnosisLines)...)
	}
	page = append(page, "")
	page = append(page, section("faults", f.faults(), faultLines)...)
	for _, line := range [][2]string{{"seed", f.Seed}, {"plan", f.Plan}, {"evidence", f.Folder}, {"", f.Start}, {"again", f.Again}, {"judge", f.Judge}, {"code", f.Code}} {
		if line[1] != "" { // never broken: it is to be copied
			page = append(page, fmt.Sprintf("%-*s%s", indent, line[0], line[1]))
		}
	}
	return strings.Join(page, "\n") + "\n"
}

// headings are what a page begins with.
var headings = map[incident.Verdict]string{incident.Red: "FAILED", incident.Inconclusive: "UNDECIDED", incident.Environment: "NO RUN", incident.Green: "PASSED"}

// meaning says what a verdict is worth.
var meaning = map[incident.Verdict]string{
	incident.Green:        "green: what was expected came about",
	incident.Red:          "red: a finding about Kafka",
	incident.Inconclusive: "inconclusive: says nothing about Kafka, since a fault or a premise did not come about",
	incident.Environment:  "environment: says nothing about Kafka, since the cluster, the machine or the time did not suffice",
}

func (f Failure) headline() string {
	parts := []string{meaning[f.Outcome.Verdict]}
	if found := f.Outcome.Finding; found.Assertion != "" {
		parts = []string{fmt.Sprintf("red: not %s: %s", found.Assertion, found.Subject)}
	}
	parts = append(parts, f.Release, fmt.Sprintf("after %.1f s", f.After.Seconds()))
	if f.Step != "" {
		parts = append(parts, "last step: "+Cut(f.Step, stepColumns))
	}
	return strings.Join(parts, "; ")
}

// withoutFinding leaves out the line that the headline has already.
func withoutFinding(message string) string {
	var kept []string
	for line := range strings.Lines(message) {
		if _, isFinding := assertions.ParseFinding(line); !isFinding {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// diagnosis puts what is about the subject of the finding first, and then known bugs,
// so that a cut leaves them.
func (f Failure) diagnosis() string {
	rank := func(sentence string) int {
		switch subject := f.Outcome.Finding.Subject; {
		case subject != "" && strings.HasPrefix(sentence, subject+" "):
			return 0
		case diagnosis.NamesBug(sentence):
			return 1
		}
		return 2
	}
	sentences := slices.Clone(f.Outcome.Diagnosis)
	slices.SortStableFunc(sentences, func(a, b string) int { return rank(a) - rank(b) })
	return strings.Join(sentences, "\n")
}

func (f Failure) faults() string {
	text := "none active"
	if len(f.Active) > 0 {
		text = "active: " + strings.Join(f.Active, "; ")
	}
	if f.Last != "" {
		text += "; the last one before: " + f.Last
	}
	return text
}
