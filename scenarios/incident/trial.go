package incident

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Run runs an incident's scenario for the n-th time on these releases.
type Run func(ctx context.Context, incident Incident, on Releases, n int) Outcome

// Trial tries incidents on the releases that they name, each so many times, and
// tells of every run as soon as it is over.
type Trial struct {
	Times int
	Run   Run
	Out   io.Writer // text
	Lines io.Writer // a JSON object a run
	Now   func() time.Time
}

// row is all runs of one incident on the same releases.
type row struct {
	incident Incident
	on       Releases
	affected bool
	runs     []record
}

// record is one run, as it is written down.
type record struct {
	Incident string    `json:"incident"`
	Brokers  string    `json:"brokers"`
	Workers  string    `json:"workers,omitempty"`
	N        int       `json:"n"`
	Began    time.Time `json:"began"`
	Seconds  float64   `json:"seconds"` // boot and end included
	Expected Verdict   `json:"expected"`
	Seen     Verdict   `json:"seen"`
	Finding  string    `json:"finding,omitempty"`
	Reason   string    `json:"reason,omitempty"` // the failure in one line
	// Diagnosis is what was wrong with the cluster, in sentences.
	Diagnosis []string `json:"diagnosis,omitempty"`
	Folder    string   `json:"folder,omitempty"` // that has the log, the report and the evidence
	// Wrong is why this run is not what was expected; empty if it is.
	Wrong string `json:"wrong,omitempty"`
}

// Try tries the incidents and prints a table. The error says which runs were not
// as expected, and why: an affected release that was not red with the expected
// finding, a cured one that was not green, anything that says nothing.
func (t Trial) Try(ctx context.Context, incidents ...Incident) error {
	if t.Times < 1 {
		return fmt.Errorf("try incidents %d times: want once or more", t.Times)
	}
	for _, incident := range incidents {
		if err := incident.Check(); err != nil {
			return err
		}
	}
	rows := rowsOf(incidents)
	for r := range rows {
		for n := 1; n <= t.Times && ctx.Err() == nil; n++ {
			if err := t.once(ctx, &rows[r], n); err != nil {
				return err
			}
		}
	}
	t.printTable(rows)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("try incidents: not all runs were made: %w", err)
	}
	return wrongOf(rows)
}

func rowsOf(incidents []Incident) []row {
	var rows []row
	for _, incident := range incidents {
		for _, on := range incident.Affected {
			rows = append(rows, row{incident: incident, on: on, affected: true})
		}
		for _, on := range incident.Cured {
			rows = append(rows, row{incident: incident, on: on})
		}
	}
	return rows
}

func (t Trial) once(ctx context.Context, r *row, n int) error {
	began := t.Now()
	outcome := t.Run(ctx, r.incident, r.on, n)
	done := record{
		Incident: r.incident.ID, Brokers: r.on.Brokers, Workers: r.on.Workers, N: n,
		Began: began, Seconds: t.Now().Sub(began).Seconds(),
		Expected: r.expected(), Seen: outcome.Verdict, Reason: outcome.Reason, Diagnosis: outcome.Diagnosis, Folder: outcome.Folder,
		Wrong: r.incident.Failing(r.affected, outcome),
	}
	if outcome.Finding.Assertion != "" {
		done.Finding = outcome.Finding.Assertion + " of " + outcome.Finding.Subject
	}
	r.runs = append(r.runs, done)
	fmt.Fprintf(t.Out, "%s %-14s %d/%d  expected %-5s  seen %-12s  %5.1f s  %s\n",
		done.Incident, r.on, n, t.Times, done.Expected, done.Seen, done.Seconds, done.Finding)
	for _, sentence := range done.Diagnosis {
		fmt.Fprintf(t.Out, "  %s\n", sentence)
	}
	if done.Wrong != "" {
		fmt.Fprintf(t.Out, "  not as expected: %s\n  its log and evidence are in %s\n", done.Wrong, done.Folder)
	}
	if err := json.NewEncoder(t.Lines).Encode(done); err != nil {
		return fmt.Errorf("write down a run of incident %s: %w", done.Incident, err)
	}
	return nil
}

func (r row) expected() Verdict {
	if r.affected {
		return Red
	}
	return Green
}

// good counts the runs that were as expected.
func (r row) good() (count int) {
	for _, run := range r.runs {
		if run.Wrong == "" {
			count++
		}
	}
	return count
}

// wrongOf is the error of a trial.
func wrongOf(rows []row) error {
	var wrong []string
	for _, r := range rows {
		for _, run := range r.runs {
			if run.Wrong != "" {
				wrong = append(wrong, fmt.Sprintf("%s on %v, run %d: %s", r.incident.ID, r.on, run.N, run.Wrong))
			}
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%d runs were not as expected:\n  %s", len(wrong), strings.Join(wrong, "\n  "))
}

// printTable prints a line a row.
func (t Trial) printTable(rows []row) {
	const form = "%-9s %-15s %-9s %-26s %-46s %-9s %s\n"
	fmt.Fprintf(t.Out, "\n"+form, "incident", "release", "expected", "seen", "finding", "as exp.", "seconds: median (range)")
	for _, r := range rows {
		fmt.Fprintf(t.Out, form, r.incident.ID, r.on, r.expected(), tally(r.runs, func(d record) string { return string(d.Seen) }),
			tally(r.runs, func(d record) string { return d.Finding }), fmt.Sprintf("%d of %d", r.good(), t.Times), r.seconds())
	}
}

// tally counts what differs: "red", or "red 4, green 1".
func tally(runs []record, of func(record) string) string {
	counts := map[string]int{}
	var order []string
	for _, run := range runs {
		value := of(run)
		if value == "" {
			continue
		}
		if counts[value]++; counts[value] == 1 {
			order = append(order, value)
		}
	}
	if len(order) == 0 {
		return "-"
	}
	if len(order) == 1 && counts[order[0]] == len(runs) {
		return order[0]
	}
	for i, value := range order {
		order[i] = fmt.Sprintf("%s %d", value, counts[value])
	}
	return strings.Join(order, ", ")
}

func (r row) seconds() string {
	if len(r.runs) == 0 {
		return "-"
	}
	var all []float64
	for _, run := range r.runs {
		all = append(all, run.Seconds)
	}
	slices.Sort(all)
	return fmt.Sprintf("%.0f (%.0f to %.0f)", all[len(all)/2], all[0], all[len(all)-1])
}
