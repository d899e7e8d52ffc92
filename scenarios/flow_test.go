package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/incident"
)

// orders is a topic and who produces numbered records to it.
type orders struct {
	cluster    *harness.Cluster
	topic      string
	partitions int
	client     *kgo.Client
	acked      []string
}

// Orders makes a topic with these replicas for each partition, and a producer to
// it on the faulted plane.
func Orders(ctx SpecContext, cluster *harness.Cluster, replicas ...[]int) *orders {
	GinkgoHelper()
	o := &orders{cluster: cluster, topic: recordOf(cluster).own("orders"), partitions: len(replicas)}
	makeTopic(ctx, cluster, o.topic, replicas, nil)
	var err error
	o.client, err = cluster.NewClient(harness.OnFaulted, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	judge(incident.Environment, err)
	DeferCleanup(o.client.Close)
	return o
}

// makeTopic makes a topic with these replicas for each partition and this
// configuration, and waits until they are in sync.
func makeTopic(ctx context.Context, cluster *harness.Cluster, topic string, replicas [][]int, config map[string]string) {
	GinkgoHelper()
	judge(incident.Environment, cluster.Witness().Admin.CreateTopic(ctx, topic, replicas, config))
	inSync := func(ctx context.Context) ([]int, error) {
		view, err := cluster.Witness().Admin.Topic(ctx, topic)
		counts := make([]int, len(view.Partitions))
		for i, p := range view.Partitions {
			counts[i] = len(p.ISR)
		}
		return counts, err
	}
	want := make([]int, len(replicas))
	for i, ids := range replicas {
		want[i] = len(ids)
	}
	Premise(ctx, recovery, inSync, Equal(want), "replicas in sync of each partition")
}

// Send produces so many more records, to each partition in turn, and returns
// them once all replicas in sync have them.
func (o *orders) Send(ctx context.Context, count int) []string {
	GinkgoHelper()
	var values []string
	var records []*kgo.Record
	for n := len(o.acked); n < len(o.acked)+count; n++ {
		value := fmt.Sprintf("%s-%d", o.topic, n)
		values = append(values, value)
		records = append(records, &kgo.Record{Topic: o.topic, Partition: int32(n % o.partitions), Value: asJSON(value)})
	}
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	judge(incident.Inconclusive, o.client.ProduceSync(ctx, records...).FirstErr(), "producing to "+o.topic)
	o.acked = append(o.acked, values...)
	return values
}

// asJSON is the value as the converters of the workers read it.
func asJSON(value string) []byte { return fmt.Appendf(nil, "%q", value) }

// Stored reads which of the acknowledged records the topic holds.
func (o *orders) Stored(ctx context.Context) (state.Stored, error) {
	var values []string
	for _, value := range o.acked {
		values = append(values, string(asJSON(value)))
	}
	return o.cluster.Stored(ctx, o.topic, values)
}

// sink is a connector that writes a topic to a file, one record a line, on
// whichever worker runs its tasks.
type sink struct {
	cluster *harness.Cluster
	name    string
	file    string
}

// StartSink starts a sink with so many tasks, and waits until each of them is
// given to a worker.
func StartSink(ctx SpecContext, cluster *harness.Cluster, name string, from *orders, tasks int) *sink {
	GinkgoHelper()
	s := &sink{cluster: cluster, name: name, file: "/tmp/" + name}
	deploy(ctx, cluster, name, workload.FileSink(name, s.file, from.topic, tasks), tasks)
	return s
}

// deploy makes a connector and waits until the workers were given so many tasks, of
// all connectors, and are at rest. A worker that is yet to hear who leads now hands
// the order to who led before, and is asked again.
func deploy(ctx context.Context, cluster *harness.Cluster, name string, config map[string]string, tasks int) {
	GinkgoHelper()
	premise(ctx, recovery, gently, func(ctx context.Context) (bool, error) {
		err := cluster.Rig().Connect.SetConfig(ctx, name, config)
		return err == nil, err
	}, BeTrue(), "the workers take "+name)
	Premise(ctx, recovery, func(ctx context.Context) (int, error) {
		group, err := cluster.ConnectGroup(ctx)
		return tasksOf(group.Members...), err
	}, Equal(tasks), "tasks that a worker was given")
	atRest(ctx, cluster)
}

// undisturbed is longer than a leader that is slow to read takes for an order to write
// tasks: 3.5 to 4 s. Such orders come for up to 20 s after the workers have their tasks.
const undisturbed = 5 * time.Second

// atRest waits until the workers rebalance no more for orders from before, which
// they give each other where they are slow to hear of configurations. A worker that
// is alone leads, and needs to order nothing.
func atRest(ctx context.Context, cluster *harness.Cluster) {
	GinkgoHelper()
	if workers().HearsOfConfigsAtOnce() {
		return
	}
	generation, since := -1, time.Now()
	premise(ctx, 2*settling, unhurried, func(ctx context.Context) (time.Duration, error) {
		group, err := cluster.ConnectGroup(ctx)
		if err == nil && len(group.Members) == 1 {
			return undisturbed, nil
		}
		if err != nil || group.State != "Stable" || group.Generation != generation {
			generation, since = group.Generation, time.Now()
		}
		return time.Since(since), err
	}, BeNumerically(">=", undisturbed), "how long the workers did not rebalance")
}

// tasksOf counts what the members of the workers' group were given.
func tasksOf(members ...state.Member) (count int) {
	for _, member := range members {
		count += len(member.Tasks)
	}
	return count
}

// Owners reads who runs the tasks.
func (s *sink) Owners(ctx context.Context) (state.TaskOwners, error) {
	return s.cluster.TaskOwners(ctx, s.name)
}

// Delivered makes the reading which of the records have been delivered.
func (s *sink) Delivered(records []string) func(context.Context) (state.Delivery, error) {
	return func(ctx context.Context) (state.Delivery, error) {
		return s.cluster.Delivered(ctx, s.name, s.file, records)
	}
}

// group is the consumer group of the sink.
func (s *sink) group() string { return state.ConnectorGroup(s.name) }

// sinkCoordinatedApart is a name for a sink whose group is coordinated by a
// broker that does nothing else for the workers: it neither coordinates their
// own group nor leads their topics or orders, which broker-1 does.
func sinkCoordinatedApart(ctx SpecContext, cluster *harness.Cluster) string {
	GinkgoHelper()
	offsets, err := cluster.Witness().Admin.Topic(ctx, "__consumer_offsets")
	judge(incident.Environment, err)
	count := len(offsets.Partitions)
	busy := []int{1, offsets.Partitions[state.GroupPartition(topology.ConnectGroup, count)].Leader}
	for _, p := range offsets.Partitions {
		if !slices.Contains(busy, p.Leader) {
			name, err := state.ConnectorOnPartition("sink", p.Partition, count)
			judge(incident.Environment, err)
			return name
		}
	}
	judge(incident.Environment, fmt.Errorf("every broker is busy: %v", offsets))
	return ""
}

// What a worker and its sink may take, in terms of what the fast profile and the
// settings below give them.
const (
	workerSession = 6 * time.Second // session.timeout.ms of workers and of their consumers
	graceful      = 5 * time.Second // task.shutdown.graceful.timeout.ms, by default
	// A worker gives its tasks the time to stop, and as much again where it ends;
	// then it is back in its group within a session time-out, or has ended.
	rejoin = 2*graceful + workerSession
	// A consumer that never left delays its successor for a session time-out; then
	// the group is a rebalance away from delivering: double that.
	redelivery = 2 * workerSession
)

// consumersGiveUpSoon gives the consumers of sinks the session time-out of
// workers; 10 to 45 s by default.
var consumersGiveUpSoon = topology.Configure(topology.Worker, "consumer.session.timeout.ms", fmt.Sprint(workerSession.Milliseconds()))

// sinksCommitLate lets a sink commit when it stops, and not before, as Kafka's
// default does in a short run. A task whose commit is overdue polls without
// waiting (seen on 0.9.0.0): it may miss the wake-up that tells it to stop, which
// its last commit then hears, and gives up.
var sinksCommitLate = topology.Configure(topology.Worker, "offset.flush.interval.ms", "60000")
