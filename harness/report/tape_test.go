package report

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

const header = `{"format":1,"run":"r1","origin":"2026-11-30T02:00:00Z","brokers":"3.9.2","workers":"3.9.2"}` + "\n"

// timeline is that of a history of these events.
func timeline(t *testing.T, events ...history.Event) Timeline {
	t.Helper()
	text := []byte(header)
	for _, e := range events {
		var err error
		if text, err = e.AppendJSON(text); err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
	}
	r, err := history.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return Of(r)
}

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func reading(at int, of, text string) history.Event {
	return history.Event{Kind: history.ReadingMark, At: ms(at), Reading: &history.Reading{Of: of, By: "zk-1", Text: text}}
}

func fault(at, number int, name string, step history.Step) history.Event {
	return history.Event{Kind: history.FaultMark, At: ms(at), Fault: &history.Fault{Number: number, Name: name, Step: step}}
}

func topicAndProducer() []history.Event {
	return []history.Event{
		{Kind: history.TopicMark, Topic: &history.Topic{Number: 1, Name: "orders", Partitions: 2, Replicas: 3, MinInSync: 2}},
		{Kind: history.ClientMark, Client: 1, Config: &history.Client{Number: 1, Name: "producer-1", Role: history.Producer, Acks: "all", InFlight: 5}},
	}
}

func send(at, seq, partition int, outcome history.Outcome) history.Event {
	e := history.Event{Kind: history.Send, Outcome: outcome, At: ms(at), Client: 1, Seq: int64(seq), Partition: history.Partition{Topic: 1, Number: partition}}
	if outcome == history.Acked {
		e.Offset, e.Broker = int64(seq), 1
	}
	return e
}

func laneOf(t *testing.T, of Timeline, name string) Lane {
	t.Helper()
	i := slices.IndexFunc(of.Lanes, func(l Lane) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("there is no lane %q in %v", name, names(of))
	}
	return of.Lanes[i]
}

func names(of Timeline) (all []string) {
	for _, lane := range of.Lanes {
		all = append(all, lane.Name)
	}
	return all
}
