// Package scenarios holds the obligations of a Kafka and Connect cluster, one
// file a behaviour. Ginkgo lives here and nowhere else.
//
// Environment: KAFKA is the release to break (default 3.9.2), WORKERS that of the
// Connect workers (default KAFKA), SEED fixes the drawn plans, KEEP=1 leaves the
// cluster of a failed scenario up, KAFKACHAOS_OUT is the folder for evidence.
package scenarios

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/harness/topology"
)

func TestScenarios(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Kafka "+release()+" under chaos")
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
