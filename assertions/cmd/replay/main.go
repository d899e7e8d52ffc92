// Command replay judges recorded runs again, without a cluster:
//
//	go run ./assertions/cmd/replay out/run…
//
// It prints the verdict of each, which is the same, byte for byte, as that of
// the run, and writes nothing. It ends with 1 if one failed or is judged
// otherwise than then, 3 if none did but one is inconclusive, and 2 if one could
// not be judged.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"kafkachaos/assertions/invariant"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const (
	passed       = 0
	failed       = 1
	unjudged     = 2
	inconclusive = 3
)

func run(dirs []string, out, diagnostics io.Writer) int {
	if len(dirs) == 0 {
		fmt.Fprintln(diagnostics, "usage: replay DIR…   where each DIR has a history.jsonl")
		return unjudged
	}
	code := passed
	for _, dir := range dirs {
		code = worse(code, replay(dir, out, diagnostics))
	}
	return code
}

func replay(dir string, out, diagnostics io.Writer) int {
	report, err := invariant.Replay(dir)
	if err != nil && !errors.Is(err, invariant.ErrOtherVerdict) {
		fmt.Fprintln(diagnostics, err)
		return unjudged
	}
	fmt.Fprint(out, report)
	if err != nil {
		fmt.Fprintln(diagnostics, err)
		return failed
	}
	switch report.Verdict {
	case invariant.Pass:
		return passed
	case invariant.Inconclusive:
		return inconclusive
	}
	return failed
}

// worse orders the ends: what could not be judged hides the rest.
func worse(a, b int) int {
	for _, code := range []int{unjudged, failed, inconclusive} {
		if a == code || b == code {
			return code
		}
	}
	return passed
}
