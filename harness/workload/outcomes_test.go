package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// failures are the events of sends that failed, of one outcome.
func (b *bubble) failures(t *testing.T, outcome history.Outcome) (list []history.Event) {
	for _, e := range b.events(t, history.Send) {
		if e.Outcome == outcome {
			list = append(list, e)
		}
	}
	return list
}

// answerProduce has the cluster answer the next request to produce so, after a
// while in which it does nothing else, and write nothing.
func answerProduce(cluster *kfake.Cluster, failure *kerr.Error, after time.Duration) {
	cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		time.Sleep(after)
		response := request.ResponseKind().(*kmsg.ProduceResponse)
		for _, topic := range request.(*kmsg.ProduceRequest).Topics {
			told := kmsg.NewProduceResponseTopic()
			told.Topic, told.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				one := kmsg.NewProduceResponseTopicPartition()
				one.Partition, one.ErrorCode = p.Partition, failure.Code
				told.Partitions = append(told.Partitions, one)
			}
			response.Topics = append(response.Topics, told)
		}
		return response, nil, true
	})
}

func TestWhatIsRefusedForCertainIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		answerProduce(b.Cluster, kerr.MessageTooLarge, 0)
		traffic := b.start(t, Producer{Rate: 1})
		time.Sleep(5 * time.Second)
		stop(t, traffic)
		if refused := b.failures(t, history.Refused); len(refused) != 1 || !strings.Contains(refused[0].Why, "MESSAGE_TOO_LARGE") {
			t.Errorf("refused %+v", refused)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}

// TestWhatMayHaveBeenWrittenIsUnknown: the same refusal says nothing of records
// that are in flight behind it, nor of ones that were tried before.
func TestWhatMayHaveBeenWrittenIsUnknown(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, Producer{Kind: AcksAll, Rate: 1000})
		time.Sleep(time.Second)
		answerProduce(b.Cluster, kerr.MessageTooLarge, 100*time.Millisecond)
		time.Sleep(time.Second)
		if summary := stop(t, traffic); summary.Unknown == 0 {
			t.Errorf("summary %v", summary)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}

func TestWhatWasNeverWrittenIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.network.set(true, false)
		traffic := b.start(t, Producer{Kind: AcksAll, Rate: 10, Timeout: 5 * time.Second})
		time.Sleep(8 * time.Second)
		b.network.set(false, false)
		time.Sleep(5 * time.Second)
		summary := stop(t, traffic)
		if summary.Refused == 0 || summary.Unknown > 0 || summary.Acked == 0 {
			t.Errorf("summary %v", summary)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}

// TestABrokerThatLiesIsFound: it acknowledges a batch that it does not write.
func TestABrokerThatLiesIsFound(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t, Producer{Kind: AcksAll, Rate: 20}, Patience{Final: 5 * time.Second})
		time.Sleep(5 * time.Second)
		none := *kerr.UnknownServerError
		none.Code = 0
		answerProduce(b.Cluster, &none, 0)
		time.Sleep(5 * time.Second)
		stop(t, traffic)
		report := b.judge(t)
		if report.Verdict != invariant.Fail || !strings.Contains(report.String(), "lost") {
			t.Errorf("%v", report)
		}
	})
}
