package harness

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// scripted is a process in a state, which prints a dump when it is asked to.
type scripted struct {
	engine.Process
	state   engine.State
	log     string
	dump    string
	signals int
}

func (p *scripted) State(context.Context) (engine.State, error) { return p.state, nil }

func (p *scripted) Signal(_ context.Context, _ string) error {
	p.signals++
	p.log += p.dump
	return nil
}

func (p *scripted) Logs(_ context.Context, _ time.Time, to io.Writer) error {
	_, err := io.WriteString(to, p.log)
	return err
}

const dumpOfOne = `2026-01-02 03:04:05
Full thread dump OpenJDK 64-Bit Server VM (17.0.1 mixed mode):

"task-thread-sink-0" #7 prio=5 os_prio=0 cpu=1.00ms elapsed=1.49s tid=0x1 nid=0x2 waiting on condition  [0x3]
   java.lang.Thread.State: WAITING (parking)
	at jdk.internal.misc.Unsafe.park(java.base@17.0.1/Native Method)
	at java.util.concurrent.CountDownLatch.await(java.base@17.0.1/CountDownLatch.java:230)
	at org.example.Sink.put(Sink.java:12)
	at org.apache.kafka.connect.runtime.WorkerTask.doRun(WorkerTask.java:1)

JNI global refs: 1, weak refs: 0
`

var runs = engine.State{Running: true, Pid: 7, StartedAt: time.Unix(1, 0)}

// scriptedCluster has these workers, and nothing that could be asked.
func scriptedCluster(t *testing.T, workers ...*scripted) *Cluster {
	t.Helper()
	spec, err := topology.New(topology.Brokers(1), topology.Workers(len(workers)))
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(spec)
	for i, process := range workers {
		name := topology.WorkerNode(i + 1)
		c.nodes[name] = &Node{name: name, cluster: c, process: process}
	}
	return c
}

func TestStuckThreadsTakesThreeDumpsASecondApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		process := &scripted{state: runs, dump: dumpOfOne}
		began := time.Now()
		stuck, err := scriptedCluster(t, process).Worker(1).StuckThreads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 2*state.DumpsApart || process.signals != 3 {
			t.Errorf("%d dumps in %v", process.signals, took)
		}
		if len(stuck.Threads) != 1 || stuck.Threads[0].In.Method != "org.example.Sink.put" || !stuck.At.Equal(time.Now()) {
			t.Errorf("read %v", stuck)
		}
	})
}

func TestStuckThreadsHearsItsContextAndSaysWhatIsWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := &scripted{state: runs} // prints nothing
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := scriptedCluster(t, silent).Worker(1).StuckThreads(ctx); err == nil || !strings.Contains(err.Error(), "worker-1") {
			t.Errorf("error %v", err)
		}
		gone := &scripted{state: engine.State{ExitCode: 1, StartedAt: time.Unix(1, 0), EndedAt: time.Unix(2, 0)}}
		if _, err := scriptedCluster(t, gone).Worker(1).StuckThreads(t.Context()); err == nil || !strings.Contains(err.Error(), "exit code 1") {
			t.Errorf("error %v", err)
		}
	})
}

func TestLivenessOfAWorkerThatIsGoneHasItsLastWords(t *testing.T) {
	const log = "ERROR Uncaught exception in herder work thread, exiting:\njava.lang.X$Exception: no\n\tat a.B.c(B.java:1)\n"
	c := scriptedCluster(t, &scripted{log: log, state: engine.State{ExitCode: 1, StartedAt: time.Unix(1, 0), EndedAt: time.Unix(2, 0)}})
	alive, err := c.Worker(1).Liveness(t.Context())
	if err != nil || !alive.Process.Exited() || alive.Answers || alive.LastWords.Exception != "java.lang.X$Exception: no" {
		t.Errorf("read %v, %v", alive, err)
	}
	broker := &Node{name: topology.BrokerNode(1), cluster: c}
	if _, err := broker.Liveness(t.Context()); err == nil || !strings.Contains(err.Error(), "broker-1") {
		t.Errorf("a broker is read: %v", err)
	}
}

func TestOnlyWorkersThatLiveAreDumped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frozen := runs
		frozen.Paused = true
		c := scriptedCluster(t, &scripted{state: frozen}, &scripted{state: runs, dump: dumpOfOne}, &scripted{state: engine.State{StartedAt: time.Unix(1, 0)}})
		dumps, err := c.WorkerDumps(t.Context())
		if err != nil || len(dumps) != 1 || len(dumps[topology.WorkerNode(2)].Threads) != 1 {
			t.Errorf("dumped %v, %v", dumps, err)
		}
		none := scriptedCluster(t, &scripted{state: frozen})
		if owners, err := none.TaskOwners(t.Context(), "sink"); err != nil || len(owners.Workers) > 0 || owners.Connector != "sink" {
			t.Errorf("read %v, %v", owners, err)
		}
	})
}

func TestSymptomsOfWhatIsNotThere(t *testing.T) {
	var none *Cluster
	for _, c := range []*Cluster{none, newCluster(topology.Spec{})} {
		if s := c.Symptoms(t.Context()); len(s.Nodes)+len(s.Unread) > 0 || s.At.IsZero() {
			t.Errorf("read %v", s)
		}
	}
}
