package scenarios

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"kafkachaos/scenarios/incident"
)

// judge ends the scenario with that verdict if there is an error. A failure that
// is no finding about the system says so in its first word, for whoever reads
// the report.
func judge(verdict incident.Verdict, err error, while ...string) {
	GinkgoHelper()
	if err == nil {
		return
	}
	message := verdict.Prefix() + strings.Join(append(while, err.Error()), ": ")
	onStage.Load().fail(message)
	Fail(message)
}

// Premise waits like Soon, for what has to come about before the scenario can
// say anything of the system: its failure is no finding, the run is
// inconclusive.
func Premise[T any](ctx context.Context, within time.Duration, getter func(context.Context) (T, error), matcher types.GomegaMatcher, explain ...any) {
	GinkgoHelper()
	premise(ctx, within, poll, getter, matcher, explain...)
}

// premise reads every so often.
func premise[T any](ctx context.Context, within, every time.Duration, getter func(context.Context) (T, error), matcher types.GomegaMatcher, explain ...any) {
	GinkgoHelper()
	inconclusive := NewGomega(func(message string, skip ...int) {
		message = incident.Inconclusive.Prefix() + message
		onStage.Load().fail(message)
		Fail(message, skip...)
	})
	shown, over := onShow(getter, explain)
	defer over()
	inconclusive.Eventually(ctx, shown).WithTimeout(within).WithPolling(every).Should(matcher, explain...)
}

// poll is the time between two readings of a wait.
const poll = 50 * time.Millisecond
