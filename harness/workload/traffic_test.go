package workload

import (
	"testing"
	"time"

	"kafkachaos/assertions/invariant"
)

func TestTrafficOfEveryKindPasses(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		traffic := b.start(t,
			Producer{Rate: 40}, Producer{Kind: AcksAll, Rate: 40, Requests: 1}, Producer{Kind: AcksLeader, Rate: 40, Requests: 1},
			Producer{Kind: Transactional, Rate: 40, Seed: 1, Most: 20},
			Consumer{}, Consumer{Committed: true}, Consumer{Group: "g"}, Consumer{Group: "g"})
		time.Sleep(5 * time.Second)
		summary := stop(t, traffic)
		if summary.Acked < 700 || summary.Acked != summary.Sent || !summary.Final.Complete {
			t.Errorf("too little: %v", summary)
		}
		if summary.Commits == 0 || summary.Aborts == 0 || summary.Stores == 0 || summary.Unstored != 0 {
			t.Errorf("too few: %v", summary)
		}
		if report := b.judge(t); report.Verdict != invariant.Pass {
			t.Errorf("%v", report)
		}
	})
}
