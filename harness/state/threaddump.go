package state

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ThreadDump is where the threads of a JVM stood when it was sent SIGQUIT, as
// it printed them to its log. Its time is the JVM's, to the second, and of the
// zone UTC.
type ThreadDump struct {
	Source
	VM        string // such as OpenJDK 64-Bit Server VM (11.0.24+8 mixed mode)
	Threads   []Thread
	Deadlocks []Deadlock
	// Complete says that all threads are there. Otherwise the log ended, or the
	// next dump began, before the JVM was done.
	Complete bool
}

// Thread is one thread of a dump.
type Thread struct {
	Name     string
	Number   int // of its birth; 0 for threads that are not Java's
	Daemon   bool
	State    string        // java.lang.Thread.State, such as WAITING; "" for threads that are not Java's
	Activity string        // HotSpot's word, such as "waiting on condition"
	CPU      time.Duration // that it used since it was born
	Frames   []Frame       // where it stands first
	Locks    []Lock
	// Torn says that something else was printed between its lines, so that frames
	// may be missing.
	Torn bool
}

// Frame is one call on a thread's stack.
type Frame struct {
	Method string // such as kafka.zookeeper.ZooKeeperClient.handleRequests
	Source string // such as ZooKeeperClient.scala:157
}

func (f Frame) String() string { return fmt.Sprintf("%s(%s)", f.Method, f.Source) }

// Lock is something that a thread holds or waits for.
type Lock struct {
	Kind   string // in HotSpot's words: "locked", "waiting to lock", "waiting on", "parking to wait for", …
	Object string // its address; "" if HotSpot does not know it
	Class  string
	Frame  int // the index of the frame that took it or waits
}

// Deadlock is a circle of threads that HotSpot found to wait for each other.
type Deadlock []Waiter

// Waiter is one thread of a deadlock.
type Waiter struct {
	Thread string
	For    string // in HotSpot's words
	HeldBy string // the name of another thread
}

// Find returns the threads whose name begins so.
func (d ThreadDump) Find(prefix string) []Thread {
	var all []Thread
	for _, thread := range d.Threads {
		if strings.HasPrefix(thread.Name, prefix) {
			all = append(all, thread)
		}
	}
	return all
}

// In finds the topmost frame whose method begins so: a package, a class or a
// method by its full name.
func (t Thread) In(prefix string) (Frame, bool) {
	at := slices.IndexFunc(t.Frames, func(f Frame) bool { return strings.HasPrefix(f.Method, prefix) })
	if at < 0 {
		return Frame{}, false
	}
	return t.Frames[at], true
}

func (t Thread) String() string {
	const shown = 4
	var frames []string
	for _, frame := range t.Frames[:min(shown, len(t.Frames))] {
		frames = append(frames, frame.String())
	}
	if len(t.Frames) > shown {
		frames = append(frames, "…")
	}
	return fmt.Sprintf("%q %s in %s", t.Name, t.State, strings.Join(frames, " ← "))
}

func (d Deadlock) String() string {
	var parts []string
	for _, w := range d {
		parts = append(parts, fmt.Sprintf("%q %s held by %q", w.Thread, w.For, w.HeldBy))
	}
	return strings.Join(parts, ", ")
}

// Full prints the dump with all that was read of every thread.
func (d ThreadDump) Full() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%v\n%s\n", d, d.VM)
	for _, circle := range d.Deadlocks {
		fmt.Fprintf(&text, "\ndeadlock: %v\n", circle)
	}
	for _, thread := range d.Threads {
		text.WriteString("\n" + thread.full())
	}
	return text.String()
}

func (t Thread) full() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%q #%d %s, %s, %v of processor\n", t.Name, t.Number, t.State, t.Activity, t.CPU)
	for i, frame := range t.Frames {
		fmt.Fprintf(&text, "\tat %v\n", frame)
		for _, lock := range t.Locks {
			if lock.Frame == i {
				fmt.Fprintf(&text, "\t- %s <%s> (%s)\n", lock.Kind, lock.Object, lock.Class)
			}
		}
	}
	if t.Torn {
		text.WriteString("\t(something else was printed between these lines: frames may be missing)\n")
	}
	return text.String()
}

func (d ThreadDump) String() string {
	what := "thread dump"
	if !d.Complete {
		what = "incomplete thread dump"
	}
	return fmt.Sprintf("%s of %d threads, %d deadlocks %v (printed %v)", what, len(d.Threads), len(d.Deadlocks), d.Deadlocks, d.Source)
}

// SameFrames returns the threads that stood still: those that are in all the
// dumps, of one JVM, with the same frames each time, as they are in the last
// dump. A thread that waits for work stands still, too. Fewer than two dumps
// show nothing.
func SameFrames(dumps ...ThreadDump) []Thread {
	if len(dumps) < 2 {
		return nil
	}
	last := dumps[len(dumps)-1]
	var still []Thread
	for _, thread := range last.Threads {
		moved := func(d ThreadDump) bool { return !slices.ContainsFunc(d.Threads, thread.standsAs) }
		if len(thread.Frames) > 0 && !slices.ContainsFunc(dumps, moved) {
			still = append(still, thread)
		}
	}
	return still
}

func (t Thread) standsAs(other Thread) bool {
	return t.Name == other.Name && t.Number == other.Number && !t.Torn && !other.Torn && slices.Equal(t.Frames, other.Frames)
}
