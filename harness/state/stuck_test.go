package state

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

// Threads of clusters that were well, one of each stack that waits without a
// time-out, as nodes of three releases printed them.
func TestThreadsThatWaitForWorkAreNotStuck(t *testing.T) {
	for file, count := range map[string]int{"idle-0.9.0.0.log": 11, "idle-2.1.0.log": 13, "idle-3.9.2.log": 15} {
		_, dumps := readDumps(t, file)
		if len(dumps) != 1 || len(dumps[0].Threads) != count {
			t.Fatalf("%s: read %v", file, dumps)
		}
		if s := NewStuck(topology.BrokerNode(1), dumps[0], dumps[0], dumps[0]); len(s.Threads) > 0 {
			t.Errorf("%s: %v", file, s)
		}
	}
}

func TestThreadsOfAProgramThatIsStuck(t *testing.T) {
	for _, file := range []string{"java11.log", "java17.log"} {
		_, dumps := readDumps(t, file)
		s := NewStuck(topology.BrokerNode(1), dumps...)
		found := map[string]Wait{}
		for _, thread := range s.Threads {
			found[thread.Name] = thread.Waits
		}
		want := map[string]Wait{`locker "one"`: WaitsForMonitor, "locker-2": WaitsForMonitor, "controller-event-thread": WaitsForLatch,
			"owner of a lock": WaitsForSignal, "waiter for a lock": WaitsForLock}
		for name, wait := range want {
			if found[name] != wait {
				t.Errorf("%s: %q waits %q, want %q", file, name, found[name], wait)
			}
		}
		if len(found) != len(want) || len(s.Deadlocks) != 1 || s.Dumps != 2 || s.Span < time.Second {
			t.Errorf("%s: read %v", file, s)
		}
		if text := s.String(); !strings.Contains(text, "controller-event-thread waits for a latch in Stuck.deleteReassignment(") ||
			!strings.Contains(text, "deadlock: ") {
			t.Errorf("%s: prints as %q", file, text)
		}
		if one := NewStuck(topology.BrokerNode(1), dumps[0]); len(one.Threads) > 0 || one.Dumps != 1 {
			t.Errorf("%s: one dump shows %v", file, one)
		}
	}
	if none := NewStuck(topology.BrokerNode(1)); none.Dumps != 0 || none.Subject() != "broker-1" {
		t.Errorf("no dump shows %v", none)
	}
}

func TestWhatIsNotStuck(t *testing.T) {
	latch := []Frame{{"jdk.internal.misc.Unsafe.park", "Native Method"}, {"java.util.concurrent.CountDownLatch.await", "CountDownLatch.java:232"}, {"kafka.A.wait", "A.scala:1"}}
	stuck := Thread{Name: "a", State: "WAITING", Frames: latch, CPU: time.Millisecond}
	for name, test := range map[string]struct {
		change func(*Thread)
		stuck  bool
	}{
		"as it is":                   {func(*Thread) {}, true},
		"with a time-out":            {func(t *Thread) { t.State = "TIMED_WAITING" }, false},
		"running":                    {func(t *Thread) { t.State = "RUNNABLE" }, false},
		"the end of the program":     {func(t *Thread) { t.Name = "main" }, false},
		"code of the JDK alone":      {func(t *Thread) { t.Frames = latch[:2] }, false},
		"torn":                       {func(t *Thread) { t.Torn = true }, false},
		"it was woken between":       {func(t *Thread) { t.CPU *= 2 }, false},
		"it moved":                   {func(t *Thread) { t.Frames = slices.Concat(latch, latch) }, false},
		"another one of the name":    {func(t *Thread) { t.Number = 7 }, false},
		"waiting without known ways": {func(t *Thread) { t.Frames = []Frame{{"kafka.A.wait", "A.scala:1"}} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			last := stuck
			test.change(&last)
			first := last
			if name == "it was woken between" || name == "it moved" || name == "another one of the name" {
				first = stuck
			}
			dumps := []ThreadDump{{Threads: []Thread{first}}, {Threads: []Thread{last}}}
			if s := NewStuck(topology.BrokerNode(1), dumps...); (len(s.Threads) == 1) != test.stuck {
				t.Errorf("read %v", s)
			}
		})
	}
}

func TestThreadsThatWaitForWork(t *testing.T) {
	for who, method := range map[string]string{
		"a controller of 0.9 without a topic to delete": "kafka.controller.TopicDeletionManager$$anonfun$kafka$controller$TopicDeletionManager$$awaitTopicDeletionNotification$1.apply$mcV$sp",
		"a ZooKeeper leader that waits for followers":   "org.apache.zookeeper.server.quorum.Leader$LearnerCnxAcceptor.run",
	} {
		if !idle(Frame{Method: method}) {
			t.Errorf("%s is taken for stuck", who)
		}
	}
}

func TestQueuesAreWork(t *testing.T) {
	for method, want := range map[string]bool{
		"java.util.concurrent.LinkedBlockingQueue.take":      true,
		"java.util.concurrent.LinkedBlockingDeque.takeFirst": true,
		"org.eclipse.jetty.util.BlockingArrayQueue.poll":     true,
		"java.util.concurrent.LinkedBlockingQueue.put":       false, // nobody takes
		"kafka.zookeeper.ZooKeeperClient.handleRequests":     false,
		"take": false,
	} {
		if got := idle(Frame{Method: method}); got != want {
			t.Errorf("%s is work: %v", method, got)
		}
	}
}

// As on a worker of 1.0.0 whose task could not commit.
func TestWhoWaitsForABusyThreadIsNotStuck(t *testing.T) {
	commit := Thread{Name: "pool-1-thread-1", State: "RUNNABLE", Frames: []Frame{{"sun.nio.ch.EPoll.wait", "Native Method"}, {"kafka.A.commit", ""}},
		Locks: []Lock{{Kind: "locked", Object: "0x1"}}}
	heartbeat := Thread{Name: "heartbeat", State: "BLOCKED", Frames: []Frame{{"kafka.A.poll", ""}},
		Locks: []Lock{{Kind: "waiting to lock", Object: "0x1"}, {Kind: "locked", Object: "0x2"}}}
	third := Thread{Name: "third", State: "BLOCKED", Frames: []Frame{{"kafka.B.enter", ""}}, Locks: []Lock{{Kind: "waiting to lock", Object: "0x2"}}}
	stuck := func(threads ...Thread) int {
		dump := ThreadDump{Threads: threads}
		return len(NewStuck(topology.WorkerNode(1), dump, dump).Threads)
	}
	if got := stuck(third, heartbeat, commit); got != 0 {
		t.Errorf("%d are stuck behind a busy one", got)
	}
	commit.State, commit.Frames = "WAITING", []Frame{{"java.util.concurrent.CountDownLatch.await", ""}, {"kafka.A.commit", ""}}
	if got := stuck(third, heartbeat, commit); got != 3 {
		t.Errorf("%d are stuck behind one that is", got)
	}
	commit.Locks = append(commit.Locks, Lock{Kind: "waiting on", Object: "0x1"}) // it gave the monitor back
	if got := stuck(heartbeat, commit); got != 2 {
		t.Errorf("%d are stuck for an owner unknown", got)
	}
}
