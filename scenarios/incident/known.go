package incident

import (
	"cmp"
	"fmt"
	"slices"

	"kafkachaos/harness/topology"
)

const (
	obeysThawed = "A cluster whose controller is paused past its session has another one, which it obeys once it is thawed"
	twiceInAll  = "A broker that is the controller registers again after a second expired session, with a write in flight when its link dropped"
	underFlaps  = "A broker that loses ZooKeeper registers again after every expired session, under a flapping network"
	topicsLead  = "Workers answer writes, and take them, when the leader of their internal topics dies"
	leaderDies  = "Workers carry on with one less, share with it when it is back, and lose nothing when their leader is killed"
)

// others are scenarios of the core that are red on a release, always or now and then,
// by a bug that has no incident, or not there; docs/releases.md tells more. It is the
// release of that role that has the bug.
var others = []struct {
	Role                   topology.Role
	Release, Scenario, Bug string
}{
	{topology.Broker, "0.9.0.0", "A broker that loses ZooKeeper registers again after every expired session, under a black hole", "KAFKA-2960"},
	{topology.Broker, "0.9.0.0", underFlaps, "KAFKA-4360"},
	{topology.Broker, "0.9.0.0", twiceInAll, "KAFKA-2960"},
	{topology.Broker, "0.9.0.0", obeysThawed, "KAFKA-6051"},
	{topology.Worker, "0.9.0.0", topicsLead, "KAFKA-3594"},
	{topology.Broker, "0.10.2.1", obeysThawed, "KAFKA-6051"},
	{topology.Worker, "0.10.2.1", topicsLead, "KAFKA-7824"},
	{topology.Broker, "0.11.0.3", obeysThawed, "KAFKA-6051"},
	{topology.Broker, "2.1.0", underFlaps, "incident B"},
	{topology.Broker, "2.1.1", underFlaps, "incident B"},
	{topology.Broker, "2.1.1", twiceInAll, "incident B"},
	{topology.Worker, "2.8.2", leaderDies, "KAFKA-12309"},
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
		if one.Scenario == scenario && one.Release == releases.of(one.Role) {
			return one.Bug + ", see docs/releases.md", true
		}
	}
	return "", false
}

// same says whether both roles run the same.
func (r Releases) same(other Releases) bool {
	return r.Brokers == other.Brokers && r.of(topology.Worker) == other.of(topology.Worker)
}

// of is what the role runs.
func (r Releases) of(role topology.Role) string {
	if role == topology.Worker {
		return cmp.Or(r.Workers, r.Brokers)
	}
	return r.Brokers
}
