package invariant

import (
	"fmt"
	"slices"
)

// Law is an invariant.
type Law uint8

// The laws, in the order of reports; see Laws for what they demand.
const (
	// About records in the log.
	Lost Law = iota
	Unseen
	Duplicate
	Moved
	Conflict
	Phantom
	Reordered
	Refused
	Aborted
	// About consumers and their groups.
	Backwards
	Skipped
	CommitBackwards
	// About Connect.
	SourceGap
	SinkGap
	SinkDuplicate
	SinkReordered
	TwoOwners
	NoOwner
	// About time.
	NoProgress
	Unavailable
	SlowRecovery

	lawCount = int(SlowRecovery) + 1
)

// Statement says what a law demands, and what promises it.
type Statement struct {
	Law        Law
	Name       string
	Demands    string
	PromisedBy string
}

var statements = [lawCount]Statement{
	{Lost, "lost", "a record that was acknowledged is there for everyone who reads past its offset, and still there in the final read",
		"acks=all without unclean leader election; where brokers stop uncleanly also min.insync.replicas ≥ 2 and Kafka ≥ 0.11.0.0 " +
			"(KIP-101); acks=1 only without any fault"},
	{Unseen, "never seen", "every acknowledged record, and every line of a source, was seen when the final read was over",
		"what promises that it is not lost; of lines Connect's at-least-once"},
	{Duplicate, "duplicate", "a record that was sent once stands at one offset only", "idempotence (Kafka ≥ 0.11.0.0) without unclean leader election"},
	{Moved, "value at two offsets", "a record stands at the offset that was acknowledged", "what promises that it is not lost"},
	{Conflict, "offset conflict", "at one offset everyone finds the same record, the one that was acknowledged there",
		"no unclean leader election; where brokers stop uncleanly also Kafka ≥ 0.11.0.0 (KIP-101); for acks=1 also no fault"},
	{Phantom, "phantom", "what is read was sent before", "every configuration"},
	{Reordered, "reordered", "the records of one producer stand in a partition in the order in which they were sent",
		"idempotence with up to five requests in flight (Kafka ≥ 1.0.0), or for what was acknowledged one in flight; without unclean leader election"},
	{Refused, "refused yet visible", "a record that was refused for certain is not there", "every configuration"},
	{Aborted, "aborted yet visible", "no reader of committed records sees one of a transaction that was not committed", "transactions (Kafka ≥ 0.11.0.0)"},
	{Backwards, "read going backwards", "within an assignment a consumer gets each partition's records by rising offsets", "no unclean leader election"},
	{Skipped, "read skipping", "within an assignment, and within a group up to what it committed, no record that others see is left out",
		"no unclean leader election"},
	{CommitBackwards, "committed offset going backwards", "a group's committed offset never goes back, not for commits nor for who starts from it",
		"groups, by the fencing of generations"},
	{SourceGap, "gap in a source", "no line of a source is missing on the topic before one that is there", "Connect's at-least-once"},
	{SinkGap, "gap in a sink", "no record that is on the topic is missing in the sink", "Connect's at-least-once"},
	{SinkDuplicate, "duplicate in a sink", "no record is in the sink twice that stands on the topic once", "a sink that is exactly-once; others only without any fault"},
	{SinkReordered, "reordered in a sink", "the records of a producer come to the sink for the first time in the order of their partition", "every configuration"},
	{TwoOwners, "task with two owners", "in a stable generation nothing is owned by two members", "groups"},
	{NoOwner, "task without owner", "no task is without an owner for longer than the bound", "the bound in the terms"},
	{NoProgress, "no progress", "records are acknowledged during a fault that leaves the cluster available", "faults marked available"},
	{Unavailable, "unavailable", "no partition waits longer for an acknowledgement than the fault's budget", "the budget of the fault"},
	{SlowRecovery, "slow recovery", "after a heal every partition acknowledges again within the fault's bound, and where a scenario waits for it all is whole", "the bound of the fault"},
}

// Laws are all laws with what they demand, in the order of reports.
func Laws() []Statement { return slices.Clone(statements[:]) }

func (l Law) String() string { return statements[l].Name }

// MarshalText writes the name.
func (l Law) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name.
func (l *Law) UnmarshalText(name []byte) (err error) {
	*l, err = ParseLaw(string(name))
	return err
}

// ParseLaw finds a law by its name.
func ParseLaw(name string) (Law, error) {
	for _, s := range statements {
		if s.Name == name {
			return s.Law, nil
		}
	}
	return 0, fmt.Errorf("parse law %q: there is none of that name", name)
}
