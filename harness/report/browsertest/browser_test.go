// Package browsertest opens the page of a run in a real browser, Debian's chromium.
// It has tests only, so that nothing else needs a browser's protocol.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"kafkachaos/harness/history"
	"kafkachaos/harness/report"
)

// patience bounds a test: ten times what it takes here.
const patience = time.Minute

// browse opens the page in a browser of its own; told are the errors on its console.
func browse(t *testing.T, page string) (ctx context.Context, told func() []string) {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no chromium on this machine; make browser-test installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1360, 900))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)

	var mu sync.Mutex
	var errors []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			errors = append(errors, event.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			errors = append(errors, fmt.Sprintf("console %s", event.Type))
		case *log.EventEntryAdded:
			errors = append(errors, event.Entry.Text)
		}
	})
	run(ctx, t, chromedp.Navigate("file://"+page))
	return ctx, func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(errors) }
}

func run(ctx context.Context, t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// value is what the script says in the page.
func value[T any](ctx context.Context, t *testing.T, script string) (v T) {
	t.Helper()
	run(ctx, t, chromedp.Evaluate(script, &v))
	return v
}

// pageOfARun writes the page of a run with a scenario that failed and one that did
// not.
func pageOfARun(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	began := time.Now()
	for _, s := range []report.Scenario{
		{Title: "A broker registers again", Verdict: report.Pass, Labels: []string{"zookeeper"}},
		{Title: `A broker <b>"that failed"</b> & came back`, Verdict: report.Fail, Labels: []string{"replication"}, Finding: "registered of broker-1",
			Reason: "it is not", FailedAt: began.Add(time.Hour), History: "histories/failed"},
	} {
		s.Date, s.Suite, s.Kafka, s.Attempt = began, began, "3.9.2", 1
		if s.History != "" {
			record(t, filepath.Join(folder, s.History, history.FileName))
			s.Measure(folder, s.History)
		}
		if err := s.Append(folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := report.WritePage(folder); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, report.PageName)
}

// record writes a history with a lane of every group.
func record(t *testing.T, path string) {
	t.Helper()
	h, err := history.Create(path, history.Header{Run: "r", Brokers: "3.9.2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]string{{"broker-1 registration", "broker-1 is registered by session 0x1, czxid 0x2"}, {"controller", "no broker is the controller, epoch 1"},
		{"broker-1 registration", "broker-1 is absent from ZooKeeper"}} {
		h.Reading(history.Reading{Of: r[0], By: "zk-1", Text: r[1]})
	}
	topic := h.Topic(history.Topic{Name: "orders", Partitions: 1, Replicas: 3, MinInSync: 2})
	producer := h.Start(history.Client{Name: "producer-1", Role: history.Producer, Acks: "all", InFlight: 5})
	for _, step := range []history.Step{history.Intended, history.Injected, history.InEffect, history.Healed} {
		h.Fault(history.Fault{Number: 1, Name: "cut links=broker-1→zk-1", Step: step})
		producer.Send(history.Partition{Topic: topic}, int64(len(step))).Acked(int64(len(step)), 1)
	}
	h.End()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestThePageOpensWithoutErrorsAndHasItsLanes(t *testing.T) {
	ctx, errors := browse(t, pageOfARun(t))
	want := []string{"Links broker-1→zk-1", "Nodes broker-1", "Cluster controller", "Clients producer-1"}
	lanes := value[[]string](ctx, t, `[...document.querySelectorAll(".scenario.fail .lane")].map(l => l.dataset.group + " " + l.dataset.lane)`)
	if !slices.Equal(lanes, want) {
		t.Errorf("lanes %q, want %q", lanes, want)
	}
	if drawn := value[float64](ctx, t, `document.querySelector(".picture").getBoundingClientRect().width`); drawn < 700 {
		t.Errorf("the picture is %v pixels wide", drawn)
	}
	if title := value[string](ctx, t, `document.querySelector(".fail .title").textContent`); title != `A broker <b>"that failed"</b> & came back` {
		t.Errorf("the title reads %q", title)
	}
	if loaded := value[int](ctx, t, `performance.getEntriesByType("resource").length`); loaded != 0 {
		t.Errorf("the page loads %d other things", loaded)
	}
	if told := errors(); len(told) > 0 {
		t.Errorf("the console says %q", told)
	}
}

// TestTheJumpWorksByKeyboard, also where the scenario was closed.
func TestTheJumpWorksByKeyboard(t *testing.T) {
	page := pageOfARun(t)
	for name, press := range map[string][]chromedp.Action{
		"the key":  {chromedp.KeyEvent("v")},
		"the link": {chromedp.Focus("#jump"), chromedp.KeyEvent(kb.Enter)},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, errors := browse(t, page)
			run(ctx, t, chromedp.Evaluate(`document.querySelector(".scenario.fail").open = false`, nil))
			run(ctx, t, press...)
			run(ctx, t, chromedp.Poll(`document.activeElement.matches("a.mark")`, nil, chromedp.WithPollingTimeout(10*time.Second)))
			if seen := value[bool](ctx, t, `(() => { const r = document.activeElement.getBoundingClientRect();
				return document.querySelector(".scenario.fail").open && r.width > 0 && r.top < innerHeight && r.bottom > 0 })()`); !seen {
				t.Error("the violation is not in view")
			}
			if told := errors(); len(told) > 0 {
				t.Errorf("the console says %q", told)
			}
		})
	}
}

// TestBothColourSchemesAreReadable: text and paper are far apart in each, by the
// measure of WCAG 2, section 1.4.3.
func TestBothColourSchemesAreReadable(t *testing.T) {
	const contrast = `(() => {
		const light = (name) => {
			const probe = document.createElement("i");
			probe.style.color = "var(--" + name + ")";
			document.body.append(probe);
			const rgb = getComputedStyle(probe).color.match(/[\d.]+/g).map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
			probe.remove();
			return .2126 * rgb[0] + .7152 * rgb[1] + .0722 * rgb[2];
		};
		const paper = light("card");
		return ["ink", "soft", "fail", "pass", "doubt", "lost", "accent"].filter((name) => {
			const [a, b] = [light(name), paper].sort((a, b) => b - a);
			return (a + .05) / (b + .05) < 4.5;
		});
	})()`
	page := pageOfARun(t)
	papers := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		ctx, _ := browse(t, page)
		run(ctx, t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		if weak := value[[]string](ctx, t, contrast); len(weak) > 0 {
			t.Errorf("in %s these cannot be read: %q", scheme, weak)
		}
		papers[value[string](ctx, t, `getComputedStyle(document.body).backgroundColor`)] = true
	}
	if len(papers) != 2 {
		t.Errorf("both schemes look alike: %v", papers)
	}
}

// TestANarrowWindowScrollsNothingButTimelines.
func TestANarrowWindowScrollsNothingButTimelines(t *testing.T) {
	ctx, _ := browse(t, pageOfARun(t))
	run(ctx, t, chromedp.EmulateViewport(390, 800))
	if wide := value[int](ctx, t, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d wide", wide)
	}
	if shot := os.Getenv("SCREENSHOT"); shot != "" { // to look at
		var picture []byte
		run(ctx, t, chromedp.FullScreenshot(&picture, 90))
		if err := os.WriteFile(strings.TrimSuffix(shot, ".png")+".png", picture, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
