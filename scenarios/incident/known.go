package incident

import (
	"cmp"
	"fmt"
	"slices"
)

// others are scenarios of the core that are red on a release, always or now and then,
// by a bug that has no incident, or not there; docs/releases.md tells more.
var others = []struct{ Release, Scenario, Bug string }{
	{"0.9.0.0", "A broker that loses ZooKeeper registers again after every expired session, under a black hole", "KAFKA-2960"},
	{"0.9.0.0", "A broker that loses ZooKeeper registers again after every expired session, under a flapping network", "KAFKA-4360"},
	{"0.9.0.0", "A broker that is the controller registers again after a second expired session, with a write in flight when its link dropped", "KAFKA-2960"},
	{"0.9.0.0", "A cluster whose controller is paused past its session has another one, which it obeys once it is thawed", "KAFKA-6051"},
	{"0.9.0.0", "Workers answer writes, and take them, when the leader of their internal topics dies", "KAFKA-3594"},
	{"0.11.0.3", "A cluster whose controller is paused past its session has another one, which it obeys once it is thawed", "KAFKA-6051"},
	{"2.1.0", "A broker that loses ZooKeeper registers again after every expired session, under a flapping network", "incident B"},
}

// Known is the bug of the releases by which a scenario is red, if there is one that is
// known.
func Known(scenario string, releases Releases) (bug string, known bool) {
	for _, one := range all {
		if one.Scenario == scenario && slices.ContainsFunc(one.Affected, releases.same) {
			return fmt.Sprintf("incident %s, see make incidents ID=%s", one.ID, one.ID), true
		}
	}
	for _, one := range others {
		if one.Scenario == scenario && one.Release == releases.Brokers {
			return one.Bug + ", see docs/releases.md", true
		}
	}
	return "", false
}

// same says whether both roles run the same.
func (r Releases) same(other Releases) bool {
	return r.Brokers == other.Brokers && cmp.Or(r.Workers, r.Brokers) == cmp.Or(other.Workers, other.Brokers)
}
