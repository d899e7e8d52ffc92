package assertions

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

// The assertions on records, by the names that findings have.
const (
	RecordsFlow    = "records flow"
	ServesProduces = "serves produces"
	KeepsAcked     = "acknowledged records kept"
)

// HaveEveryRecord holds for a sink connector that has delivered each record that
// was asked for, once or several times: Connect promises at least once.
func HaveEveryRecord() types.GomegaMatcher {
	return on(RecordsFlow, "every record to be delivered", func(d state.Delivery) string {
		switch {
		case d.Wanted == 0:
			return "no record was asked for, which shows nothing"
		case len(d.Missing) > 0:
			return fmt.Sprintf("%d of %d are missing", len(d.Missing), d.Wanted)
		}
		return ""
	})
}

// HaveDelivered holds for a sink connector whose files have so many lines or more,
// the same record counted as often as it was delivered.
func HaveDelivered(lines int) types.GomegaMatcher {
	return on(RecordsFlow, fmt.Sprintf("%d records to be delivered", lines), func(d state.Delivery) string {
		if d.Delivered < lines {
			return fmt.Sprintf("%d were", d.Delivered)
		}
		return ""
	})
}

// HaveAcknowledged holds for clients of whose records so many or more were
// acknowledged.
func HaveAcknowledged(records int64) types.GomegaMatcher {
	return on(RecordsFlow, fmt.Sprintf("%d records to be acknowledged", records), func(a state.Acknowledged) string {
		if a.Records < records {
			return fmt.Sprintf("%d were", a.Records)
		}
		return ""
	})
}

// BeAcked holds for a record that was acknowledged by all replicas in sync, and
// so for a broker that serves its partition.
func BeAcked() types.GomegaMatcher {
	return on(ServesProduces, "a record to be acknowledged", func(p state.Produced) string {
		if !p.Acked {
			return "it was not: " + p.Refusal
		}
		return ""
	})
}

// HoldEveryRecord holds for a topic in which each of the records is, once or
// several times: those that were acknowledged must be there.
func HoldEveryRecord() types.GomegaMatcher {
	return on(KeepsAcked, "every acknowledged record to be there", func(s state.Stored) string {
		switch {
		case s.Wanted == 0:
			return "no record was acknowledged, which shows nothing"
		case len(s.Missing) > 0:
			return fmt.Sprintf("%d of %d are missing", len(s.Missing), s.Wanted)
		}
		return ""
	})
}
