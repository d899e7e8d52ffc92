package history

import (
	"time"
)

// Kind says what an event is about.
type Kind string

// The operations. Each but Poll and Sink has a line when it begins, with the
// outcome Begun, and one when it returned; Seq or Op join the two.
const (
	Send   Kind = "send"   // a record to Partition, or a line to a source's file
	Poll   Kind = "poll"   // records that a consumer was handed, in this order
	Sink   Kind = "sink"   // lines found in a sink's file; their offsets are line numbers
	Begin  Kind = "begin"  // a transaction, Txn; it has no outcome
	Commit Kind = "commit" // of the transaction Txn
	Abort  Kind = "abort"  // of the transaction Txn
	Store  Kind = "store"  // a group's offsets, in Positions, are committed
	Admin  Kind = "admin"  // a topic or a configuration is changed, see Change
)

// The marks, and what they carry.
const (
	TopicMark    Kind = "topic"    // a topic as it is configured from now on: Topic
	ClientMark   Kind = "client"   // a client starts: Config
	StopMark     Kind = "stop"     // a client stopped, or a node was: Stop
	TermsMark    Kind = "terms"    // what the run is to be judged by: Terms
	FaultMark    Kind = "fault"    // a fault took a step: Fault
	ReadingMark  Kind = "reading"  // something was read: Reading
	AssignMark   Kind = "assign"   // the client reads Partition from Offset on, -1 if it does not know
	RevokeMark   Kind = "revoke"   // the client does not read Partition any more
	PositionMark Kind = "position" // the client is past everything before Offset of Partition
	OwnersMark   Kind = "owners"   // who runs what in a group's generation: Owners
	DiskMark     Kind = "disk"     // what a broker's log segment holds at an offset: Disk
	EndMark      Kind = "end"      // the run came to its planned end
)

// Outcome is what an operation came to.
type Outcome string

// The outcomes. A poll is acked, or refused if it brought an error.
const (
	Begun   Outcome = ""        // nothing is known yet
	Acked   Outcome = "acked"   // it happened
	Refused Outcome = "refused" // it certainly did not happen
	Unknown Outcome = "unknown" // it may have happened
)

// Partition is one partition of a topic, by the number of the topic in this
// history. Number is -1 for one that the client leaves to its partitioner.
type Partition struct {
	Topic  int
	Number int
}

// Record is one record as a consumer saw it. Client and Seq are what its value
// said of the send; Client is 0 if the value said nothing that could be read.
type Record struct {
	Partition Partition
	Offset    int64
	Client    int
	Seq       int64
}

// Position is an offset in a partition.
type Position struct {
	Partition Partition
	Offset    int64
}

// Records is what one poll brought.
type Records []Record

// Positions are the offsets that a group commits.
type Positions []Position

// Event is one line of a history. Kind says which of the fields count; numbers
// that do not are 0. Offset and Broker are -1 where there is none.
type Event struct {
	Kind      Kind          `json:"k"`
	Outcome   Outcome       `json:"x,omitempty"`
	At        time.Duration `json:"t"`           // since the origin
	Took      time.Duration `json:"d,omitempty"` // of a poll
	Op        int64         `json:"op,omitempty"`
	Client    int           `json:"c,omitempty"`
	Seq       int64         `json:"s,omitempty"`
	Partition Partition     `json:"p,omitzero"`
	Offset    int64         `json:"o,omitempty"`
	Broker    int           `json:"b,omitempty"` // that led, as the client knew when it was acknowledged
	Txn       int64         `json:"tx,omitempty"`
	Records   Records       `json:"r,omitempty"`
	Positions Positions     `json:"pos,omitempty"`
	Why       string        `json:"why,omitempty"` // the error of what did not succeed

	Topic   *Topic   `json:"topic,omitempty"`
	Config  *Client  `json:"client,omitempty"`
	Stop    *Stop    `json:"stop,omitempty"`
	Terms   *Terms   `json:"terms,omitempty"`
	Fault   *Fault   `json:"fault,omitempty"`
	Reading *Reading `json:"reading,omitempty"`
	Owners  *Owners  `json:"owners,omitempty"`
	Disk    *Disk    `json:"disk,omitempty"`
	Change  *Change  `json:"change,omitempty"`
}
