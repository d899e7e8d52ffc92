package state

import (
	"slices"
	"strings"
	"testing"
)

// As on brokers of 2.8.2: the session is over, and the shutdown interrupts others.
func TestTheLastExceptionIsThatBeforeTheShutdown(t *testing.T) {
	const start, stop = "[2026-11-30 13:13:58,000] INFO starting (kafka.server.KafkaServer)\n",
		"[2026-11-30 13:14:23,659] INFO [KafkaServer id=1] shutting down (kafka.server.KafkaServer)\n"
	expired := "[2026-11-30 13:14:23,649] ERROR The broker will eventually exit. (kafka.server.F)\n" +
		"org.apache.zookeeper.KeeperException$SessionExpiredException: KeeperErrorCode = Session expired for /feature\n\tat a.B.c(B.java:1)\n"
	interrupted := "[2026-11-30 13:14:27,004] WARN swallowed (kafka.utils.CoreUtils$)\njava.lang.InterruptedException: too late\n\tat d.E.f(E.java:2)\n"
	for name, test := range map[string]struct{ log, want string }{
		"it shut down":                 {start + expired + stop + interrupted, "Session expired for /feature"},
		"it shut down, and ran again":  {start + expired + stop + start + interrupted, "too late"},
		"without a word before":        {start + stop + interrupted, "too late"},
		"its last words are the first": {interrupted + expired, "Session expired for /feature"},
	} {
		if last := LastTrace(test.log, ""); !strings.Contains(last.String(), test.want) {
			t.Errorf("%s: %v, want %s", name, last, test.want)
		}
	}
}

func TestTracesOfALog(t *testing.T) {
	log := strings.Join([]string{
		"[2026-01-02 03:04:05,678] ERROR Task sink-0 threw (org.apache.kafka.connect.runtime.WorkerTask:1)",
		"org.apache.kafka.connect.errors.ConnectException: no\n  more",
		"\tat a.b(C.java:1)", // not of that one, whose message has two lines
		"[2026-01-02 03:04:05,678] ERROR Uncaught exception in herder work thread, exiting:  (…DistributedHerder:183)",
		"java.util.ConcurrentModificationException: KafkaConsumer is not safe",
		"\tat org.apache.kafka.clients.consumer.KafkaConsumer.acquire(KafkaConsumer.java:1280)",
		"\tat org.apache.kafka.connect.runtime.WorkerSinkTask.close(WorkerSinkTask.java:128)",
		"Caused by: java.lang.X: y",
		"\tat cause.X.y(X.java:1)",
		"\t... 3 more",
		"Caused by: java.lang.Y: the first",
		"\tat cause.Y.z(X.java:1)",
		"java.lang.NullPointerException",
		"\tat kafka.A.b(A.scala:1)",
		"java.lang.IllegalStateException: told without frames",
		`Exception in thread "main" java.lang.OutOfMemoryError: Java heap space`,
		"\tat kafka.C.d(C.scala:1)",
		`"main" #1 prio=5 os_prio=0 tid=0x1 nid=0x1 runnable`,
		"\tat of.a.Dump(Dump.java:1)",
	}, "\n")
	var got []string
	for _, trace := range Traces(log) {
		got = append(got, trace.String())
	}
	want := []string{
		"java.util.ConcurrentModificationException: KafkaConsumer is not safe at org.apache.kafka.clients.consumer.KafkaConsumer.acquire(KafkaConsumer.java:1280)" +
			" ← org.apache.kafka.connect.runtime.WorkerSinkTask.close(WorkerSinkTask.java:128), caused by java.lang.Y: the first",
		"java.lang.NullPointerException at kafka.A.b(A.scala:1)",
		"java.lang.OutOfMemoryError: Java heap space at kafka.C.d(C.scala:1)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q", got)
	}
	if last := LastTrace(log, "erder"); !last.In("org.apache.kafka.connect.runtime.WorkerSinkTask.close") || !last.Of("herder") {
		t.Errorf("the herder's last is %v", last)
	}
	if last := LastTrace(log, "nobody"); last.Exception != "java.lang.OutOfMemoryError: Java heap space" {
		t.Errorf("the last is %v", last)
	}
	if none := LastTrace("INFO all is well\n", ""); !none.IsZero() || none.String() != "none" {
		t.Errorf("there is %v", none)
	}
}
