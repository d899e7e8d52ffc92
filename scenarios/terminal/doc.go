// Package terminal writes what a run of scenarios prints: a page for each failure
// that fits a screen, a line now and then that says what a scenario is doing, and a
// summary in the end. It is pure: it prints nothing and reads no clock.
package terminal
