package workload

import (
	"maps"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

func TestTopicsComeAndGo(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, Producer{Rate: 10}, Administrator{Seed: 1, Every: 100 * time.Millisecond})
		time.Sleep(5 * time.Second)
		if summary := stop(t, traffic); summary.Changes < 50 {
			t.Errorf("%d changes", summary.Changes)
		}
		done := map[string]int{}
		for _, e := range b.events(t, history.Admin) {
			if e.Outcome == history.Acked {
				done[e.Change.What]++
			} else if e.Outcome != history.Begun {
				t.Errorf("%+v of %+v", e, e.Change)
			}
		}
		if done["create topic"] < 10 || done["create topic"] != done[history.DeleteTopic] || done["configure topic"] < 10 {
			t.Errorf("done: %v", done)
		}
		if topics := b.topics(t); len(topics) != 1 {
			t.Errorf("topics %v are left", topics)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}

// topics asks the cluster for its topics.
func (b *bubble) topics(t *testing.T) (names []string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.target.Brokers...), kgo.Dialer(b.target.Dial))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	response, err := kmsg.NewPtrMetadataRequest().RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range response.Topics {
		names = append(names, *topic.Topic)
	}
	return names
}

func TestWhatBecameOfAChange(t *testing.T) {
	answer := func(code int16) func(*bubble) {
		return func(b *bubble) {
			b.ControlKey(int16(kmsg.CreateTopics), func(request kmsg.Request) (kmsg.Response, error, bool) {
				response := request.ResponseKind().(*kmsg.CreateTopicsResponse)
				one := kmsg.NewCreateTopicsResponseTopic()
				one.Topic, one.ErrorCode = request.(*kmsg.CreateTopicsRequest).Topics[0].Topic, code
				response.Topics = append(response.Topics, one)
				return response, nil, true
			})
		}
	}
	for name, test := range map[string]struct {
		fault func(*bubble)
		want  history.Outcome
	}{
		"no fault":                   {func(*bubble) {}, history.Acked},
		"refused by policy":          {answer(kerr.PolicyViolation.Code), history.Refused},
		"timed out in the broker":    {answer(kerr.RequestTimedOut.Code), history.Unknown},
		"silence after it was given": {func(b *bubble) { b.network.set(false, true) }, history.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				traffic := b.start(t, Administrator{Every: time.Minute}, Patience{Final: time.Second})
				time.Sleep(59 * time.Second)
				test.fault(b)
				time.Sleep(2 * changeBound)
				b.network.set(false, false)
				stop(t, traffic)
				changes := b.events(t, history.Admin)
				if len(changes) < 2 || changes[1].Outcome != test.want {
					t.Errorf("changes %+v", changes)
				}
			})
		})
	}
}

func TestAdministratorsOfOldReleasesSayWhatTheyLeaveOut(t *testing.T) {
	for release, want := range map[string]map[string]bool{"0.10.0.1": {}, "0.10.2.0": {"create topic": true, history.DeleteTopic: true}} {
		inBubble(t, func(t *testing.T, b *bubble) {
			b.target.Version = topology.MustVersion(release)
			traffic := b.start(t, Administrator{Every: 100 * time.Millisecond})
			time.Sleep(5 * time.Second)
			stop(t, traffic)
			done := map[string]bool{}
			for _, e := range b.events(t, history.Admin) {
				done[e.Change.What] = true
			}
			if !maps.Equal(done, want) {
				t.Errorf("%s: did %v, want %v", release, done, want)
			}
			if said := b.events(t, history.ReadingMark); len(said) != 1 {
				t.Errorf("%s: said %+v", release, said)
			}
		})
	}
}
