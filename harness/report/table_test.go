package report

import (
	"strings"
	"testing"
	"time"
)

func TestTableCountsTheRunsOfEachObligation(t *testing.T) {
	run := func(title, area string, verdict Verdict, took, unavailable time.Duration) Scenario {
		return Scenario{Title: title, Labels: []string{area}, Verdict: verdict, Took: Seconds(took), Unavailable: Seconds(unavailable)}
	}
	var text strings.Builder
	err := Table(&text, []Scenario{
		run("B comes back", "zookeeper", Pass, 10*time.Second, 2*time.Second),
		run("B comes back", "zookeeper", Fail, 30*time.Second, 5*time.Second),
		run("B comes back", "zookeeper", Pass, 12*time.Second, 0),
		run("A serves", "connect", Pass, 20*time.Second, 0),
		run("never heard of", "connect", Skipped, 0, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `| area | obligation | passed | seconds | longest wait | recovery |
|---|---|---|---|---|---|
| connect | A serves | 1 of 1 | 20.0 s | – | – |
| zookeeper | B comes back | 2 of 3 | 12.0 s | 5.0 s | – |
`
	if text.String() != want {
		t.Errorf("the table is\n%s\nwant\n%s", text.String(), want)
	}
}
