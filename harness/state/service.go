package state

import (
	"fmt"
	"strings"
	"time"
)

// ControllerService is how far the controller got with a probe: a topic that
// was made for this question, with replicas on every broker that was registered
// then. A controller in name only elects no leader for it.
type ControllerService struct {
	Source
	Controller ControllerView // who ZooKeeper has
	Topic      string         // the probe
	Partitions int            // that it was made with
	Waited     time.Duration  // since it was made
	Views      []BrokerView   // the cluster as each of those brokers sees it
}

// Subject names what was read.
func (s ControllerService) Subject() string { return "the controller" }

// Unserved says what the brokers still miss of the probe, one entry a broker: a
// leader that they take for alive, for every partition.
func (s ControllerService) Unserved() []string {
	var missing []string
	for _, view := range s.Views {
		led := 0
		for n := range s.Partitions {
			if p, known := view.Partition(s.Topic, n); known && !view.lacksLeader(p) {
				led++
			}
		}
		if led < s.Partitions {
			missing = append(missing, fmt.Sprintf("broker-%d sees a leader for %d of %d partitions", view.Broker, led, s.Partitions))
		}
	}
	return missing
}

// Rivals are the brokers that take another one for the controller than ZooKeeper
// does. Brokers before 0.10.0.0 do not say whom.
func (s ControllerService) Rivals() []string {
	const unknown = -1
	var rivals []string
	for _, view := range s.Views {
		if view.Controller != unknown && view.Controller != s.Controller.Broker {
			rivals = append(rivals, fmt.Sprintf("broker-%d takes broker-%d for the controller", view.Broker, view.Controller))
		}
	}
	return rivals
}

func (s ControllerService) String() string {
	served := "every broker sees a leader for each of its partitions"
	if missing := s.Unserved(); len(missing) > 0 {
		served = strings.Join(missing, ", ")
	}
	return fmt.Sprintf("topic %s, made %.1f s before: %s; %v; %s (read %v)",
		s.Topic, s.Waited.Seconds(), served, s.Controller, said(s.Rivals(), "no broker knows another one"), s.Source)
}

func said(parts []string, otherwise string) string {
	if len(parts) == 0 {
		return otherwise
	}
	return strings.Join(parts, ", ")
}
