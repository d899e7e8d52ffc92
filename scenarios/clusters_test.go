package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

// Start starts a cluster of the release under test for this scenario alone, and
// sees to its end: evidence if the scenario fails, an audit if it passes, and then
// nothing left, unless KEEP asks for a failed cluster to stay.
func Start(ctx context.Context, options ...topology.Option) *harness.Cluster {
	GinkgoHelper()
	leaveToIncidents()
	spec := specOf(options)
	passed.drop(ctx) // two at once would be in each other's way
	cluster := boot(ctx, spec)
	DeferCleanup(finish, cluster)
	begin(ctx, cluster, 1)
	return cluster
}

// Share is Start for a scenario that leaves its cluster as it was: it gets the one
// that the scenario before it has left, if that is of the same kind and passed, and
// leaves it to the next once it is audited and whole. Topics and connectors are each
// scenario's own; connectors are removed in the end.
func Share(ctx context.Context, options ...topology.Option) *harness.Cluster {
	GinkgoHelper()
	leaveToIncidents()
	spec := specOf(options)
	cluster, round := passed.take(spec), passed.round+1
	if cluster == nil {
		passed.drop(ctx)
		cluster, round = boot(ctx, spec), 1
	}
	DeferCleanup(func(ctx context.Context) { passOn(ctx, cluster, spec, round) })
	begin(ctx, cluster, round)
	return cluster
}

// leaveToIncidents skips a scenario that is known to be red on the releases under
// test, unless somebody asked for scenarios by title or label.
func leaveToIncidents() {
	GinkgoHelper()
	bug, known := incident.Known(CurrentSpecReport().FullText(), incident.Releases{Brokers: release(), Workers: workersRelease()})
	if known && os.Getenv("KAFKACHAOS_UNASKED") != "" {
		Skip("red on " + release() + " by " + bug)
	}
}

// Those that share a cluster of one kind run after one another, in an order that is
// drawn: these three kinds first, and what starts its own in the end.
const (
	onBrokers    = SpecPriority(3) // threeBrokers
	onReplicated = SpecPriority(2) // replicated
	onWorkers    = SpecPriority(1) // ShareConnect
)

// passed is the cluster that waits for the next scenario.
var passed baton

var _ = AfterSuite(func(ctx SpecContext) { passed.drop(ctx) }, NodeTimeout(time.Minute))

// baton is a cluster that one scenario hands to the next.
type baton struct {
	cluster *harness.Cluster
	spec    topology.Spec
	round   int // how many scenarios have had it
}

// take is the cluster, if there is one of that kind.
func (b *baton) take(spec topology.Spec) *harness.Cluster {
	if b.cluster == nil || !reflect.DeepEqual(b.spec, spec) {
		return nil
	}
	cluster := b.cluster
	b.cluster = nil
	return cluster
}

// drop stops the cluster that nobody wants.
func (b *baton) drop(ctx context.Context) {
	GinkgoHelper()
	cluster := b.cluster
	b.cluster = nil
	if cluster != nil {
		judge(incident.Environment, cluster.Stop(ctx), "stopping the cluster of the scenarios before")
	}
}

func specOf(options []topology.Option) topology.Spec {
	GinkgoHelper()
	releases := []topology.Option{topology.Kafka(release()), topology.VersionOf(topology.Worker, workersRelease())}
	spec, err := topology.New(append(releases, options...)...)
	judge(incident.Environment, err)
	return spec
}

// boot starts a cluster, and stops it if it does not start whole.
func boot(ctx context.Context, spec topology.Spec) *harness.Cluster {
	GinkgoHelper()
	By("starting " + spec.String())
	began := time.Now()
	cluster, err := harness.Start(ctx, spec)
	if err != nil {
		DeferCleanup(finish, cluster)
	}
	judge(incident.Environment, err)
	took := time.Since(began)
	GinkgoWriter.Printf("run %s was ready after %.1f s\n", cluster.Run(), took.Seconds())
	AddReportEntry(bootEntry, took.String(), ReportEntryVisibilityNever)
	if took > slowBoot {
		folder := filepath.Join(outFolder(), "evidence", "slow-boot-"+cluster.Run())
		GinkgoWriter.Printf("that is slow, see %s (%v)\n", folder, cluster.Evidence(ctx, folder, cluster.Symptoms(ctx)))
	}
	return cluster
}

// slowBoot is a start that waited for something that it should not: twice what it
// takes on two cores.
const slowBoot = 25 * time.Second

// bootEntry is the report entry of how long the scenario's cluster took to start.
const bootEntry = "boot"

// finish ends a cluster as the scenario's outcome asks for.
func finish(ctx context.Context, cluster *harness.Cluster) {
	failed := CurrentSpecReport().Failed()
	if failed || wanted() {
		collect(ctx, cluster)
	}
	errs := []error{settle(ctx, cluster, failed)}
	if !failed && errs[0] != nil { // a leftover is a failure as well
		failed = true
		collect(ctx, cluster)
	}
	if failed && os.Getenv("KEEP") != "" {
		errs = append(errs, cluster.Keep(ctx))
		AddReportEntry("kept", "run "+cluster.Run()+" is left up; `make clean` removes it")
	} else {
		errs = append(errs, cluster.Stop(ctx))
	}
	judge(incident.Environment, errors.Join(errs...), "healing, auditing and stopping the cluster")
}

// wanted says that evidence is wanted of every scenario, also of those that pass.
func wanted() bool { return os.Getenv("EVIDENCE") == "all" }

// settle heals what is left of faults, and looks for leftovers if all went well.
func settle(ctx context.Context, cluster *harness.Cluster, failed bool) error {
	rig := cluster.Rig()
	if rig == nil {
		return nil
	}
	err := rig.HealAll(ctx)
	if failed {
		return err
	}
	err = errors.Join(err, faults.Audit(ctx, rig))
	if bypass := cluster.ProveNoBypass(ctx); errors.Is(bypass, harness.ErrBypass) { // no fault reached that one
		err = errors.Join(err, bypass)
	}
	return err
}

// passOn leaves the cluster of a scenario that passed to the next one.
func passOn(ctx context.Context, cluster *harness.Cluster, spec topology.Spec, round int) {
	failed := CurrentSpecReport().Failed()
	if !failed {
		if wanted() {
			collect(ctx, cluster)
		}
		err := errors.Join(removeConnectors(ctx, cluster), settle(ctx, cluster, false), cluster.AwaitWhole(ctx))
		if err == nil && endedTasks(ctx, cluster) {
			passed = baton{cluster, spec, round}
			return
		}
		if err != nil {
			defer judge(incident.Environment, err, "leaving the cluster to the next scenario")
			collect(ctx, cluster)
		}
	}
	finish(ctx, cluster)
}

// endedTasks says that no worker runs a task of the connectors that were removed, or
// within the time that a task has to stop. Threads of tasks do not say whose they are
// before 2.3.0, so one that is slow to end would count as the next scenario's: a
// sink's consumer that was removed as it joined waits for 30 s (KAFKA-7610; seen on
// 0.10.2.1).
func endedTasks(ctx context.Context, cluster *harness.Cluster) bool {
	if workers().NamedTaskThreads() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, graceful)
	defer cancel()
	err := insist(ctx, unhurried, func(ctx context.Context) error {
		dumps, err := cluster.WorkerDumps(ctx)
		for worker, dump := range dumps {
			if _, unnamed := state.TaskThreads(dump); err == nil && unnamed > 0 {
				err = fmt.Errorf("%v has %d threads that run tasks", worker, unnamed)
			}
		}
		return err
	})
	if err != nil {
		GinkgoWriter.Printf("the cluster is not left to the next scenario: %v\n", err)
	}
	return err == nil
}
