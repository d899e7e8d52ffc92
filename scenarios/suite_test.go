// Package scenarios holds the obligations of a Kafka and Connect cluster, one
// file a behaviour. Ginkgo lives here and nowhere else.
//
// Environment: KAFKA is the release to break (default 3.9.2), WORKERS that of the
// Connect workers (default KAFKA), SEED fixes the drawn plans, KEEP=1 leaves the
// cluster of a failed scenario up, SHARD=i/n runs the i-th of n shares of the
// scenarios, KAFKACHAOS_OUT is the folder for evidence.
package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"kafkachaos/harness/topology"
	"kafkachaos/scenarios/incident"
)

func TestScenarios(t *testing.T) {
	RegisterFailHandler(failing)
	suite, reporter := GinkgoConfiguration()
	speakOurselves(reporter)
	name := "Kafka " + release() + " under chaos"
	if shard := os.Getenv("SHARD"); shard != "" {
		titles, err := dealt(shard, PreviewSpecs(name, suite, reporter).SpecReports)
		if err != nil {
			t.Fatalf("%s%v", incident.Environment.Prefix(), err)
		}
		suite.FocusStrings, suite.LabelFilter = []string{"^" + regexp.QuoteMeta(name) + " (" + strings.Join(titles, "|") + ")$"}, ""
	}
	ok := RunSpecs(t, name, suite, reporter)
	fmt.Print(summary)
	if !ok && !strings.Contains(summary, "make chaos") {
		fmt.Println("the run failed beside its scenarios: run it again with -vv, and ginkgo says where")
	}
}

// dealt are the titles, as patterns, of the scenarios that fall to shard "i/n" when
// all that were asked for are dealt out in the order of their titles: to the same
// one on every machine.
func dealt(shard string, all types.SpecReports) ([]string, error) {
	var i, n int
	if _, err := fmt.Sscanf(shard, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		return nil, fmt.Errorf("SHARD=%s: want such as 2/3, the second of three", shard)
	}
	var titles []string
	for _, spec := range all {
		if spec.LeafNodeType == types.NodeTypeIt && spec.State != types.SpecStateSkipped && spec.State != types.SpecStatePending {
			titles = append(titles, spec.FullText())
		}
	}
	slices.Sort(titles)
	var mine []string
	for at, title := range titles {
		if at%n == i-1 {
			mine = append(mine, regexp.QuoteMeta(title))
		}
	}
	if len(mine) == 0 {
		return nil, fmt.Errorf("SHARD=%s: there are %d scenarios to deal, none for this one", shard, len(titles))
	}
	return mine, nil
}

// release is the Kafka release to break.
func release() string {
	if version := os.Getenv("KAFKA"); version != "" {
		return version
	}
	return topology.DefaultVersion.String()
}

// workersRelease is the release that the Connect workers run.
func workersRelease() string {
	if version := os.Getenv("WORKERS"); version != "" {
		return version
	}
	return release()
}
