package state

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

// The logs are of testdata/Stuck.java, sent SIGQUIT twice.
func readDumps(t testing.TB, file string) (string, []ThreadDump) {
	t.Helper()
	log, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(log), ParseThreadDumps(topology.BrokerNode(1), string(log))
}

func only(t *testing.T, threads []Thread) Thread {
	t.Helper()
	if len(threads) != 1 {
		t.Fatalf("got %d threads: %v", len(threads), threads)
	}
	return threads[0]
}

func TestParseThreadDumps(t *testing.T) {
	for file, want := range map[string]struct {
		vm      string
		threads int
	}{
		"java11.log": {"OpenJDK 64-Bit Server VM (11.0.24+8-post-Debian-2deb11u1 mixed mode, sharing)", 16},
		"java17.log": {"OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1 mixed mode, emulated-client, sharing)", 19},
	} {
		t.Run(file, func(t *testing.T) {
			_, dumps := readDumps(t, file)
			if len(dumps) != 2 {
				t.Fatalf("found %d dumps", len(dumps))
			}
			first, second := dumps[0], dumps[1]
			if first.VM != want.vm || !first.Complete || !second.Complete || first.By != "broker-1" {
				t.Errorf("read %v of %q", first, first.VM)
			}
			if gap := second.At.Sub(first.At); gap < time.Second || gap > 2*time.Second || first.At.Year() < 2020 {
				t.Errorf("printed at %v and %v", first.At, second.At)
			}
			if len(first.Threads) != want.threads || len(second.Threads) != want.threads {
				t.Errorf("read %d and %d threads, want %d", len(first.Threads), len(second.Threads), want.threads)
			}
			checkThreads(t, first)
			checkDeadlock(t, first)
		})
	}
}

func checkThreads(t *testing.T, dump ThreadDump) {
	parked := only(t, dump.Find("controller-event-"))
	if parked.Name != "controller-event-thread" || parked.State != "WAITING" || parked.Activity != "waiting on condition" || parked.Daemon || parked.Number == 0 || parked.CPU <= 0 {
		t.Errorf("read %+v", parked)
	}
	if top := parked.Frames[0]; top.Method != "jdk.internal.misc.Unsafe.park" || top.Source != "Native Method" {
		t.Errorf("it stands in %v", top)
	}
	if frame, found := parked.In("Stuck."); !found || frame.String() != "Stuck.deleteReassignment(Stuck.java:16)" {
		t.Errorf("it was called by %v, %v", frame, found)
	}
	if frame, found := parked.In("Stuck.take"); found {
		t.Errorf("it was called by %v", frame)
	}
	if len(parked.Locks) != 1 || parked.Locks[0].Kind != "parking to wait for" || parked.Locks[0].Class != "java.util.concurrent.CountDownLatch$Sync" || parked.Locks[0].Frame != 0 {
		t.Errorf("its locks are %+v", parked.Locks)
	}
	if last := parked.Frames[len(parked.Frames)-1]; last.Method != "java.lang.Thread.run" || !strings.HasPrefix(last.Source, "Thread.java:") {
		t.Errorf("it began in %v", last)
	}
	locker := only(t, dump.Find(`locker "one"`))
	if !locker.Daemon || locker.State != "BLOCKED" || len(locker.Locks) != 2 || locker.Locks[0].Kind != "waiting to lock" || locker.Locks[1].Kind != "locked" {
		t.Errorf("read %+v", locker)
	}
	if vm := only(t, dump.Find("VM Thread")); vm.Number != 0 || vm.State != "" || len(vm.Frames) != 0 {
		t.Errorf("read %+v", vm)
	}
}

func checkDeadlock(t *testing.T, dump ThreadDump) {
	if len(dump.Deadlocks) != 1 || len(dump.Deadlocks[0]) != 2 {
		t.Fatalf("read the deadlocks %v", dump.Deadlocks)
	}
	one, two := dump.Deadlocks[0][0], dump.Deadlocks[0][1]
	if one.Thread != `locker "one"` || one.HeldBy != "locker-2" || two.Thread != "locker-2" || two.HeldBy != `locker "one"` {
		t.Errorf("read the deadlock %+v", dump.Deadlocks[0])
	}
	if !strings.HasPrefix(one.For, "waiting to lock monitor 0x") || !strings.HasSuffix(one.For, "a java.lang.Object)") {
		t.Errorf("it is %q", one.For)
	}
}

func TestSameFrames(t *testing.T) {
	_, dumps := readDumps(t, "java17.log")
	var names []string
	for _, thread := range SameFrames(dumps...) {
		names = append(names, thread.Name)
	}
	for _, name := range []string{"controller-event-thread", "locker-2", `locker "one"`, "waiter for a lock"} {
		if !slices.Contains(names, name) {
			t.Errorf("%q stood still and is not among %v", name, names)
		}
	}
	if slices.Contains(names, "VM Thread") {
		t.Errorf("a thread without frames is among %v", names)
	}
	for name, dumps := range map[string][]ThreadDump{
		"nothing": nil, "one dump": dumps[:1], "another JVM": {dumps[0], {}},
		"moved":         {{Threads: []Thread{{Name: "a", Frames: []Frame{{"f", ""}}}}}, {Threads: []Thread{{Name: "a", Frames: []Frame{{"g", ""}}}}}},
		"born again":    {{Threads: []Thread{{Name: "a", Number: 1, Frames: []Frame{{"f", ""}}}}}, {Threads: []Thread{{Name: "a", Number: 2, Frames: []Frame{{"f", ""}}}}}},
		"torn":          {{Threads: []Thread{{Name: "a", Torn: true, Frames: []Frame{{"f", ""}}}}}, {Threads: []Thread{{Name: "a", Frames: []Frame{{"f", ""}}}}}},
		"moved between": {dumps[0], {Threads: []Thread{{Name: "main", Number: 1}}}, dumps[1]},
	} {
		if still := SameFrames(dumps...); len(still) != 0 {
			t.Errorf("%s: %v stood still", name, still)
		}
	}
}

// Whatever else is printed, no thread is given frames that are not its own.
func TestALogBetweenTheLinesOfADump(t *testing.T) {
	log, whole := readDumps(t, "java17.log")
	const foreign = "[2026-01-02 03:04:05,678] ERROR Uncaught (kafka.X)\njava.lang.X: no\n\tat foreign.Frame.call(Frame.java:1)\n"
	lines := strings.SplitAfter(log, "\n")
	for at := range len(lines) {
		torn := strings.Join(lines[:at], "") + foreign + strings.Join(lines[at:], "")
		dumps := ParseThreadDumps(topology.BrokerNode(1), torn)
		if len(dumps) != 2 {
			t.Fatalf("line %d: found %d dumps", at, len(dumps))
		}
		for i, dump := range dumps {
			if len(dump.Threads) != len(whole[i].Threads) || !dump.Complete || len(dump.Deadlocks) != 1 {
				t.Fatalf("line %d: read %v", at, dump)
			}
			for j, thread := range dump.Threads {
				if !thread.Torn && !reflect.DeepEqual(thread, whole[i].Threads[j]) || thread.Torn && len(thread.Frames) > len(whole[i].Threads[j].Frames) {
					t.Fatalf("line %d: read %+v", at, thread)
				}
				if _, found := thread.In("foreign"); found {
					t.Fatalf("line %d: read %+v", at, thread)
				}
			}
		}
	}
}

func TestADumpCutShortIsIncomplete(t *testing.T) {
	log, _ := readDumps(t, "java11.log")
	end := strings.Index(log, "JNI global ref")
	dumps := ParseThreadDumps(topology.BrokerNode(1), log[:end])
	if len(dumps) != 1 || dumps[0].Complete || len(dumps[0].Threads) != 16 {
		t.Errorf("read %v", dumps)
	}
	if line := dumps[0].String(); !strings.HasPrefix(line, "incomplete thread dump of 16 threads, 0 deadlocks") {
		t.Errorf("prints as %q", line)
	}
}

func TestNoDumpInALog(t *testing.T) {
	for _, log := range []string{"", "\n", "INFO Full thread dump soon\n", "Found one Java-level deadlock:\n\"a\":\n",
		"\"main\" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 runnable\n\tat a.b(C.java:1)\n"} {
		if dumps := ParseThreadDumps(topology.BrokerNode(1), log); len(dumps) != 0 {
			t.Errorf("%q holds %v", log, dumps)
		}
	}
}

// Near misses of the line that a thread begins with.
func TestThreadsAreToldFromTheLog(t *testing.T) {
	const heading = "Full thread dump X:\n"
	for line, want := range map[string]string{
		`"a" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 runnable  [0x2]`:                                 "a",
		`"a" #1 [77] prio=5 os_prio=0 cpu=1.0ms elapsed=2.0s tid=0x1 nid=77 runnable  [0x2]`:      "a", // Java 21
		`"a" os_prio=0 tid=0x1 nid=0x1 runnable `:                                                 "a",
		`"a "b" #2 x" #1 daemon prio=10 os_prio=0 cpu=1ms tid=0x1 nid=0x1 in Object.wait() [0x2]`: `a "b" #2 x`,
		`"a" is a word`: "",
		`INFO "a" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 r`: "",
		`"a" #1 prio=5 os_prio=0 nid=0x1 runnable`:       "",
	} {
		dump := ParseThreadDumps(topology.BrokerNode(1), heading+line+"\n")[0]
		if want == "" && len(dump.Threads) > 0 || want != "" && (len(dump.Threads) != 1 || dump.Threads[0].Name != want) {
			t.Errorf("%s: read %v", line, dump.Threads)
		}
	}
}

func FuzzParseThreadDumps(f *testing.F) {
	for _, file := range []string{"java11.log", "java17.log"} {
		log, _ := readDumps(f, file)
		full := strings.Index(log, "Full")
		f.Add(log[full : full+8000])
		f.Add(log[strings.Index(log, "JNI")-300:])
	}
	f.Fuzz(func(t *testing.T, log string) {
		dumps := ParseThreadDumps(topology.BrokerNode(1), log)
		if want := strings.Count(log, dumpHeading); len(dumps) > want {
			t.Errorf("%d dumps from %d headings", len(dumps), want)
		}
		SameFrames(dumps...)
		for _, dump := range dumps {
			_ = dump.String()
		}
	})
}
