// Package report is what is left to read of runs: a line a scenario that is kept
// for ever (Scenario), a timeline of what its history tells (Timeline), and from
// both one HTML page that needs no network (Page) and a text for the terminal
// (Timeline.Text). Trend compares many runs with a stored budget.
//
// A history is read as a stream: what clients did is counted by client and second,
// never kept by record, so that memory and page grow with the length of a run and
// not with its traffic.
//
// The package starts nothing and judges nothing itself: laws are package
// invariant's, and verdicts are given to it.
package report
