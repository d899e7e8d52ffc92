package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// SummaryName is the file in the folder of a run that has a line a scenario.
const SummaryName = "summary.jsonl"

// Format is the number of the format of a Scenario that is written.
const Format = 1

// Verdict is what a scenario came to.
type Verdict string

// The verdicts, the worst first.
const (
	Fail         Verdict = "fail"         // an assertion about the system failed
	Environment  Verdict = "environment"  // nothing was asked of the system
	Inconclusive Verdict = "inconclusive" // a premise did not come about
	Pass         Verdict = "pass"
	Skipped      Verdict = "skipped" // with a reason, such as a release that does not know it
)

// Verdicts are all of them, the worst first.
func Verdicts() []Verdict { return []Verdict{Fail, Environment, Inconclusive, Pass, Skipped} }

// Seconds is a duration, written as seconds with milliseconds, for all who read
// JSON.
type Seconds time.Duration

// MarshalJSON writes seconds.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// UnmarshalJSON reads seconds.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	var seconds float64
	if err := json.Unmarshal(text, &seconds); err != nil {
		return err
	}
	*s = Seconds(seconds * float64(time.Second))
	return nil
}

func (s Seconds) String() string {
	d := time.Duration(s)
	switch {
	case d == 0:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", max(1, d.Milliseconds()))
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// Scenario is one run of a scenario, as it is kept when everything else of the run
// has expired. Times of what was not measured are 0. Folders are relative to the
// one that the summary is in.
type Scenario struct {
	Format int       `json:"format"` // set when written
	Date   time.Time `json:"date"`   // when the scenario began
	Suite  time.Time `json:"suite"`  // when the suite did, which tells runs apart
	Title  string    `json:"title"`
	Labels []string  `json:"labels,omitempty"` // the first one is the area

	Verdict Verdict `json:"verdict"`
	// Finding is what failed, "<assertion> of <subject>".
	Finding string `json:"finding,omitempty"`
	// Reason is the failure in one line, or why it was skipped.
	Reason    string    `json:"reason,omitempty"`
	FailedAt  time.Time `json:"failed_at,omitzero"`
	Diagnosis []string  `json:"diagnosis,omitempty"` // what was wrong with the cluster, in sentences

	Kafka   string `json:"kafka"`             // the release of the brokers
	Workers string `json:"workers,omitempty"` // and of the Connect workers
	Seed    uint64 `json:"seed"`              // that plans are drawn from
	Attempt int    `json:"attempt"`           // of how often the suite was run, from 1

	Took Seconds `json:"seconds"` // boot and end included
	Boot Seconds `json:"boot_seconds,omitzero"`
	// Unavailable is the longest time between two acknowledgements on any partition
	// while a client tried; Recovery the longest from the heal of a fault to the first
	// acknowledgement on a partition, or until all was read to be whole.
	Unavailable   Seconds `json:"unavailable_seconds,omitzero"`
	UnavailableOn string  `json:"unavailable_on,omitempty"`
	Recovery      Seconds `json:"recovery_seconds,omitzero"`
	RecoveryOf    string  `json:"recovery_of,omitempty"` // the fault
	Acked         int     `json:"acked"`                 // records

	History  string `json:"history,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	RunAgain string `json:"run_again,omitempty"`
	Replay   string `json:"replay,omitempty"` // the command that judges its history again

	folder string // that History and Evidence are relative to
}

// Area is what the scenario is about: its first label.
func (s Scenario) Area() string {
	if len(s.Labels) == 0 {
		return "other"
	}
	return s.Labels[0]
}

// HistoryFolder is where its history is, "" if it has none.
func (s Scenario) HistoryFolder() string { return s.path(s.History) }

// EvidenceFolder is where its evidence is, "" if it has none.
func (s Scenario) EvidenceFolder() string { return s.path(s.Evidence) }

func (s Scenario) path(relative string) string {
	if relative == "" || filepath.IsAbs(relative) {
		return relative
	}
	return filepath.Join(s.folder, filepath.FromSlash(relative))
}

// Measure takes what is kept of the scenario's history over from it. The history is
// in a folder relative to that of the summary; one that cannot be read is kept, and
// tells nothing.
func (s *Scenario) Measure(summary, history string) {
	s.folder, s.History = summary, history
	t, err := Load(s.HistoryFolder())
	if err != nil {
		return
	}
	s.Acked = t.Acked
	s.Unavailable, s.UnavailableOn = Seconds(t.Gap.Took), t.Gap.Of
	s.Recovery, s.RecoveryOf = Seconds(t.Recovery.Took), t.Recovery.Of
}

// Append adds a line to the summary in the folder and has it on disk when it
// returns: a crash costs at most the line that is being written. A line torn by an
// earlier crash is ended first.
func (s Scenario) Append(folder string) error {
	s.Format = Format
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("append to the summary: %w", err)
	}
	path := filepath.Join(folder, SummaryName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("append to the summary: %w", err)
	}
	line = append(line, '\n')
	if endsTorn(file) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = file.Write(line)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	return nil
}

func endsTorn(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := []byte{'\n'}
	_, err = file.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Read reads the summary in the folder, or in the file. Lines that a crash has
// torn, and lines of a later format, are left out and counted.
func Read(path string) (all []Scenario, left int, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, SummaryName)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("read the summary: %w", err)
	}
	defer file.Close()
	all, left, err = readFrom(file)
	for i := range all {
		all[i].folder = filepath.Dir(path)
	}
	if err != nil {
		return all, left, fmt.Errorf("read %s: %w", path, err)
	}
	return all, left, nil
}

func readFrom(from io.Reader) (all []Scenario, left int, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var s Scenario
		switch err := json.Unmarshal(lines.Bytes(), &s); {
		case len(lines.Bytes()) == 0:
		case err != nil || s.Format < 1 || s.Format > Format || s.Title == "":
			left++
		default:
			all = append(all, s)
		}
	}
	return all, left, lines.Err()
}

// LastRun are the scenarios of the last run in a summary: of the last suite and, if
// it was repeated, of the rounds before it.
func LastRun(all []Scenario) []Scenario {
	first := len(all)
	for first > 0 {
		first--
		if at := all[first]; at.Attempt <= 1 && (first == 0 || !all[first-1].Suite.Equal(at.Suite)) {
			break
		}
	}
	return all[first:]
}

// readAll reads the last runs in several folders.
func readAll(folders []string) (all []Scenario, err error) {
	for _, folder := range folders {
		some, _, err := Read(folder)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || len(folders) == 1) {
			return nil, err
		}
		all = append(all, LastRun(some)...)
	}
	return all, nil
}
