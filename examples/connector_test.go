package mychaos

import (
	"context"
	"testing"
	"time"

	"kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// The bounds are multiples of session.timeout.ms of the workers, 6 s in the fast
// profile: one until a silent worker is out of its group, as much again for the
// rebalance, and double that for a busy machine.
const (
	session  = 6 * time.Second
	moves    = 4 * session
	delivers = 4 * session
)

// A sink of ours must deliver every record though the worker that runs its task
// cannot reach the brokers for a while.
func TestSinkDeliversWhenItsWorkerIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	plugins := t.TempDir()
	if err := BuildPlugin(ctx, plugins); err != nil {
		t.Fatal(err)
	}
	cluster := start(ctx, t, topology.Brokers(3), topology.Workers(2),
		topology.Plugins(plugins),
		topology.Configure(topology.Broker, "min.insync.replicas", "2"),
		topology.Configure(topology.Worker, "offset.flush.interval.ms", "2000"),
		topology.Configure(topology.Worker, "consumer.max.poll.records", "50"),
	)
	run := record(t, cluster)
	traffic := startTraffic(ctx, t, cluster, run)
	eventually(ctx, t, moves, taskOf(cluster), assertions.RunEachTaskOnce())
	flow(ctx, t, traffic, 100)

	before, err := cluster.TaskOwners(ctx, "lines")
	if err != nil {
		t.Fatal(err)
	}
	loser := before.Tasks[0].RunBy[0]
	cut := faults.Blackhole().On(faults.Towards(faults.Node(loser), topology.Broker))
	err = faults.During(ctx, cluster.Rig(), cut, func(ctx context.Context) error {
		eventually(ctx, t, moves, taskOf(cluster), movedFrom{loser})
		return nil
	})
	if err != nil { // also that the links were never seen to be silent
		t.Fatal(err)
	}

	eventually(ctx, t, delivers, taskOf(cluster), assertions.RunEachTaskOnce())
	flow(ctx, t, traffic, 100)
	if _, err := traffic.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	report := judge(t, run)
	if report.Verdict != invariant.Pass || report.Of(invariant.SinkGap).Status != invariant.Held {
		t.Errorf("the history does not show that the sink delivers everything:\n%v", report)
	}
	t.Logf("%v", report)
	events, file, err := history.Open(run.folder)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if late, err := Late(events, delivers); len(late) > 0 || err != nil {
		t.Errorf("records that were not answered within %v: %v, %v", delivers, late, err)
	}
}

// movedFrom is a matcher of ours: the group has given the task to another worker.
type movedFrom struct{ loser topology.Node }

func (m movedFrom) Match(actual any) (bool, error) {
	assigned := actual.(state.TaskOwners).Tasks[0].Assigned
	return len(assigned) == 1 && assigned[0] != m.loser, nil
}

func (m movedFrom) FailureMessage(actual any) string {
	return "the task is still with " + m.loser.String() + ": " + actual.(state.TaskOwners).String()
}

func taskOf(cluster *harness.Cluster) func(context.Context) (state.TaskOwners, error) {
	return func(ctx context.Context) (state.TaskOwners, error) { return cluster.TaskOwners(ctx, "lines") }
}

// startTraffic makes the topic, the connector of ours and a producer, whose
// records the history finds again in the topic and in the files of the sink.
func startTraffic(ctx context.Context, t *testing.T, cluster *harness.Cluster, run *run) *workload.Traffic {
	t.Helper()
	replicas := [][]int{{1, 2, 3}, {2, 3, 1}}
	topic := history.Topic{Name: "orders", Partitions: len(replicas), Replicas: 3, MinInSync: 2}
	if err := cluster.Witness().Admin.CreateTopic(ctx, topic.Name, replicas, nil); err != nil {
		t.Fatal(err)
	}
	if err := cluster.AwaitWhole(ctx); err != nil {
		t.Fatal(err)
	}
	rest, err := cluster.REST(harness.OnWitness, topology.WorkerNode(1))
	if err != nil {
		t.Fatal(err)
	}
	const path = "/tmp/lines"
	err = workload.Connect{URL: rest}.Put(ctx, "lines", map[string]string{"name": "lines",
		"connector.class": "org.example.LineSink", "tasks.max": "1", "topics": topic.Name, "path": path})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]workload.ReadFile{}
	for _, worker := range cluster.Workers() {
		files[worker.String()] = func(ctx context.Context, path string) ([]byte, error) {
			text, err := worker.File(ctx, path)
			return []byte(text), err
		}
	}
	traffic, err := workload.Start(ctx, workload.Target{Run: cluster.Run(), Brokers: cluster.Addresses(topology.Broker),
		Dial: cluster.Dialer(harness.OnFaulted), Witness: cluster.Dialer(harness.OnWitness)}, run.history, topic,
		workload.Producer{Rate: 100}, workload.Sink{Name: "lines", Path: path, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = traffic.Stop(context.WithoutCancel(ctx)) })
	return traffic
}
