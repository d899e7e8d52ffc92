package state

import (
	"fmt"
	"regexp"
	"strings"
)

// Trace is an exception as a JVM printed it into a log.
type Trace struct {
	Said      string // the line of the log before it
	Exception string // its class and message
	Frames    []Frame
}

// IsZero says that there was none.
func (t Trace) IsZero() bool { return t.Exception == "" }

// In says whether one of its frames begins so.
func (t Trace) In(prefix string) bool {
	_, found := Thread{Frames: t.Frames}.In(prefix)
	return found
}

// Of says whether it tells of the part named, such as "Herder": in the line before
// it or in a frame.
func (t Trace) Of(part string) bool {
	return strings.Contains(t.Said, part) || strings.Contains(fmt.Sprint(t.Frames), part)
}

func (t Trace) String() string {
	const shown = 3
	if t.IsZero() {
		return "none"
	}
	text := t.Exception
	for i, frame := range t.Frames[:min(shown, len(t.Frames))] {
		text += []string{" at ", " ← "}[min(i, 1)] + frame.String()
	}
	return text
}

// exceptionForm is the line that an exception begins with. Threads of a dump
// have frames as well, but no such line before them.
var exceptionForm = regexp.MustCompile(`^(?:Exception in thread "[^"]*" )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable|Failure)\b.*)$`)

// Traces finds the exceptions in a log that were printed with their frames,
// oldest first. Causes belong to the exception that they are printed with.
func Traces(log string) []Trace {
	var all []Trace
	var open *Trace // begun, and without a frame as yet, or still getting them
	before := ""
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		call, isCall := strings.CutPrefix(line, "\tat ")
		parts := exceptionForm.FindStringSubmatch(line)
		switch {
		case parts != nil:
			open = &Trace{Said: before, Exception: parts[1]}
		case isCall && open != nil:
			open.Frames = append(open.Frames, parseFrame(call))
			if len(open.Frames) == 1 {
				all = append(all, *open)
			}
			all[len(all)-1] = *open
		default:
			open = nil
			before = line
		}
	}
	return all
}

// LastTrace finds the last exception in a log, of those that tell of the part
// named, such as "Herder", if there are any.
func LastTrace(log, part string) Trace {
	var last, own Trace
	for _, trace := range Traces(log) {
		last = trace
		if trace.Of(part) {
			own = trace
		}
	}
	if !own.IsZero() {
		return own
	}
	return last
}
