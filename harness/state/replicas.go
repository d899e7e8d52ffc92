package state

import (
	"fmt"
	"slices"
	"strings"
)

// Replicas is the cluster as all of its brokers see it.
type Replicas struct {
	Source
	Brokers []int         // that the cluster has
	Views   []BrokerView  // of those that run
	Down    []ProcessView // those that cannot say anything: ended or frozen
}

// Subject names what was read.
func (r Replicas) Subject() string { return "the cluster" }

// Wrong says what is not as it should be, one entry a broker: it is down, does
// not see all others, or sees a partition without a leader or with a replica
// that is not in sync.
func (r Replicas) Wrong() []string {
	var wrong []string
	for _, process := range r.Down {
		wrong = append(wrong, process.String())
	}
	for _, view := range r.Views {
		var faults []string
		if !slices.Equal(view.Live, r.Brokers) {
			faults = append(faults, fmt.Sprintf("brokers %v of %v", view.Live, r.Brokers))
		}
		if leaderless := view.Leaderless(); len(leaderless) > 0 {
			faults = append(faults, some(leaderless, "without leader"))
		}
		if behind := view.UnderReplicated(); len(behind) > 0 {
			faults = append(faults, some(behind, "under-replicated"))
		}
		if len(faults) > 0 {
			wrong = append(wrong, fmt.Sprintf("broker-%d sees %s", view.Broker, strings.Join(faults, ", ")))
		}
	}
	return wrong
}

// Partitions is how many partitions there are, by the broker that knows most.
func (r Replicas) Partitions() int {
	most := 0
	for _, view := range r.Views {
		most = max(most, view.Count())
	}
	return most
}

func (r Replicas) String() string {
	return fmt.Sprintf("%d of %d brokers tell of %d partitions: %s (read %v)",
		len(r.Views), len(r.Brokers), r.Partitions(), said(r.Wrong(), "every replica is in sync"), r.Source)
}
