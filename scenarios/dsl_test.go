package scenarios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"kafkachaos/assertions/diagnosis"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

// Start starts a cluster of the release under test for this scenario, and sees
// to its end: evidence if the scenario fails, an audit if it passes, and then
// nothing left, unless KEEP asks for a failed cluster to stay.
func Start(ctx context.Context, options ...topology.Option) *harness.Cluster {
	GinkgoHelper()
	releases := []topology.Option{topology.Kafka(release()), topology.VersionOf(topology.Worker, workersRelease())}
	spec, err := topology.New(append(releases, options...)...)
	judge(incident.Environment, err)
	By("starting " + spec.String())
	began := time.Now()
	cluster, err := harness.Start(ctx, spec)
	DeferCleanup(finish, cluster)
	judge(incident.Environment, err)
	GinkgoWriter.Printf("run %s was ready after %.1f s\n", cluster.Run(), time.Since(began).Seconds())
	return cluster
}

// finish ends a cluster as the scenario's outcome asks for.
func finish(ctx context.Context, cluster *harness.Cluster) {
	failed := CurrentSpecReport().Failed()
	if failed {
		collect(ctx, cluster)
	}
	var errs []error
	if rig := cluster.Rig(); rig != nil {
		errs = append(errs, rig.Close(ctx))
		if !failed {
			errs = append(errs, faults.Audit(ctx, rig))
		}
	}
	if !failed && errors.Join(errs...) != nil { // a leftover is a failure as well
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

// collect says in plain words what is wrong with the cluster of a failed
// scenario, and writes the evidence, once: while its fault is active if it failed
// then.
func collect(ctx context.Context, cluster *harness.Cluster) {
	folder := evidenceFolder(CurrentSpecReport().FullText(), cluster.Run())
	if _, err := os.Stat(folder); err == nil {
		return
	}
	AddReportEntry(incident.Diagnosis, strings.Join(diagnosis.Of(cluster.Symptoms(ctx)), "\n"))
	err := cluster.Evidence(ctx, folder)
	AddReportEntry("evidence", folder)
	if err != nil {
		AddReportEntry("evidence that could not be collected", err.Error())
	}
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9]+`)

func evidenceFolder(title, run string) string {
	name := strings.Trim(notInNames.ReplaceAllString(title, "-"), "-")
	return filepath.Join(outFolder(), "evidence", name[:min(len(name), 100)]+"-"+run)
}

// During has a fault in effect for as long as the body runs. The fault is
// proved before the body and healed after it, whatever happens. That it cannot
// be proved makes the scenario inconclusive, which is a failure that says so. A
// nil body lasts until the fault has run its course.
func During(ctx context.Context, cluster *harness.Cluster, fault faults.Fault, body func()) {
	GinkgoHelper()
	By("injecting " + fault.String())
	err := faults.During(ctx, cluster.Rig(), fault, watchful(cluster, body))
	class := incident.Environment
	if errors.Is(err, faults.ErrInconclusive) {
		class = incident.Inconclusive
	}
	judge(class, err, "the fault "+fault.String())
}

// watchful is a body that collects evidence while its fault is active, if it
// fails then.
func watchful(cluster *harness.Cluster, body func()) func(context.Context) error {
	if body == nil {
		return nil
	}
	return func(ctx context.Context) error {
		finished := false
		defer func() {
			if !finished { // a failed assertion leaves by a panic
				collect(context.WithoutCancel(ctx), cluster)
			}
		}()
		body()
		finished = true
		return nil
	}
}

// Read makes one reading, which has to succeed.
func Read[T any](ctx context.Context, getter func(context.Context) (T, error)) T {
	GinkgoHelper()
	reading, err := getter(ctx)
	Expect(err).NotTo(HaveOccurred())
	return reading
}

// Soon waits until the reading satisfies the matcher, within the bound. A
// reading that could not be made is tried again, and is what the failure shows
// if it never could.
func Soon[T any](ctx context.Context, within time.Duration, getter func(context.Context) (T, error), matcher types.GomegaMatcher, explain ...any) {
	GinkgoHelper()
	Eventually(ctx, getter).WithTimeout(within).WithPolling(poll).Should(matcher, explain...)
}

// outFolder is where a run leaves what is to be kept.
func outFolder() string {
	if out := os.Getenv("KAFKACHAOS_OUT"); out != "" {
		return out
	}
	return filepath.Join("..", "out")
}
