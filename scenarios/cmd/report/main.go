// Command report shows recorded runs again, without a cluster:
//
//	go run ./scenarios/cmd/report [-out FOLDER] RUN…
//	go run ./scenarios/cmd/report -text HISTORY…
//	go run ./scenarios/cmd/report -table SUMMARY…
//	go run ./scenarios/cmd/report -trend [-budget FILE] SUMMARY…
//
// The first form writes report.html into the folder of the run. Several runs, such
// as the shards of one, become one page and one summary in FOLDER. The second prints
// the timeline of histories. The third prints what became of each obligation in all
// runs of the summaries, and the last compares them with the budget, and ends with 1
// if that is broken. All end with 2 if they could not do it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"kafkachaos/harness/report"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const (
	good    = 0
	broken  = 1
	useless = 2
)

func run(args []string, out, diagnostics io.Writer) int {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(diagnostics)
	into := flags.String("out", "", "the folder for the page of several runs; that of the first one by default")
	text := flags.Bool("text", false, "print the timelines of the histories in these folders")
	table := flags.Bool("table", false, "print a table of the obligations in these summaries")
	trend := flags.Bool("trend", false, "compare these summaries with the budget")
	budget := flags.String("budget", "", "the file with the budget of each obligation")
	if err := flags.Parse(args); err != nil {
		return useless
	}
	if flags.NArg() == 0 {
		fmt.Fprintln(diagnostics, "report: which run? name its folder, such as out")
		return useless
	}
	var err error
	switch {
	case *text:
		err = printTimelines(flags.Args(), out)
	case *table:
		err = printTable(flags.Args(), out)
	case *trend:
		err = printTrend(flags.Args(), *budget, out)
	default:
		err = render(*into, flags.Args(), out)
	}
	switch {
	case errors.Is(err, report.ErrOverBudget):
		fmt.Fprintln(diagnostics, err)
		return broken
	case err != nil:
		fmt.Fprintln(diagnostics, err)
		return useless
	}
	return good
}

func render(into string, runs []string, out io.Writer) error {
	if into == "" {
		into = runs[0]
	}
	write := func() error { return report.Merge(into, runs...) }
	if len(runs) == 1 && filepath.Clean(into) == filepath.Clean(runs[0]) {
		write = func() error { return report.WritePage(into) }
	}
	if err := write(); err != nil {
		return err
	}
	fmt.Fprintln(out, filepath.Join(into, report.PageName))
	return nil
}

func printTimelines(folders []string, out io.Writer) error {
	for _, folder := range folders {
		t, err := report.Load(folder)
		if err != nil {
			return err
		}
		if err := t.Text(out); err != nil {
			return err
		}
	}
	return nil
}

func printTable(patterns []string, out io.Writer) error {
	all, err := readAll(patterns, out)
	if err != nil {
		return err
	}
	return report.Table(out, all)
}

func printTrend(patterns []string, file string, out io.Writer) error {
	all, err := readAll(patterns, out)
	if err != nil {
		return err
	}
	budgets, err := report.ReadBudgets(file)
	if err != nil {
		return err
	}
	return report.NewTrend(all, budgets).Print(out)
}

// readAll reads every summary that matches.
func readAll(patterns []string, out io.Writer) ([]report.Scenario, error) {
	var all []report.Scenario
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("find summaries: %w", err)
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("find summaries: there is none that matches %s", pattern)
		}
		for _, path := range paths {
			some, left, err := report.Read(path)
			if err != nil {
				return nil, err
			}
			if left > 0 {
				fmt.Fprintf(out, "%s: %d lines could not be read\n", path, left)
			}
			all = append(all, some...)
		}
	}
	return all, nil
}
