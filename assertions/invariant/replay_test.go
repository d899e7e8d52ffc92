package invariant

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kafkachaos/harness/history"
)

var update = flag.Bool("update", false, "write the histories and verdicts in testdata anew")

// losses has a loss with all that is known of it, and doubts.
func losses() *tape {
	t := newTape()
	t.header.Run, t.header.Command = "if7agi", "make chaos FOCUS='a killed leader'"
	t.terms(history.Terms{Before: 3, After: 3})
	t.fault(history.Fault{Budget: worldBound, Recovery: worldBound}, history.Intended)
	t.send(alice, 0, 0)
	t.fault(history.Fault{}, history.InEffect)
	for i := int64(1); i < 14; i++ {
		t.send(alice, i, i)
	}
	t.fault(history.Fault{}, history.Healed)
	t.send(bob, 0, 14)
	t.assign(final, 0)
	t.read(final, 0, alice, 0)
	t.read(final, 14, bob, 0)
	t.add(history.Event{Kind: history.DiskMark, Disk: &history.Disk{Broker: 2, Partition: orders(0), Offset: 1, Client: alice, Seq: 1, Held: true}})
	t.add(history.Event{Kind: history.DiskMark, Disk: &history.Disk{Broker: 3, Partition: orders(0), Offset: 1, Client: alice, Seq: 1}})
	t.add(history.Event{Kind: "later"})
	return t
}

// TestAVerdictIsTheSameBytes: a history that was recorded is judged to the
// verdict of then.
func TestAVerdictIsTheSameBytes(t *testing.T) {
	recorded, verdict := filepath.Join("testdata", "losses", history.FileName), filepath.Join("testdata", "losses", VerdictName)
	if *update {
		for path, text := range map[string]string{recorded: string(losses().bytes(t)), verdict: losses().judge(t).String()} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := os.ReadFile(verdict)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		report, err := Replay(filepath.Dir(recorded))
		if err != nil || report.String() != string(want) {
			t.Fatalf("%v\n%v\nwant\n%s", err, report, want)
		}
	}
}

// TestAReportNamesWhatToLookForOnDisk: each record once, also if several laws name
// it, and none that stands at no offset.
func TestAReportNamesWhatToLookForOnDisk(t *testing.T) {
	tape := newTape()
	tape.send(alice, 0, 0)
	tape.send(alice, 1, 1)
	tape.send(bob, 0, 1) // where another is acknowledged
	tape.begin(bob, 1)
	tape.assign(final, 0)
	tape.read(final, 1, bob, 0)
	tape.over()
	want := []history.Record{{Partition: orders(0), Offset: 0, Client: alice, Seq: 0}, {Partition: orders(0), Offset: 1, Client: alice, Seq: 1}}
	if got := tape.judge(t).Records(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v\n%v", got, want, tape.judge(t))
	}
}

// TestAReportIsPlainData: it comes back from JSON as it was.
func TestAReportIsPlainData(t *testing.T) {
	report := losses().judge(t)
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil || back.String() != report.String() {
		t.Errorf("%v\n%v\nwas\n%v", err, back, report)
	}
	if err := json.Unmarshal([]byte(`{"Laws":[{"Law":"be good"}]}`), &back); err == nil {
		t.Error("a law that there is not was read")
	}
}

func TestVerdictsOfWorldsRepeat(t *testing.T) {
	for law, breaks := range breakers {
		w := newWorld(1, worldSteps)
		w.random = seeded(1)
		breaks(w)
		first := w.judge(t).String()
		for range 5 {
			if again := w.judge(t).String(); again != first {
				t.Errorf("%s: first\n%s\nthen\n%s", law, first, again)
			}
		}
	}
}

func TestReplayRefusesAnotherVerdict(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Replay(dir); err == nil {
		t.Error("a folder without a history was judged")
	}
	write(history.FileName, string(losses().bytes(t)))
	if _, err := Replay(dir); err != nil {
		t.Errorf("without a verdict of then: %v", err)
	}
	write(VerdictName, losses().judge(t).String())
	if _, err := Replay(dir); err != nil {
		t.Errorf("with the same verdict: %v", err)
	}
	write(VerdictName, "run if7agi: pass\n")
	if _, err := Replay(dir); err == nil || !strings.Contains(err.Error(), VerdictName) {
		t.Errorf("with another verdict: %v", err)
	}
}

// FuzzJudge: whatever a file holds, it is judged or refused.
func FuzzJudge(f *testing.F) {
	f.Add(losses().bytes(f))
	f.Add(newWorld(3, 200).bytes(f))
	for _, s := range breaches {
		t := newTape()
		s.tell(t)
		f.Add(t.bytes(f))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		report, err := judgeText(text)
		if err == nil && report.Verdict == Pass && len(report.Doubts) > 0 {
			t.Errorf("a pass with doubts:\n%v", report)
		}
		_ = report.String()
	})
}
