package workload

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// TestMembersSayWhatTheyOwn: every assignment and generation is in the history,
// and what a member was given is taken away again in the end.
func TestMembersSayWhatTheyOwn(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		first := b.start(t, Producer{Rate: 50}, Consumer{Group: "g"})
		time.Sleep(5 * time.Second)
		second := b.start(t, Consumer{Name: "late", Group: "g"})
		time.Sleep(20 * time.Second)
		b.RehashCoordinators()
		time.Sleep(10 * time.Second)
		stop(t, second)
		time.Sleep(5 * time.Second)
		if summary := stop(t, first); summary.Stores == 0 {
			t.Errorf("summary %v", summary)
		}
		b.checkMembers(t)
	})
}

// checkMembers judges two members, of which one came late.
func (b *bubble) checkMembers(t *testing.T) {
	t.Helper()
	said := b.events(t, history.ReadingMark)
	if len(said) < 3 || !strings.Contains(said[0].Reading.Text, "of group g was given partitions [0 1 2] in generation 1") {
		t.Errorf("said %d things, first %+v", len(said), said[0].Reading)
	}
	if revoked := b.events(t, history.RevokeMark); len(revoked) < 3 {
		t.Errorf("revoked %+v", revoked)
	}
	if report := b.judge(t); report.Verdict != invariant.Pass {
		t.Errorf("%v", report)
	}
}

// TestCooperativeMembersReadOnThroughARebalance: by the real clock, for kgo holds
// a lock while it joins, at which the clock of a bubble stands still.
func TestCooperativeMembersReadOnThroughARebalance(t *testing.T) {
	t.Parallel()
	b := &bubble{}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	b.target = Target{Run: "r", Brokers: cluster.ListenAddrs(), Dial: new(net.Dialer).DialContext}
	b.history = history.New(&b.text, history.Header{Run: "r"})
	first := b.start(t, Producer{Rate: 50}, Consumer{Group: "g", Cooperative: true})
	wait := func(what string, so func() bool) {
		for deadline := time.Now().Add(20 * time.Second); !so(); {
			if time.Now().After(deadline) {
				t.Fatal("waited 20 s until " + what)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	wait("the first member has read", func() bool { return first.Summary().Stores > 0 })
	second := b.start(t, Consumer{Name: "late", Group: "g", Cooperative: true})
	wait("the late one has, too", func() bool { return second.Summary().Stores > 0 })
	stop(t, second)
	stop(t, first)
	b.checkMembers(t)
}

// TestACommitThatAnotherGenerationRefuses is a refused one.
func TestACommitThatAnotherGenerationRefuses(t *testing.T) {
	for code, want := range map[*kerr.Error]history.Outcome{kerr.IllegalGeneration: history.Refused, kerr.UnknownServerError: history.Unknown} {
		inBubble(t, func(t *testing.T, b *bubble) {
			b.ControlKey(int16(kmsg.OffsetCommit), func(request kmsg.Request) (kmsg.Response, error, bool) {
				response := request.ResponseKind().(*kmsg.OffsetCommitResponse)
				for _, topic := range request.(*kmsg.OffsetCommitRequest).Topics {
					told := kmsg.NewOffsetCommitResponseTopic()
					told.Topic, told.TopicID = topic.Topic, topic.TopicID
					for _, p := range topic.Partitions {
						one := kmsg.NewOffsetCommitResponseTopicPartition()
						one.Partition, one.ErrorCode = p.Partition, code.Code
						told.Partitions = append(told.Partitions, one)
					}
					response.Topics = append(response.Topics, told)
				}
				return response, nil, true
			})
			traffic := b.start(t, Producer{Rate: 10}, Consumer{Group: "g"})
			time.Sleep(5 * time.Second)
			stop(t, traffic)
			counts := map[history.Outcome]int{}
			for _, e := range b.events(t, history.Store) {
				counts[e.Outcome]++
			}
			if counts[want] != 1 || counts[history.Acked] == 0 {
				t.Errorf("%v: commits %v", code, counts)
			}
		})
	}
}

func TestCommitsThatSucceedInPartAreUnknown(t *testing.T) {
	partly := kmsg.NewPtrOffsetCommitResponse()
	partly.Topics = []kmsg.OffsetCommitResponseTopic{{Partitions: []kmsg.OffsetCommitResponseTopicPartition{{}, {ErrorCode: kerr.IllegalGeneration.Code}}}}
	var w wire
	if outcome := w.ofOrder(w.now(), commitError(partly, 2)); outcome != history.Unknown {
		t.Errorf("it is %s", outcome)
	}
	if outcome := w.ofOrder(w.now(), commitError(nil, 2)); outcome != history.Acked {
		t.Errorf("without an answer it is %s", outcome)
	}
}

// TestForeignAndChangedValuesAreSeen: both are phantoms.
func TestForeignAndChangedValuesAreSeen(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, Producer{Rate: 10})
		time.Sleep(time.Second)
		client, err := kgo.NewClient(kgo.SeedBrokers(b.target.Brokers...), kgo.Dialer(b.target.Dial))
		if err != nil {
			t.Fatal(err)
		}
		changed := AppendValue(nil, "r", 1, 3, 0)
		changed[4]++
		for _, value := range [][]byte{[]byte("probe"), changed} {
			if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Value: value}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
		if summary := stop(t, traffic); summary.Strange != 2 {
			t.Errorf("summary %v", summary)
		}
		if report := b.judge(t); report.Verdict != invariant.Fail || !strings.Contains(report.String(), "phantom") {
			t.Errorf("%v", report)
		}
	})
}

// TestAReaderThatIsPutBackIsAssignedAnew: that its records are gone is told by
// what it reads, not by where.
func TestAReaderThatIsPutBackIsAssignedAnew(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.history.Topic(orders)
		traffic := &Traffic{target: b.target, topic: orders, history: b.history}
		traffic.topic.Number = 1
		r := traffic.newReader(history.Client{Name: "c", Role: history.Consumer}, nil)
		r.failed(time.Now(), &kgo.ErrDataLoss{Topic: "orders", Partition: 2, ConsumedTo: 9, ResetTo: 4})
		r.failed(time.Now(), errors.Join(context.DeadlineExceeded))
		assigned := b.events(t, history.AssignMark)
		if len(assigned) != 1 || assigned[0].Offset != 4 || assigned[0].Partition.Number != 2 || r.next[2] != 4 {
			t.Errorf("assigned %+v", assigned)
		}
		if polls := b.events(t, history.Poll); len(polls) != 2 {
			t.Errorf("polls %+v", polls)
		}
	})
}
