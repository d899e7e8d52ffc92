package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/scenarios/incident"
	"kafkachaos/scenarios/terminal"
)

// The report entries that tell where things are.
const (
	evidenceEntry = "evidence"
	planEntry     = "plan"
	recordEntry   = "record"
)

var _ = ReportAfterEach(func(report SpecReport) {
	if report.State.Is(types.SpecStateSkipped|types.SpecStatePending) && report.Failure.Message == "" {
		return
	}
	ginkgos.shut.Store(true) // it would say everything again
	outcome := outcomeOf(report)
	took := fmt.Sprintf("[%.3f seconds]", report.RunTime.Seconds())
	if report.State.Is(types.SpecStateSkipped) {
		fmt.Printf("S [SKIPPED] %s\n", report.Failure.Message)
		return
	}
	page := pageOf(report, outcome)
	if outcome.Verdict == incident.Green {
		fmt.Println("•", took)
	} else {
		fmt.Printf("• [FAILED] %s\n\n%s\n", took, page)
	}
	if err := intoEvidence(page); err != nil {
		fmt.Println("  the evidence is not complete:", err)
	}
})

func outcomeOf(report SpecReport) incident.Outcome {
	outcome := incident.OutcomeOf(report.State.String(), report.Failure.Message)
	if sentences := entry(report, incident.Diagnosis); sentences != "" {
		outcome.Diagnosis = strings.Split(sentences, "\n")
	}
	outcome.Folder = entry(report, evidenceEntry)
	return outcome
}

// entry is what the first report entry of that name says.
func entry(report SpecReport, name string) string {
	for _, e := range report.ReportEntries {
		if e.Name == name {
			return e.StringRepresentation()
		}
	}
	return ""
}

// pageOf is the failure as a reader meets it.
func pageOf(report SpecReport, outcome incident.Outcome) terminal.Failure {
	failed := report.StartTime.Add(report.RunTime)
	if report.Failed() {
		failed = onStage.Load().at(report.Failure)
	}
	f := terminal.Failure{Title: report.FullText(), Outcome: outcome, Release: releases(), After: failed.Sub(report.StartTime),
		Message: report.Failure.Message, Folder: outcome.Folder, Again: commandOf(report.FullText())}
	if report.Failed() {
		f.Code = codeOf(report.Failure.Location)
		f.Message = strings.TrimSpace(f.Message + "\n" + report.Failure.ForwardedPanic)
	}
	for _, more := range report.AdditionalFailures { // what a time-out interrupted
		f.Message += "\n" + more.Failure.Message
	}
	f.Step, _ = stepAt(report, failed)
	f.Active, f.Last = onStage.Load().faults.At(failed)
	f.Seed, f.Plan = fmt.Sprint(seed()), entry(report, planEntry)
	if outcome.Folder != "" {
		f.Start = "begin with " + beginWith(outcome)
	}
	if record := entry(report, recordEntry); record != "" {
		f.Judge = "make replay DIR=" + record
	}
	return f
}

// codeOf is a place in the code, from the root of the project.
func codeOf(at types.CodeLocation) string {
	file := at.FileName
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(filepath.Dir(here), file); err == nil {
			file = short
		}
	}
	return fmt.Sprintf("%s:%d", file, at.LineNumber)
}

// beginWith names the files of evidence to look at first.
func beginWith(outcome incident.Outcome) string {
	files := []string{harness.IndexName, storyName}
	for _, suffix := range []string{".threads.txt", ".log"} {
		name := outcome.Finding.Subject + suffix
		if _, err := os.Stat(filepath.Join(outcome.Folder, name)); err == nil {
			files = append(files, name)
		}
	}
	return strings.Join(files, ", then ") + " in it"
}

// storyName is the file that tells what was observed, in the order of time.
const storyName = "story.txt"

// releases is what ran.
func releases() string {
	if workersRelease() == release() {
		return "Kafka " + release()
	}
	return "Kafka " + release() + ", workers " + workersRelease()
}

// intoEvidence puts the page at the head of the index of the evidence, and beside it
// the history and the plans.
func intoEvidence(page terminal.Failure) error {
	if page.Folder == "" {
		return nil
	}
	at := filepath.Join(page.Folder, harness.IndexName)
	text, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	files := ""
	var errs []error
	keep := func(from, about string) {
		err := os.Link(from, filepath.Join(page.Folder, filepath.Base(from)))
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		errs = append(errs, err)
		files += fmt.Sprintf("  %-30s %s\n", filepath.Base(from), about)
	}
	if folder, isKept := strings.CutPrefix(page.Judge, "make replay DIR="); isKept {
		errs = append(errs, tellStory(folder, filepath.Join(page.Folder, storyName)))
		files += fmt.Sprintf("  %-30s %s\n", storyName, "what was observed and what faults did, in the order of time")
		keep(filepath.Join(folder, history.FileName), "the same with all that clients did, one event a line")
		keep(filepath.Join(folder, invariant.VerdictName), "what the history was judged to be")
	}
	if page.Plan != "" {
		keep(page.Plan, "the faults that were drawn")
		keep(page.Plan+".executed", "what became of them, with the times meant and kept")
	}
	head := page.String() + "\nmade by    kafkachaos " + commit() + "\n\nFiles, those that tell most first:\n\n" + files
	return errors.Join(append(errs, os.WriteFile(at, append([]byte(head), text...), 0o600))...)
}

// tellStory writes the story of a history.
func tellStory(folder, into string) error {
	reader, file, err := history.Open(folder)
	if err != nil {
		return err
	}
	defer file.Close()
	var story bytes.Buffer
	err = terminal.Story(&story, reader)
	return errors.Join(err, os.WriteFile(into, story.Bytes(), 0o600))
}

// commit is the commit of this project that ran.
func commit() string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	told, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "of an unknown commit"
	}
	return strings.TrimSpace(string(told))
}

// summary is what the run came to, told when all is over.
var summary string

var _ = ReportAfterSuite("summary", func(report Report) {
	ginkgos.shut.Store(true)
	var all []terminal.Ran
	for _, spec := range report.SpecReports {
		skipped := spec.State.Is(types.SpecStateSkipped | types.SpecStatePending)
		if skipped || spec.LeafNodeType != types.NodeTypeIt && !spec.Failed() {
			continue
		}
		ran := terminal.Ran{Title: titleOf(spec), Outcome: outcomeOf(spec), Took: spec.RunTime}
		if ran.Outcome.Verdict != incident.Green && spec.LeafNodeType == types.NodeTypeIt {
			ran.Again = commandOf(spec.FullText())
		}
		all = append(all, ran)
	}
	summary = terminal.Summary(all, report.RunTime.Round(time.Second), report.SuiteConfig.RandomSeed)
	for _, reason := range report.SpecialSuiteFailureReasons {
		summary += "and the run failed: " + reason + "\n"
	}
})

func titleOf(spec SpecReport) string {
	if spec.LeafNodeType == types.NodeTypeIt {
		return spec.FullText()
	}
	return spec.LeafNodeType.String()
}

// commandOf is how a scenario is run again.
func commandOf(title string) string {
	parts := []string{"make chaos", "KAFKA=" + release()}
	if workersRelease() != release() {
		parts = append(parts, "WORKERS="+workersRelease())
	}
	return strings.Join(append(parts, fmt.Sprintf("SEED=%d", seed()), "FOCUS='"+strings.ReplaceAll(regexp.QuoteMeta(title), "'", ".")+"'"), " ")
}
