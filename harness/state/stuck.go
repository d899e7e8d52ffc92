package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kafkachaos/harness/topology"
)

// Stuck tells which threads of a JVM wait for something that did not come
// between several dumps: they have the same frames in all of them, used no
// processor in between, and it is not work that they wait for.
type Stuck struct {
	Source
	Node      topology.Node
	Dumps     int
	Span      time.Duration // from the first dump to the last
	Threads   []StuckThread
	Deadlocks []Deadlock // that the JVM found
}

// StuckThread is a thread that stood still.
type StuckThread struct {
	Thread
	Waits Wait
	In    Frame // who waits: the first frame that is not the JDK's
}

func (s StuckThread) String() string {
	return fmt.Sprintf("%s waits %s in %v", s.Name, s.Waits, s.In)
}

// Wait says what kind of thing a thread waits for.
type Wait string

// What a thread that is stuck waits for. Each waits without a time-out.
const (
	WaitsForMonitor Wait = "to enter a monitor"
	WaitsForLock    Wait = "for a lock"
	WaitsForLatch   Wait = "for a latch"
	WaitsForResult  Wait = "for a result"
	WaitsForSignal  Wait = "for a signal"
)

// Subject names what was read.
func (s Stuck) Subject() string { return s.Node.String() }

func (s Stuck) String() string {
	var parts []string
	for _, thread := range s.Threads {
		parts = append(parts, thread.String())
	}
	for _, circle := range s.Deadlocks {
		parts = append(parts, "deadlock: "+circle.String())
	}
	return fmt.Sprintf("%v, %d dumps in %.1f s: %s (read %v)", s.Node, s.Dumps, s.Span.Seconds(),
		said(parts, "no thread is stuck"), s.Source)
}

// NewStuck judges dumps of one JVM, oldest first. Fewer than two show nothing
// but deadlocks.
func NewStuck(node topology.Node, dumps ...ThreadDump) Stuck {
	s := Stuck{Node: node, Dumps: len(dumps)}
	if len(dumps) == 0 {
		return s
	}
	last := dumps[len(dumps)-1]
	s.Source, s.Span, s.Deadlocks = last.Source, last.At.Sub(dumps[0].At), last.Deadlocks
	for _, thread := range SameFrames(dumps...) {
		if waits, in, stuck := thread.waits(); stuck && !thread.worked(dumps[0]) {
			s.Threads = append(s.Threads, StuckThread{thread, waits, in})
		}
	}
	s.Threads = withoutBusyOwners(s.Threads, last)
	return s
}

// withoutBusyOwners leaves out threads that wait for a monitor whose owner is not
// stuck itself: one that shares it with a busy one, as the heartbeat of a consumer
// of 1.0.0 does with a commit, is found waiting each time.
func withoutBusyOwners(threads []StuckThread, dump ThreadDump) []StuckThread {
	for {
		left := slices.DeleteFunc(slices.Clone(threads), func(thread StuckThread) bool {
			owner, known := dump.OwnerOf(thread.Thread)
			return known && !slices.ContainsFunc(threads, func(t StuckThread) bool { return t.standsAs(owner) })
		})
		if len(left) == len(threads) {
			return left
		}
		threads = left
	}
}

// OwnerOf finds the thread that holds the monitor that a thread waits to enter.
func (d ThreadDump) OwnerOf(thread Thread) (Thread, bool) {
	at := slices.IndexFunc(thread.Locks, func(l Lock) bool { return l.Kind == "waiting to lock" && l.Object != "" })
	if at < 0 {
		return Thread{}, false
	}
	wanted := thread.Locks[at].Object
	at = slices.IndexFunc(d.Threads, func(other Thread) bool {
		holds := func(l Lock) bool { return l.Kind == "locked" && l.Object == wanted }
		gave := func(l Lock) bool { return strings.HasPrefix(l.Kind, "waiting") && l.Object == wanted }
		return slices.ContainsFunc(other.Locks, holds) && !slices.ContainsFunc(other.Locks, gave)
	})
	if at < 0 {
		return Thread{}, false
	}
	return d.Threads[at], true
}

// worked says that the thread has used the processor since an earlier dump: it
// was woken, looked, and waits again, as one does that shares a lock with a busy
// one. Nobody wakes a thread that waits for a monitor but HotSpot itself, now and
// then. Java 8 does not tell.
func (t Thread) worked(since ThreadDump) bool {
	return t.State != "BLOCKED" && slices.ContainsFunc(since.Threads, func(before Thread) bool { return before.standsAs(t) && before.CPU != t.CPU })
}

// waits classifies a thread that stands still, and says whether it should not.
func (t Thread) waits() (kind Wait, in Frame, stuck bool) {
	at := slices.IndexFunc(t.Frames, func(f Frame) bool { return !ofJDK(f) })
	if at < 0 || slices.ContainsFunc(t.Frames[:at+1], idle) {
		return "", Frame{}, false
	}
	in = t.Frames[at]
	if t.State == "BLOCKED" {
		return WaitsForMonitor, in, true
	}
	if t.State != "WAITING" || t.Name == "main" { // main waits for the end of the program
		return "", in, false
	}
	for _, frame := range t.Frames[:at] {
		for part, kind := range waitFrames {
			if strings.Contains(frame.Method, part) {
				return kind, in, true
			}
		}
	}
	return "", in, false
}

// waitFrames are the JDK's ways to wait, by a part of the frame's method.
var waitFrames = map[string]Wait{
	"CountDownLatch.await":        WaitsForLatch,
	"FutureTask.":                 WaitsForResult,
	"CompletableFuture.":          WaitsForResult,
	"ReentrantLock.lock":          WaitsForLock,
	"ReentrantReadWriteLock":      WaitsForLock,
	"Semaphore.acquire":           WaitsForLock,
	"ConditionObject.await":       WaitsForSignal,
	"java.lang.Object.wait":       WaitsForSignal,
	"java.lang.Thread.join":       WaitsForResult,
	"CyclicBarrier.":              WaitsForSignal,
	"StampedLock.":                WaitsForLock,
	"AbstractQueuedSynchronizer$": WaitsForSignal,
}

// ofJDK tells the frames of the JDK, which are how a thread waits, from those
// of the program, which are why.
func ofJDK(f Frame) bool {
	return slices.ContainsFunc([]string{"java.", "javax.", "jdk.", "sun."}, func(prefix string) bool {
		return strings.HasPrefix(f.Method, prefix)
	})
}

// idleFrames are where threads wait for work, by the beginning of the method: of
// the JDK, of Connect, of brokers and of ZooKeeper. Each was seen in clusters that
// were well, but for those of paused tasks and of ensembles, which were read in the
// source.
var idleFrames = []string{
	"java.lang.Thread.sleep",
	"java.lang.ref.",
	"java.util.TimerThread.",
	"java.util.concurrent.ThreadPoolExecutor.getTask",
	"java.util.concurrent.ForkJoinPool.",
	"java.util.concurrent.Exchanger.",
	"java.util.concurrent.SynchronousQueue.",
	"sun.nio.ch.",
	"org.apache.kafka.connect.runtime.WorkerConnector.doRun",
	"org.apache.kafka.connect.runtime.WorkerTask.awaitUnpause",
	"org.apache.kafka.clients.consumer.internals.AbstractCoordinator$HeartbeatThread.run",
	"kafka.controller.TopicDeletionManager$$anonfun$kafka$controller$TopicDeletionManager$$awaitTopicDeletionNotification",
	"org.apache.zookeeper.server.quorum.CommitProcessor.",
	"org.apache.zookeeper.server.quorum.QuorumCnxManager$Listener.run",
	"org.apache.zookeeper.server.quorum.Leader$LearnerCnxAcceptor.run",
}

func idle(f Frame) bool {
	if slices.ContainsFunc(idleFrames, func(prefix string) bool { return strings.HasPrefix(f.Method, prefix) }) {
		return true
	}
	// The queues of the JDK and of Jetty, when something is taken out of them.
	class, method, _ := cutLast(f.Method, ".")
	return strings.HasSuffix(class, "Queue") && (method == "take" || method == "poll") ||
		strings.HasSuffix(class, "Deque") && (strings.HasPrefix(method, "take") || strings.HasPrefix(method, "poll"))
}

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}
