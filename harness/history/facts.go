package history

import "time"

// Header is the first line of a history.
type Header struct {
	Format  int       `json:"format"` // set when written
	Run     string    `json:"run"`
	Origin  time.Time `json:"origin"`            // by the wall clock; only to be read by people
	Brokers string    `json:"brokers,omitempty"` // the Kafka release of the brokers
	Workers string    `json:"workers,omitempty"` // and of the Connect workers
	Command string    `json:"command,omitempty"` // that makes such a run again
}

// Topic is a topic and what its configuration promises. Given again with the
// same number it was changed.
type Topic struct {
	Number     int    `json:"n"` // in this history, from 1 in order of appearance
	Name       string `json:"name"`
	Partitions int    `json:"partitions"`
	Replicas   int    `json:"replicas,omitempty"`
	MinInSync  int    `json:"min_insync,omitempty"` // min.insync.replicas
	Unclean    bool   `json:"unclean,omitempty"`    // unclean.leader.election.enable
}

// Role is what a client does.
type Role string

// The roles.
const (
	Producer      Role = "producer"
	Consumer      Role = "consumer"
	Source        Role = "source" // a file that a Connect source reads; sends are its lines
	SinkFile      Role = "sink"   // a file that a Connect sink writes
	Administrator Role = "admin"
)

// Client is a client and what its configuration promises.
type Client struct {
	Number int    `json:"n"` // in this history, from 1 in order of appearance
	Name   string `json:"name"`
	Role   Role   `json:"role"`

	// Of producers, and of the source's producer in its worker.
	Acks          string `json:"acks,omitempty"` // "all", "1" or "0"
	Idempotent    bool   `json:"idempotent,omitempty"`
	InFlight      int    `json:"in_flight,omitempty"` // requests to one broker at once
	Transactional bool   `json:"transactional,omitempty"`

	// Of consumers.
	Group     string `json:"group,omitempty"`     // empty if it reads by assignment
	Committed bool   `json:"committed,omitempty"` // isolation.level=read_committed
	Final     bool   `json:"final,omitempty"`     // its reading comes last and is complete

	// Of what a Connect source or sink does.
	Topics      []int `json:"topics,omitempty"`       // that a sink delivers, or a source writes to
	ExactlyOnce bool  `json:"exactly_once,omitempty"` // it promises that nothing is there twice
}

// Stop says that a client or a node was stopped.
type Stop struct {
	Node  string `json:"node,omitempty"` // such as broker-1; empty for the client of the event
	Clean bool   `json:"clean,omitempty"`
}

// Terms are what a run is to be judged by. The last ones given count, for the
// whole run.
type Terms struct {
	// Demand names laws that shall hold even where no configuration promises them.
	Demand []string `json:"demand,omitempty"`
	// The least traffic for a verdict: records acknowledged before each fault,
	// sends tried during each that leaves the cluster available or lasts a second
	// or more, records acknowledged after each.
	Before int `json:"before,omitempty"`
	During int `json:"during,omitempty"`
	After  int `json:"after,omitempty"`
	// Ownerless is how long a task may be without an owner; 0 for no bound.
	Ownerless time.Duration `json:"ownerless,omitempty"`
	// Tasks are those that shall run from then on, such as "sink-0", by group;
	// without them it is all that ever had an owner.
	Tasks map[string][]string `json:"tasks,omitempty"`
}

// Step is a step in the life of a fault.
type Step string

// The steps of a fault.
const (
	Intended    Step = "intended"    // it is about to be injected
	Injected    Step = "injected"    // it was brought about, for all that is known
	InEffect    Step = "in effect"   // it was seen to be there, or to have been
	NoEffect    Step = "no effect"   // it could not be seen to be there
	Healed      Step = "healed"      // it was taken back
	Recovered   Step = "recovered"   // the scenario has read that the system is whole again
	Unrecovered Step = "unrecovered" // the scenario has waited for that up to now, and read that it is not: see Why
)

// Fault says that a fault took a step, and before that with which intention.
type Fault struct {
	Number int    `json:"n"` // in this history, from 1 in order of appearance
	Name   string `json:"name"`
	Step   Step   `json:"step"`

	// With Intended. Instant is a fault that is over as soon as it is injected, such
	// as a kill; it is healed by itself.
	Instant bool `json:"instant,omitempty"`
	// Part: of another fault, such as one off of a flapping, which answers for it: that
	// one is proved when it was seen often enough, and may end it before it was seen.
	Part bool `json:"part,omitempty"`
	// Available: the configuration promises progress while it lasts.
	Available bool `json:"available,omitempty"`
	// Severs: nothing that clients send gets through while it lasts. What does has
	// taken another way, and the run says nothing of the fault.
	Severs bool `json:"severs,omitempty"`
	// Budget bounds the longest time between acknowledgements on any partition,
	// from injected until the first one after the heal; 0 for no bound.
	Budget time.Duration `json:"budget,omitempty"`
	// Recovery bounds the time from healed to the first acknowledgement on every
	// partition, and to Recovered if that is marked, or how long the scenario waited
	// for it in vain; 0 for no bound.
	Recovery time.Duration `json:"recovery,omitempty"`

	// With Unrecovered: what was read instead.
	Why string `json:"why,omitempty"`
}

// Reading is a reading as text, for those who look into a history.
type Reading struct {
	Of   string `json:"of"`
	By   string `json:"by"`
	Text string `json:"text"`
}

// Owners says who owned what in a group at one moment, by readings that were
// made while the group was stable. What could not be read is no reading.
type Owners struct {
	Group      string              `json:"group"`
	Generation int                 `json:"generation"`
	Owned      map[string][]string `json:"owned"` // tasks or partitions by member
}

// Disk says whether a broker's log segment holds the record of Client and Seq
// at an offset.
type Disk struct {
	Broker    int       `json:"broker"`
	Partition Partition `json:"p"`
	Offset    int64     `json:"o"`
	Client    int       `json:"c"`
	Seq       int64     `json:"s"`
	Held      bool      `json:"held"`
}

// Change is what an administrative operation changes.
type Change struct {
	What  string `json:"what"`            // such as "delete topic"
	Topic int    `json:"topic,omitempty"` // that it is done to
	Text  string `json:"text,omitempty"`
}

// DeleteTopic is the change after which nothing in a topic is promised.
const DeleteTopic = "delete topic"
