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
	Cause     string // class and message of the first cause, which is printed last
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
	if t.Cause != "" {
		text += ", caused by " + t.Cause
	}
	return text
}

// exceptionForm is the line that an exception begins with. Threads of a dump
// have frames as well, but no such line before them.
var exceptionForm = regexp.MustCompile(`^(?:Exception in thread "[^"]*" )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable|Failure)\b.*)$`)

// Traces finds the exceptions in a log that were printed with their frames,
// oldest first, each with what caused it.
func Traces(log string) []Trace {
	p := traceParser{}
	for line := range strings.Lines(log) {
		p.read(strings.TrimRight(line, "\r\n"))
	}
	return p.traces
}

type traceParser struct {
	traces []Trace
	open   *Trace // begun, and without a frame as yet
	inside bool   // the last trace may go on
	caused bool   // and goes on with its causes, whose frames are not kept
	before string // the last line that is of no trace
}

func (p *traceParser) read(line string) {
	call, isCall := strings.CutPrefix(line, "\tat ")
	cause, isCause := strings.CutPrefix(line, "Caused by: ")
	begin := exceptionForm.FindStringSubmatch(line)
	switch {
	case begin != nil:
		p.open, p.inside, p.caused = &Trace{Said: p.before, Exception: begin[1]}, false, false
		p.before = "" // said of this one only
	case isCall && p.open != nil:
		p.open.Frames = []Frame{parseFrame(call)}
		p.traces = append(p.traces, *p.open)
		p.open, p.inside = nil, true
	case isCall && p.inside:
		if last := &p.traces[len(p.traces)-1]; !p.caused {
			last.Frames = append(last.Frames, parseFrame(call))
		}
	case isCause && p.inside:
		p.traces[len(p.traces)-1].Cause, p.caused = cause, true
	case p.inside && strings.HasPrefix(line, "\t... "): // frames that the cause shares
	default:
		p.open, p.inside, p.before = nil, false, line
	}
}

// beforeShutdown is the log of a broker up to where it began to shut down, the last
// time that it ran; all of it if it did not.
func beforeShutdown(log string) string {
	from := max(0, strings.LastIndex(log, "starting (kafka.server.KafkaServer)"))
	if at := strings.Index(log[from:], "shutting down (kafka.server.KafkaServer)"); at >= 0 {
		return log[:from+at]
	}
	return log
}

// LastTrace finds the last exception in a log, of those that tell of the part
// named, such as "Herder", if there are any. Of a broker that shut down it is the
// last one before, if there is one: a shutdown has exceptions of its own.
func LastTrace(log, part string) Trace {
	traces := Traces(beforeShutdown(log))
	if len(traces) == 0 {
		traces = Traces(log)
	}
	var last, own Trace
	for _, trace := range traces {
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
