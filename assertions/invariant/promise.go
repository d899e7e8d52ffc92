package invariant

import (
	"fmt"
	"strings"

	"kafkachaos/harness/history"
)

// Promise says whether a law is promised for one kind of traffic, and by which
// configuration, or by which not.
type Promise struct {
	Holds bool
	By    string
}

func promised(by ...string) Promise { return Promise{true, strings.Join(by, ", ")} }

func unpromised(why ...string) Promise { return Promise{false, strings.Join(why, ", ")} }

// promise finds what the configuration says of a kind of violation.
func (j *Judge) promise(k key) Promise {
	if k.topic > 0 && j.topics[k.topic-1].deleted {
		return unpromised("topic " + j.topics[k.topic-1].Name + ", which was deleted")
	}
	if j.demanded[k.law] {
		return promised("demanded by the terms")
	}
	if law := recordPromises[k.law]; law != nil {
		if k.client == 0 {
			return unpromised("the record known first at the offset was not of this run")
		}
		return law(j, j.clients[k.client-1], j.topicOf(k.topic))
	}
	switch k.law {
	case Skipped, Backwards:
		return j.cleanElections(j.topicOf(k.topic))
	case SinkDuplicate:
		return j.sinkDuplicates(j.clients[k.client-1])
	}
	return promised(statements[k.law].PromisedBy)
}

// recordPromises are those that hang on the producer and the topic. Both may
// be read in full sentences in Laws.
var recordPromises = [lawCount]func(*Judge, *client, *history.Topic) Promise{
	Lost:      (*Judge).durable,
	Moved:     (*Judge).durable,
	Unseen:    (*Judge).arrives,
	Duplicate: (*Judge).unique,
	Conflict:  (*Judge).agreed,
	Reordered: (*Judge).ordered,
	Aborted:   (*Judge).atomic,
}

func (j *Judge) topicOf(number int) *history.Topic {
	if number == 0 {
		return nil // the file of a source
	}
	return &j.topics[number-1].Topic
}

// faulted says that something was done to the system.
func (j *Judge) faulted() bool { return len(j.faults.list)+j.unclean+j.crashed > 0 }

// since says that the brokers are of a release or later, or of one unknown.
func (j *Judge) since(release string) bool { return j.version.IsZero() || j.version.AtLeast(release) }

func (j *Judge) durable(c *client, t *history.Topic) Promise {
	acks := "acks=" + c.Acks
	if c.Acks != "all" {
		if c.Acks == "1" && !j.faulted() {
			return promised(acks, "no fault")
		}
		return unpromised(acks)
	}
	elections := j.cleanElections(t)
	if !elections.Holds {
		return elections
	}
	if j.unclean == 0 {
		return promised(acks, elections.By)
	}
	inSync := fmt.Sprintf("min.insync.replicas=%d of %d", t.MinInSync, t.Replicas)
	switch {
	case t.MinInSync < 2:
		return unpromised(inSync, "a broker stopped uncleanly")
	case !j.since("0.11.0.0"):
		return unpromised("Kafka " + j.header.Brokers + " may cut acknowledged records off after an unclean stop (KIP-101)")
	}
	return promised(acks, inSync, elections.By)
}

func (j *Judge) cleanElections(t *history.Topic) Promise {
	if t.Unclean {
		return unpromised("unclean.leader.election.enable=true")
	}
	return promised("unclean.leader.election.enable=false")
}

func (j *Judge) arrives(c *client, t *history.Topic) Promise {
	if t == nil {
		return promised("Connect's at-least-once")
	}
	return j.durable(c, t)
}

func (j *Judge) agreed(c *client, t *history.Topic) Promise {
	elections := j.cleanElections(t)
	switch {
	case !elections.Holds:
		return elections
	case c.Acks != "all" && j.faulted():
		return unpromised("acks=" + c.Acks)
	case j.unclean > 0 && !j.since("0.11.0.0"):
		return unpromised("replicas of Kafka " + j.header.Brokers + " may differ after an unclean stop (KIP-101)")
	}
	return elections
}

func (j *Judge) unique(c *client, t *history.Topic) Promise {
	if c.Role == history.Source {
		if c.ExactlyOnce {
			return promised("exactly-once source")
		}
		return unpromised("a source at least once")
	}
	return j.idempotent(c, t)
}

func (j *Judge) idempotent(c *client, t *history.Topic) Promise {
	switch {
	case !c.Idempotent:
		return unpromised("enable.idempotence=false")
	case !j.since("0.11.0.0"):
		return unpromised("no idempotence in Kafka " + j.header.Brokers)
	case t.Unclean:
		return j.cleanElections(t)
	}
	return promised("enable.idempotence=true", j.cleanElections(t).By)
}

func (j *Judge) ordered(c *client, t *history.Topic) Promise {
	inFlight := fmt.Sprintf("max.in.flight.requests.per.connection=%d", c.InFlight)
	switch {
	case t.Unclean:
		return j.cleanElections(t)
	case c.InFlight == 1:
		return promised(inFlight)
	case !c.Idempotent || c.InFlight > 5 || c.InFlight < 1 || !j.since("1.0.0"):
		return unpromised(inFlight, fmt.Sprintf("enable.idempotence=%t", c.Idempotent))
	}
	return promised("enable.idempotence=true", inFlight)
}

func (j *Judge) atomic(c *client, _ *history.Topic) Promise {
	if !c.Transactional || !j.since("0.11.0.0") {
		return unpromised("no transactions")
	}
	return promised("transactions", "isolation.level=read_committed")
}

func (j *Judge) sinkDuplicates(c *client) Promise {
	switch {
	case c.ExactlyOnce:
		return promised("exactly-once sink")
	case !j.faulted():
		return promised("no fault")
	}
	return unpromised("a sink at least once")
}
