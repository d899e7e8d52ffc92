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
	"kafkachaos/scenarios/incident"
)

// collect says in plain words what is wrong with the cluster of a failed
// scenario, and writes the evidence, once: while its fault is active if it failed
// then.
func collect(ctx context.Context, cluster *harness.Cluster) {
	folder := filepath.Join(outFolder(), "evidence", folderName(CurrentSpecReport().FullText(), cluster.Run()))
	if _, err := os.Stat(folder); err == nil {
		return
	}
	symptoms := cluster.Symptoms(ctx)
	AddReportEntry(incident.Diagnosis, strings.Join(diagnosis.Of(symptoms), "\n"))
	err := cluster.Evidence(ctx, folder, symptoms)
	AddReportEntry(evidenceEntry, folder)
	if err != nil {
		AddReportEntry("evidence that could not be collected", err.Error())
	}
}

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// folderName is short, tells the scenario, and is not used twice.
func folderName(title, run string) string {
	name := strings.Trim(notInNames.ReplaceAllString(title, "-"), "-")
	return name[:min(len(name), 100)] + "-" + run
}

// During has a fault in effect for as long as the body runs. The fault is
// proved before the body and healed after it, whatever happens. That it cannot
// be proved makes the scenario inconclusive, which is a failure that says so. A
// nil body lasts until the fault has run its course.
func During(ctx context.Context, cluster *harness.Cluster, fault faults.Fault, body func()) {
	GinkgoHelper()
	err := undergo(ctx, cluster, fault, body)
	judge(classOf(err), err, "the fault "+fault.String())
}

// undergo is During for a scenario that looks at the cluster before it judges what the
// fault came to.
func undergo(ctx context.Context, cluster *harness.Cluster, fault faults.Fault, body func()) error {
	GinkgoHelper()
	By("injecting " + fault.String())
	return faults.During(ctx, cluster.Rig(), fault, watchful(cluster, body))
}

// classOf is what it means that a fault came to this error.
func classOf(err error) incident.Verdict {
	if errors.Is(err, faults.ErrInconclusive) {
		return incident.Inconclusive
	}
	return incident.Environment
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
	soon(ctx, within, poll, getter, matcher, explain...)
}

// soon reads every so often.
func soon[T any](ctx context.Context, within, every time.Duration, getter func(context.Context) (T, error), matcher types.GomegaMatcher, explain ...any) {
	GinkgoHelper()
	shown, over := onShow(getter, explain)
	defer over()
	Eventually(ctx, shown).WithTimeout(within).WithPolling(every).Should(matcher, explain...)
}

// outFolder is where a run leaves what is to be kept.
func outFolder() string {
	if out := os.Getenv("KAFKACHAOS_OUT"); out != "" {
		return out
	}
	return filepath.Join("..", "out")
}
