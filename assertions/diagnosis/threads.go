package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// ofThreads tells what the threads of a node do that should do something else.
func ofThreads(n state.NodeSymptoms) []string {
	stuck := n.Stuck()
	var told []string
	for _, circle := range stuck.Deadlocks {
		told = append(told, "its JVM found a deadlock: "+circle.String())
	}
	told = append(told, chains(n, stuck)...)
	if n.Node.Role == topology.Broker {
		told = append(told, busyHandlers(n)...)
	}
	return told
}

// chains tells of each thread that is stuck, the ones that others wait for first,
// each followed by those.
func chains(n state.NodeSymptoms, stuck state.Stuck) []string {
	if len(stuck.Threads) == 0 {
		return nil
	}
	last := n.Dumps[len(n.Dumps)-1]
	waitsFor := map[string]string{} // a stuck thread's name, and the other one's
	for _, thread := range stuck.Threads {
		waitsFor[thread.Name] = blocker(thread, stuck.Threads, last)
	}
	var told []string
	var tell func(thread state.StuckThread)
	done := map[string]bool{}
	tell = func(thread state.StuckThread) {
		if done[thread.Name] {
			return // of the same name, or in a circle
		}
		done[thread.Name] = true
		told = append(told, clause(thread, waitsFor[thread.Name], stuck))
		for _, other := range stuck.Threads {
			if waitsFor[other.Name] == thread.Name {
				tell(other)
			}
		}
	}
	for _, thread := range stuck.Threads {
		if _, blocked := waitsFor[waitsFor[thread.Name]]; !blocked { // nobody that is stuck
			tell(thread)
		}
	}
	for _, thread := range stuck.Threads { // the circles
		tell(thread)
	}
	return append(told, fmt.Sprintf("%d dumps agree", stuck.Dumps))
}

// clause tells of one thread.
func clause(thread state.StuckThread, blocker string, stuck state.Stuck) string {
	if blocker != "" {
		return fmt.Sprintf("%s waits for %s in %s", thread.Name, blocker, short(thread.In))
	}
	text := fmt.Sprintf("%s has waited at least %.0f s in %s", thread.Name, stuck.Span.Seconds(), short(thread.In))
	if told, found := waitOf(thread.Thread); found && told.For != "" {
		return text + " for " + told.For
	}
	return text + " " + string(thread.Waits)
}

// blocker names the thread that a thread waits for, as far as anything tells: the
// owner of its monitor, or what is known of the frame.
func blocker(thread state.StuckThread, all []state.StuckThread, dump state.ThreadDump) string {
	if owner, known := dump.OwnerOf(thread.Thread); known {
		return owner.Name
	}
	told, found := waitOf(thread.Thread)
	if !found || told.Thread == "" {
		return ""
	}
	for _, other := range all {
		if strings.HasPrefix(other.Name, told.Thread) {
			return other.Name
		}
	}
	return told.Thread
}

func waitOf(thread state.Thread) (wait, bool) {
	for _, told := range known.Waits {
		if _, in := thread.In(told.Frame); in {
			return told, true
		}
	}
	return wait{}, false
}

// short is class and method of a frame.
func short(f state.Frame) string {
	parts := strings.Split(f.Method, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// handlerIdle is where a request handler waits for a request.
const handlerIdle = "kafka.network.RequestChannel.receiveRequest"

// busyHandlers tells that no request handler was free in any dump.
func busyHandlers(n state.NodeSymptoms) []string {
	if len(n.Dumps) < 2 {
		return nil
	}
	var first state.Thread
	count := 0
	for _, dump := range n.Dumps {
		count = 0
		for _, thread := range dump.Threads {
			if !strings.Contains(thread.Name, "kafka-request-handler-") {
				continue
			}
			if _, idle := thread.In(handlerIdle); idle || thread.Torn {
				return nil
			}
			first = thread
			count++
		}
	}
	if count == 0 {
		return nil
	}
	where := "code of the JDK"
	if at := slices.IndexFunc(first.Frames, func(f state.Frame) bool { return strings.HasPrefix(f.Method, "kafka.") }); at >= 0 {
		where = short(first.Frames[at])
	}
	return []string{fmt.Sprintf("none of its %d request handlers was free in %d dumps, one is in %s", count, len(n.Dumps), where)}
}
