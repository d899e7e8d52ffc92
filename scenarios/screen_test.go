package scenarios

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"kafkachaos/harness/workload"
	"kafkachaos/scenarios/terminal"
)

// gate lets through what ginkgo prints itself, or not: steps are of use while a
// scenario runs; what became of it we say ourselves.
type gate struct {
	to   io.Writer
	shut atomic.Bool
}

func (g *gate) Write(text []byte) (int, error) {
	if g.shut.Load() {
		return len(text), nil
	}
	return g.to.Write(text)
}

// ginkgos is what ginkgo's own words go through.
var ginkgos = &gate{to: os.Stdout}

// speakOurselves has ginkgo's words go through the gate; all of them are let through
// where everything was asked for (-vv).
func speakOurselves(reporter types.ReporterConfig) {
	if !reporter.Verbosity().Is(types.VerbosityLevelVeryVerbose) {
		ginkgos.shut.Store(true)
		formatter.ColorableStdOut = ginkgos
	}
}

// stage is what the scenario that runs has on show.
type stage struct {
	faults terminal.Faults
	began  time.Time

	mu       sync.Mutex
	clients  *workload.Traffic
	acked    int64 // at the last look
	looked   time.Time
	waits    string
	lastRead fmt.Stringer
	failed   time.Time // zero while it did not
}

// onStage is the stage of the scenario that runs.
var onStage atomic.Pointer[stage]

var _ = ReportBeforeSuite(func(report Report) {
	fmt.Printf("%s: %d of %d scenarios, seed %d\n", report.SuiteDescription, report.PreRunStats.SpecsThatWillRun, report.PreRunStats.TotalSpecs,
		report.SuiteConfig.RandomSeed)
})

var _ = ReportBeforeEach(func(report SpecReport) {
	if report.State.Is(types.SpecStateSkipped | types.SpecStatePending) {
		return
	}
	onStage.Store(&stage{began: time.Now(), looked: time.Now()})
	fmt.Printf("------------------------------\n%s [%s]\n", report.FullText(), strings.Join(report.Labels(), ", "))
	ginkgos.shut.Store(false)
})

// progressEvery is how often a scenario says what it does.
const progressEvery = 15 * time.Second

var _ = BeforeEach(func() {
	s := onStage.Load()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		ticks := time.NewTicker(progressEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				fmt.Print(s.progress(CurrentSpecReport(), time.Now()))
			case <-ctx.Done():
				return
			}
		}
	})
	DeferCleanup(func() {
		cancel()
		all.Wait()
	})
})

// progress tells what the scenario is doing.
func (s *stage) progress(report SpecReport, now time.Time) terminal.Progress {
	active, _ := s.faults.At(now)
	p := terminal.Progress{Running: now.Sub(s.began), Active: active, Acked: -1}
	if step, since := stepAt(report, now); step != "" {
		p.Step, p.InStep = step, now.Sub(since)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients != nil {
		acked := s.clients.Summary().Acked
		p.Acked = float64(acked-s.acked) / now.Sub(s.looked).Seconds()
		s.acked = acked
	}
	s.looked = now
	p.Waits = s.waits
	if s.lastRead != nil {
		p.Read = s.lastRead.String()
	}
	return p
}

// stepAt is the step that the scenario was in at that time, and since when.
func stepAt(report SpecReport, at time.Time) (step string, since time.Time) {
	for _, event := range report.SpecEvents {
		if event.SpecEventType == types.SpecEventByStart && !event.TimelineLocation.Time.After(at) {
			step, since = event.Message, event.TimelineLocation.Time
		}
	}
	return step, since
}

// at is when the scenario failed; ginkgo takes the time when the body was left,
// which is after the evidence was collected.
func (s *stage) at(failure types.Failure) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed.IsZero() {
		return failure.TimelineLocation.Time
	}
	return s.failed
}

// carry puts the clients of the scenario on show.
func (s *stage) carry(clients *workload.Traffic) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients, s.acked, s.looked = clients, clients.Summary().Acked, time.Now()
}

// fail tells at once that the scenario failed; the page comes when the evidence is
// there.
func (s *stage) fail(message string) {
	if s == nil { // no scenario has begun
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed.IsZero() {
		s.failed = time.Now()
		fmt.Printf("  failed after %.1f s, collecting evidence: %s\n", time.Since(s.began).Seconds(), terminal.Cut(message, terminal.Columns-45))
	}
	ginkgos.shut.Store(true)
}

// onShow is the getter, whose last reading is put on show while something is waited
// for; over ends that.
func onShow[T any](getter func(context.Context) (T, error), explain []any) (shown func(context.Context) (T, error), over func()) {
	s := onStage.Load()
	s.show(explained(explain), nil)
	return func(ctx context.Context) (T, error) {
		value, err := getter(ctx)
		s.show(explained(explain), last{value, err})
		return value, err
	}, func() { s.show("", nil) }
}

func (s *stage) show(waits string, lastRead fmt.Stringer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits, s.lastRead = waits, lastRead
}

// last is what a getter returned, printed when somebody looks.
type last struct {
	value any
	err   error
}

func (l last) String() string {
	if l.err != nil {
		return "could not read: " + l.err.Error()
	}
	return "last read: " + fmt.Sprint(l.value)
}

// explained is what a wait is for, as gomega takes it.
func explained(explain []any) string {
	if len(explain) == 0 {
		return ""
	}
	format, isText := explain[0].(string)
	if !isText {
		return ""
	}
	return fmt.Sprintf(format, explain[1:]...)
}
