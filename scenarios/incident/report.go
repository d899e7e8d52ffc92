package incident

import (
	"encoding/json"
	"fmt"
	"strings"

	"kafkachaos/assertions"
)

// Outcome is what one run of a scenario came to.
type Outcome struct {
	Verdict Verdict
	Finding assertions.Finding // of a red run; zero if its failure names none
	Reason  string             // the failure in one line, or why there is none
	// Diagnosis is what was wrong with the cluster, in sentences.
	Diagnosis []string
	Folder    string // that has the log, the report and the evidence
}

// Diagnosis names the entry of the report that says what is wrong with the
// cluster of a failed scenario, a sentence a line.
const Diagnosis = "diagnosis"

// suite is as much of ginkgo's JSON report as the verdict needs
// (types.Report of ginkgo v2).
type suite struct {
	SpecialSuiteFailureReasons []string
	SpecReports                []spec
}

type spec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            string
	LeafNodeText            string
	State                   string
	Failure                 failure
	ReportEntries           []entry
}

type failure struct{ Message string }

type entry struct {
	Name  string
	Value struct{ Representation string }
}

func (s spec) diagnosis() []string {
	for _, entry := range s.ReportEntries {
		if entry.Name == Diagnosis && entry.Value.Representation != "" {
			return strings.Split(entry.Value.Representation, "\n")
		}
	}
	return nil
}

func (s spec) title() string {
	return strings.Join(append(s.ContainerHierarchyTexts, s.LeafNodeText), " ")
}

// The states of a spec, in ginkgo's words.
const (
	statePassed  = "passed"
	stateFailed  = "failed"
	stateSkipped = "skipped"
	statePending = "pending"
)

// Judge reads ginkgo's JSON report of a run that was to be of this one scenario.
// A report without it, or one that cannot be read, is of the environment.
func Judge(report []byte, scenario string) Outcome {
	var suites []suite
	if err := json.Unmarshal(report, &suites); err != nil {
		return nothing("read the report: %v", err)
	}
	var ran []spec
	var reasons []string
	for _, suite := range suites {
		reasons = append(reasons, suite.SpecialSuiteFailureReasons...)
		for _, spec := range suite.SpecReports {
			if spec.LeafNodeType == "It" && spec.title() == scenario {
				ran = append(ran, spec)
			}
		}
	}
	if len(ran) != 1 {
		return nothing("%d scenarios have the title %q: %s", len(ran), scenario, strings.Join(reasons, "; "))
	}
	return ran[0].outcome()
}

func nothing(format string, args ...any) Outcome {
	return Outcome{Verdict: Environment, Reason: fmt.Sprintf(format, args...)}
}

func (s spec) outcome() Outcome {
	o := OutcomeOf(s.State, s.Failure.Message)
	o.Diagnosis = s.diagnosis()
	return o
}

// OutcomeOf tells what a scenario came to, by ginkgo's word for its state and the
// message of its failure.
func OutcomeOf(specState, message string) Outcome {
	switch specState {
	case statePassed:
		return Outcome{Verdict: Green}
	case stateSkipped, statePending:
		return nothing("the scenario was %s: %s", specState, oneLine(message))
	case stateFailed:
	default: // it timed out, panicked, or was interrupted
		return nothing("the scenario %s: %s", specState, oneLine(message))
	}
	o := Outcome{Verdict: verdictOf(message), Reason: oneLine(message)}
	if o.Verdict == Red {
		o.Finding, _ = assertions.ParseFinding(message)
	}
	return o
}

// oneLine is the text on one line, or the beginning of it.
func oneLine(text string) string {
	const longest = 400
	line := strings.Join(strings.Fields(text), " ")
	if runes := []rune(line); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return line
}

// Failing says why a run is not what the incident expects there, or nothing.
func (i Incident) Failing(affected bool, o Outcome) string {
	switch {
	case o.Verdict == Inconclusive || o.Verdict == Environment:
		return fmt.Sprintf("%s, which says nothing about Kafka: %s", o.Verdict, o.Reason)
	case affected && o.Verdict == Green:
		return "green, but this release was to fail"
	case affected && o.Finding == assertions.Finding{}:
		return "red without a finding: " + o.Reason
	case affected && !i.Finding.Matches(o.Finding):
		return fmt.Sprintf("red with another finding than %q: %s", i.Finding, o.Reason)
	case !affected && o.Verdict == Red:
		return "red, but this release was to pass: " + o.Reason
	}
	return ""
}
