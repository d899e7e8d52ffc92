package assertions

import (
	"strings"
	"testing"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

func TestFlowMatchers(t *testing.T) {
	wanted := []string{"a", "b"}
	tests := map[string]struct {
		matcher types.GomegaMatcher
		reading reading
		finding Finding // zero for a match
		wrong   string
	}{
		"all are there":      {HaveEveryRecord(), state.NewDelivery("sink", wanted, "a\nb\n"), Finding{}, ""},
		"all, one twice":     {HaveEveryRecord(), state.NewDelivery("sink", wanted, "a\nb\nb\n"), Finding{}, ""},
		"one is missing":     {HaveEveryRecord(), state.NewDelivery("sink", wanted, "a\n"), Finding{RecordsFlow, "connector sink"}, "1 of 2"},
		"nothing was asked":  {HaveEveryRecord(), state.NewDelivery("sink", nil, "a\n"), Finding{RecordsFlow, "connector sink"}, "shows nothing"},
		"enough lines":       {HaveDelivered(2), state.NewDelivery("sink", nil, "a\nb\n"), Finding{}, ""},
		"too few lines":      {HaveDelivered(3), state.NewDelivery("sink", nil, "a\nb\n"), Finding{RecordsFlow, "connector sink"}, "2 were"},
		"all are held":       {HoldEveryRecord(), state.NewStored("t", wanted, []string{"b", "a"}), Finding{}, ""},
		"one is lost":        {HoldEveryRecord(), state.NewStored("t", wanted, []string{"b"}), Finding{KeepsAcked, "topic t"}, "1 of 2"},
		"none was acked":     {HoldEveryRecord(), state.NewStored("t", nil, nil), Finding{KeepsAcked, "topic t"}, "shows nothing"},
		"enough acks":        {HaveAcknowledged(7), state.Acknowledged{Topic: "t", Records: 7}, Finding{}, ""},
		"too few acks":       {HaveAcknowledged(7), state.Acknowledged{Topic: "t", Records: 6}, Finding{RecordsFlow, "topic t"}, "6 were"},
		"it is acknowledged": {BeAcked(), state.Produced{Broker: 2, Topic: "t", Acked: true}, Finding{}, ""},
		"it is not": {BeAcked(), state.Produced{Broker: 2, Topic: "t", Refusal: "NOT_LEADER"},
			Finding{ServesProduces, "broker-2"}, "NOT_LEADER"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			matched, err := test.matcher.Match(test.reading)
			if err != nil {
				t.Fatal(err)
			}
			if matched != (test.finding == Finding{}) {
				t.Fatalf("matched = %t", matched)
			}
			if matched {
				return
			}
			message := test.matcher.FailureMessage(test.reading)
			found, ok := ParseFinding(message)
			if !ok || found != test.finding || !strings.Contains(message, test.wrong) {
				t.Errorf("failure %q: want %v and %q", message, test.finding, test.wrong)
			}
		})
	}
}
