package scenarios

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/assertions/invariant"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// Load starts the usual traffic: a topic of three partitions, each led by another
// broker and all of them on three, which loses nothing as long as two are in sync;
// one producer whose sends are idempotent, or as good as the release knows, one
// that is not, a group of two that commits and one reader that does not, and what
// else is asked for. It goes on once records flow.
func Load(ctx context.Context, cluster *harness.Cluster, more ...workload.Option) *traffic {
	GinkgoHelper()
	return LoadOn(ctx, cluster, spread(cluster, 3), more...)
}

// LoadOn is Load of a topic with these replicas for each partition.
func LoadOn(ctx context.Context, cluster *harness.Cluster, replicas [][]int, more ...workload.Option) *traffic {
	GinkgoHelper()
	return load(ctx, cluster, replicas, history.Terms{Before: enough, During: enough, After: enough}, more...)
}

// LoadThrough is Load through faults that overlap and follow one another so soon
// that there need not be traffic between them.
func LoadThrough(ctx context.Context, cluster *harness.Cluster) *traffic {
	GinkgoHelper()
	return load(ctx, cluster, spread(cluster, 3), history.Terms{})
}

func load(ctx context.Context, cluster *harness.Cluster, replicas [][]int, terms history.Terms, more ...workload.Option) *traffic {
	GinkgoHelper()
	readers := readersOf(cluster)
	clients := append([]workload.Option{
		workload.Producer{Rate: 200, Linger: moment}, workload.Producer{Kind: workload.AcksAll, Rate: 50, Linger: moment},
		workload.Consumer{Group: readers, Rest: moment}, workload.Consumer{Group: readers, Rest: moment}, workload.Consumer{Rest: moment},
		patient,
	}, more...)
	load := Traffic(ctx, cluster, history.Topic{Name: "orders", MinInSync: 2}, replicas, terms, clients...)
	load.Flow(ctx, enough)
	return load
}

// readersOf is the group that reads the usual traffic, each scenario's own.
func readersOf(cluster *harness.Cluster) string { return recordOf(cluster).own("readers") }

func (t *traffic) readers() string { return readersOf(t.cluster) }

// Payments is less traffic than Load, on a topic of its own, for a scenario that
// sends orders itself and waits for them: its history tells what became of clients.
func Payments(ctx context.Context, cluster *harness.Cluster) *traffic {
	GinkgoHelper()
	inSync := min(2, cluster.Spec().Count(topology.Broker))
	payments := Traffic(ctx, cluster, history.Topic{Name: "payments", MinInSync: inSync}, spread(cluster, 3),
		history.Terms{Before: enough, During: some, After: enough}, workload.Producer{Rate: 40, Linger: moment},
		workload.Producer{Kind: workload.AcksAll, Rate: 20, Linger: moment},
		workload.Consumer{Group: readersOf(cluster), Rest: moment}, workload.Consumer{Rest: moment}, patient)
	payments.Flow(ctx, enough)
	return payments
}

// patient is the final read of clusters that are whole, which takes half a second; of
// others it need not last for the minute that it may.
var patient = workload.Patience{Final: 2 * recovery}

// moment is what the clients of the usual traffic take their time for, so that two
// cores are not busy with requests alone while a broker starts.
const moment = 100 * time.Millisecond

// enough is how many acknowledged records say that a cluster works: a fifth of a
// second of the usual traffic.
const enough = 50

// some is how many sends say that a fault met traffic, where there is little.
const some = 10

// spread places so many partitions on three brokers each, or on all if there are
// fewer; the first is led by broker-1, the next by broker-2 and so on.
func spread(cluster *harness.Cluster, partitions int) [][]int {
	brokers := cluster.Spec().Count(topology.Broker)
	all := make([][]int, partitions)
	for p := range all {
		for replica := range min(3, brokers) {
			all[p] = append(all[p], 1+(p+replica)%brokers)
		}
	}
	return all
}

// Judged waits until records have flowed since the last fault, and expects that
// the history keeps every promise and that no acknowledged record is lost, unless it
// is of a release that does not promise that where brokers are killed. Of these laws
// it expects besides that they were checked, where they are promised.
func (t *traffic) Judged(ctx context.Context, laws ...invariant.Law) invariant.Report {
	GinkgoHelper()
	t.Flow(ctx, enough)
	report := t.Stop(ctx)
	Expect(report).To(KeepEveryPromise())
	for _, law := range laws {
		if report.Of(law).Status != invariant.NotPromised {
			Expect(report).To(Uphold(law))
		}
	}
	if brokers().LeaderEpochs() || report.Of(invariant.Lost).Status != invariant.NotPromised {
		Expect(report).To(LoseNoAck())
	}
	return report
}

// Needs skips a scenario about something that the release under test does not know.
func Needs(what string, known bool) {
	GinkgoHelper()
	if !known {
		Skip(what + ": not known to brokers of " + release() + " and workers of " + workersRelease())
	}
}

// brokers and workers are the releases under test, for the facts that hang on them.
func brokers() topology.Version { return topology.MustVersion(release()) }
func workers() topology.Version { return topology.MustVersion(workersRelease()) }
