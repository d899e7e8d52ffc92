package terminal

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

func TestTheStoryLeavesOutWhatClientsDo(t *testing.T) {
	var record, story bytes.Buffer
	h := history.New(&record, history.Header{Origin: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	h.Reading(history.Reading{Of: "broker-1 registration", By: "zk-1", Text: "broker-1 is absent from ZooKeeper (read by zk-1 at 03:04:05.000)"})
	h.Reading(history.Reading{Of: "connect group", By: "the witness", Text: "could not read: no coordinator"})
	h.Reading(history.Reading{Of: "leader of t-0", By: "zk-1", Text: "t-0 is led by broker-1"})
	h.Reading(history.Reading{Of: "controller", By: "zk-1", Text: "no broker is the controller"})
	h.Start(history.Client{Name: "producer-1", Role: history.Producer}).Send(history.Partition{Topic: 1}, 1).Acked(0, 1)
	for range 2 {
		h.Owners(history.Owners{Group: "g", Generation: 3, Owned: map[string][]string{"worker-2": {"sink-1"}, "worker-1": {"sink-0"}}})
	}
	h.Fault(history.Fault{Name: "cut broker-1→zk-1", Step: history.Injected})
	h.Stopped("broker-2", false)
	r, err := history.NewReader(&record)
	if err != nil {
		t.Fatal(err)
	}
	if err := Story(&story, r); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`(?m)^ *[0-9.]+ s `).ReplaceAllString(story.String(), "")
	want := `            began at 03:04:05.000 UTC
broker-1 is absent from ZooKeeper
connect group: could not read: no coordinator
t-0 is led by broker-1
no broker is the controller
tasks of group g in generation 3: worker-1 [sink-0], worker-2 [sink-1]
FAULT injected: cut broker-1→zk-1
broker-2 was stopped
`
	if got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
	if err := Story(&story, mustRead(t, "{\"format\":1}\nnonsense\n{}\n")); err == nil {
		t.Error("a torn history is told to its end")
	}
}

func mustRead(t *testing.T, text string) *history.Reader {
	t.Helper()
	r, err := history.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
