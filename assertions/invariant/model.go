package invariant

import (
	"fmt"
	"math"
	"time"

	"kafkachaos/harness/history"
)

// mark is a set of what is known of a send or a place.
type mark uint16

// What is known of a send.
const (
	begun         mark = 1 << iota
	acked              // at partition and offset
	refused            // for certain
	unknown            // may have happened
	seen               // by a consumer, first at readIn and readAt
	seenFinal          // by one of the final read
	seenCommitted      // by one that reads committed records only
	twice              // seen at another place too
	apart              // seen in another partition too
	displaced          // another record was found at its place
)

// What is known of a place in a partition.
const (
	placeAcked mark = 1 << iota
	placeRead
	placeReadFinal
	placeReadCommitted
	placeSkippedFinal // by one of the final read
	placeHeld         = placeAcked | placeRead
)

// sent is a send. The record that came of it carries its client and number.
type sent struct {
	at        time.Duration // of the acknowledgement, and before that of the begin
	offset    int64         // that was acknowledged, -1 for none
	readAt    int64
	partition int32 // by its index: that of the send
	readIn    int32
	txn       int32
	broker    int16
	marks     mark
}

// place is an offset of a partition and the record in it, by its client and
// sequence.
type place struct {
	seq     int64
	client  uint16
	skipper uint16 // the first client that read past it without seeing anything
	marks   mark
}

// mostClients is how many clients a place can tell apart.
const mostClients = math.MaxUint16

// client is a client, what it sent, and where it reads.
type client struct {
	history.Client
	sends     paged[sent]
	furthest  int64 // sequence that was seen on the topic
	positions []position
	group     *group
	found     map[int]*delivery // of a sink, by producer
	finally   bool              // of a source: the topics that it writes to were read in the end
}

// position is where a consumer is in a partition.
type position struct {
	next  int64
	known bool
	reads int
}

// delivery is what a sink has of one producer.
type delivery struct {
	order paged[int32] // by sequence: when it came first, from 1; negative if it came again
	count int32
}

// group is a group of consumers.
type group struct {
	delivered []int64 // by partition, the offset up to which its members read
	stored    []int64 // the highest offset that was committed for certain, or 0
}

type topic struct {
	history.Topic
	partitions []*partition
	undecided  *partition // stands for sends that leave the partition to the client
	deleted    bool
}

// partition is a partition: its places, and how its producers fare.
type partition struct {
	index  int
	topic  *topic
	number int
	places paged[place]
	final  bool // the final read is about it, too
	wide   []hole
	missed int // holes that were too many to remember

	flow
}

func (p *partition) String() string {
	if p.number < 0 {
		return p.topic.Name
	}
	return fmt.Sprintf("%s/%d", p.topic.Name, p.number)
}

// hole is a stretch of offsets that a client read past, too long to be noted at
// each place.
type hole struct {
	from, to int64
	client   uint16
	final    bool
}

func at[T any](list *[]T, index int) *T {
	for len(*list) <= index {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[index]
}

func (c *client) position(p *partition) *position { return at(&c.positions, p.index) }

func (c *client) String() string { return c.Name }
