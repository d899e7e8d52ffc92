package state

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"kafkachaos/harness/topology"
)

// ParseThreadDumps finds the thread dumps of HotSpot, Java 8 to 21, in the log
// of a node, oldest first. What else is in the log is passed over.
func ParseThreadDumps(of topology.Node, log string) []ThreadDump {
	p := dumpParser{of: of}
	for line := range strings.Lines(log) {
		line = strings.TrimRight(line, "\r\n")
		p.read(line)
		p.before = line
	}
	p.endDump()
	return p.dumps
}

// dumpSection is the part of a dump that a line belongs to.
type dumpSection int

const (
	outside dumpSection = iota
	inThreads
	afterThreads // between the threads and what follows them
	inDeadlock
)

type dumpParser struct {
	of      topology.Node
	dumps   []ThreadDump
	dump    ThreadDump
	section dumpSection
	before  string // the line before
	thread  *Thread
	torn    bool // something foreign came since the thread began
}

const dumpHeading = "Full thread dump "

func (p *dumpParser) read(line string) {
	switch {
	case strings.HasPrefix(line, dumpHeading):
		p.endDump()
		p.beginDump(line)
	case p.section == outside:
	case strings.HasPrefix(line, "JNI global ref"): // the end of the threads
		p.endThread()
		p.dump.Complete = true
		p.section = afterThreads
	case p.section == inThreads:
		p.readThread(line)
	case line == "Found one Java-level deadlock:":
		p.dump.Deadlocks = append(p.dump.Deadlocks, nil)
		p.section = inDeadlock
	case strings.HasPrefix(line, "Java stack information for the threads listed above"):
		p.section = afterThreads
	case p.section == inDeadlock:
		p.readDeadlock(line)
	}
}

func (p *dumpParser) beginDump(heading string) {
	p.dump = ThreadDump{Source: Source{By: p.of.String()}}
	p.dump.VM = strings.TrimSuffix(strings.TrimPrefix(heading, dumpHeading), ":")
	p.dump.At, _ = time.Parse(time.DateTime, p.before)
	p.section = inThreads
}

func (p *dumpParser) endDump() {
	if p.section != outside {
		p.endThread()
		p.dumps = append(p.dumps, p.dump)
		p.section = outside
	}
}

func (p *dumpParser) endThread() {
	if p.thread != nil {
		p.dump.Threads = append(p.dump.Threads, *p.thread)
	}
	p.thread, p.torn = nil, false
}

// threadForm is the line that a thread begins with:
// "name" #12 daemon prio=5 os_prio=0 cpu=1.0ms elapsed=1.0s tid=0x… nid=0x… waiting on condition  [0x…]
var threadForm = regexp.MustCompile(
	`^"(.*)" (?:#(\d+) )?(?:\[\d+\] )?(daemon )?(?:prio=-?\d+ )?os_prio=\S+ (?:cpu=([\d.]+)ms )?.*?tid=0x[0-9a-f]+ nid=\S+ (.*)$`)

func (p *dumpParser) readThread(line string) {
	if parts := threadForm.FindStringSubmatch(line); parts != nil {
		p.endThread()
		p.thread = newThread(parts)
		return
	}
	state, isState := strings.CutPrefix(line, "   java.lang.Thread.State: ")
	call, isCall := strings.CutPrefix(line, "\tat ")
	lock, isLock := strings.CutPrefix(line, "\t- ")
	switch {
	case p.thread == nil:
	case line == "":
		p.endThread()
	case p.torn: // whose stack it is can no longer be told
	case isState:
		p.thread.State, _, _ = strings.Cut(state, " ")
	case isCall:
		p.thread.Frames = append(p.thread.Frames, parseFrame(call))
	case isLock:
		p.thread.addLock(lock)
	case strings.HasPrefix(line, "   "): // what compilers compile, and a heading
	default:
		p.torn, p.thread.Torn = true, true
	}
}

func newThread(parts []string) *Thread {
	t := &Thread{Name: parts[1], Daemon: parts[3] != ""}
	t.Number, _ = strconv.Atoi(parts[2])
	milliseconds, _ := strconv.ParseFloat(parts[4], 64)
	t.CPU = time.Duration(milliseconds * float64(time.Millisecond))
	t.Activity, _, _ = strings.Cut(parts[5], "[")
	t.Activity = strings.TrimSpace(t.Activity)
	return t
}

// parseFrame reads "package.Class.method(module@version/File.java:12)".
func parseFrame(call string) Frame {
	open := strings.LastIndexByte(call, '(')
	if open < 0 {
		return Frame{Method: call}
	}
	source := strings.TrimSuffix(call[open+1:], ")")
	if module, file, found := strings.Cut(source, "/"); found && strings.Contains(module, "@") {
		source = file
	}
	return Frame{Method: call[:open], Source: source}
}

// lockForm is a line such as "- parking to wait for  <0x…> (a java.lang.X)".
var lockForm = regexp.MustCompile(`^([a-z][a-z \-()]*?) +<(.*)>(?: \(an? (.*)\))?$`)

func (t *Thread) addLock(line string) {
	parts := lockForm.FindStringSubmatch(line)
	if parts == nil {
		return
	}
	lock := Lock{Kind: parts[1], Object: parts[2], Class: parts[3], Frame: max(0, len(t.Frames)-1)}
	if !strings.HasPrefix(lock.Object, "0x") {
		lock.Object = "" // "no object reference available", "owner is scalar replaced"
	}
	t.Locks = append(t.Locks, lock)
}

// readDeadlock reads what HotSpot found: a thread's name, what it waits for, and
// who holds that.
func (p *dumpParser) readDeadlock(line string) {
	circle := &p.dump.Deadlocks[len(p.dump.Deadlocks)-1]
	text := strings.TrimSpace(line)
	name, isName := strings.CutSuffix(text, `":`)
	holder, isHolder := strings.CutPrefix(text, `which is held by "`)
	last := len(*circle) - 1
	switch {
	case isName && strings.HasPrefix(name, `"`):
		*circle = append(*circle, Waiter{Thread: name[1:]})
	case last < 0:
	case isHolder:
		(*circle)[last].HeldBy = strings.TrimSuffix(holder, `"`)
	case strings.HasPrefix(text, "waiting "):
		(*circle)[last].For = strings.TrimSuffix(text, ",")
	}
}
