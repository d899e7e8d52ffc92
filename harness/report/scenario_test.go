package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func sample(title string, verdict Verdict) Scenario {
	return Scenario{Date: time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC), Suite: time.Date(2026, 11, 30, 1, 59, 0, 0, time.UTC), Title: title,
		Labels: []string{"zookeeper", "core"}, Verdict: verdict, Kafka: "3.9.2", Seed: 7, Attempt: 1,
		Took: Seconds(ms(23456)), Unavailable: Seconds(ms(1234)), UnavailableOn: "orders-0", Acked: 99}
}

func TestALineComesBackAsItWas(t *testing.T) {
	folder := t.TempDir()
	want := sample("A broker <registers> again", Fail)
	want.Finding, want.Diagnosis, want.FailedAt, want.History = "registered of broker-1", []string{"it is not"}, want.Date.Add(time.Second), "histories/x"
	if err := want.Append(folder); err != nil {
		t.Fatal(err)
	}
	got, left, err := Read(folder)
	if err != nil || left != 0 || len(got) != 1 {
		t.Fatalf("read %d lines, left %d out, %v", len(got), left, err)
	}
	want.Format, want.folder = Format, folder
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got[0], want)
	}
	if got[0].HistoryFolder() != filepath.Join(folder, "histories", "x") || got[0].EvidenceFolder() != "" {
		t.Errorf("its folders are %q and %q", got[0].HistoryFolder(), got[0].EvidenceFolder())
	}
}

// TestACrashCostsOneLine: wherever it cut the last line, all others are read, and
// the next one is whole.
func TestACrashCostsOneLine(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, SummaryName)
	for _, title := range []string{"one", "two"} {
		if err := sample(title, Pass).Append(folder); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(whole), '\n') + 1
	for cut := first + 1; cut < len(whole)-1; cut += 40 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, left, err := Read(folder); err != nil || len(got) != 1 || left != 1 {
			t.Fatalf("cut at %d: read %d lines, left %d out, %v", cut, len(got), left, err)
		}
		if err := sample("three", Pass).Append(folder); err != nil {
			t.Fatal(err)
		}
		if got, left, err := Read(folder); err != nil || len(got) != 2 || left != 1 || got[1].Title != "three" {
			t.Fatalf("cut at %d, and one more: read %d lines, left %d out, %v", cut, len(got), left, err)
		}
	}
}

func TestWhatIsNoSummaryIsLeftOut(t *testing.T) {
	got, left, err := readFrom(strings.NewReader(`{"format":2,"title":"of a later release"}` + "\n\n" + `{"title":"no format"}` + "\n" +
		`{"format":1,"title":"good","verdict":"pass","later":true}` + "\n" + `{"format":1}`))
	if err != nil || left != 3 || len(got) != 1 || got[0].Title != "good" {
		t.Errorf("read %+v, left %d out, %v", got, left, err)
	}
	if _, _, err := Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestTheLastRunIsItsLastSuiteAndTheRoundsBefore(t *testing.T) {
	at := func(suite, attempt int) Scenario {
		s := sample("x", Pass)
		s.Suite, s.Attempt = s.Suite.Add(time.Duration(suite)*time.Minute), attempt
		return s
	}
	for name, test := range map[string]struct {
		all  []Scenario
		want int
	}{
		"nothing":                           {nil, 0},
		"one suite":                         {[]Scenario{at(1, 1), at(1, 1)}, 2},
		"two suites":                        {[]Scenario{at(1, 1), at(1, 1), at(2, 1)}, 1},
		"two rounds":                        {[]Scenario{at(1, 1), at(2, 1), at(2, 1), at(3, 2), at(3, 2)}, 4},
		"rounds and another":                {[]Scenario{at(1, 1), at(2, 2), at(3, 1)}, 1},
		"rounds of which the first is lost": {[]Scenario{at(2, 2), at(3, 3)}, 2},
	} {
		if got := LastRun(test.all); len(got) != test.want {
			t.Errorf("%s: %d scenarios, want %d", name, len(got), test.want)
		}
	}
}

func TestSecondsAreReadable(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 s", time.Microsecond: "1 ms", ms(340): "340 ms", ms(5240): "5.2 s", 61 * time.Second: "61.0 s", 192 * time.Second: "3 min 12 s"} {
		if got := Seconds(d).String(); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
