package invariant

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

// ErrInconsistent says that a history contradicts itself, such as by an
// acknowledgement of what was never sent. It was not written by package history.
var ErrInconsistent = errors.New("the history contradicts itself")

// Judge takes the events of one history, one after the other, and says in the
// end what they amount to.
type Judge struct {
	header     history.Header
	version    topology.Version
	clients    []*client
	topics     []*topic
	partitions []*partition // by index
	files      *partition   // stands for the files of all sources
	groups     map[string]*group
	txns       []txn
	storing    map[int64][]int64 // what was committed when a store began, by its operation
	terms      history.Terms
	demanded   [lawCount]bool
	owned      map[string]*ownership // by group
	faults     faults
	disk       map[history.Record][]history.Disk
	onDisks    int

	now      time.Duration
	ended    bool
	torn     bool
	count    counts
	unclean  int                  // brokers that were stopped uncleanly
	crashed  int                  // other nodes and clients that were
	strange  map[history.Kind]int // events of kinds that are not known
	finds    finds
	unread   int        // acknowledged records in partitions that were not read finally
	unreadIn *partition // one of those
	unsought []*client  // sources whose topics were not
	checked  tallies
}

// counts are what the report says of the traffic.
type counts struct {
	sends, acked, refused, polls, reads, others int
}

// New is a judge for a history with that header.
func New(header history.Header) (*Judge, error) {
	j := &Judge{header: header, groups: map[string]*group{}, storing: map[int64][]int64{}, owned: map[string]*ownership{},
		disk: map[history.Record][]history.Disk{}, strange: map[history.Kind]int{}}
	j.files = j.partition(&topic{Topic: history.Topic{Name: "files"}}, -1)
	if header.Brokers != "" {
		var err error
		if j.version, err = topology.ParseVersion(header.Brokers); err != nil {
			return nil, fmt.Errorf("judge run %s: %w", header.Run, err)
		}
	}
	return j, nil
}

// JudgeHistory judges the whole history that a reader has before it.
func JudgeHistory(r *history.Reader) (Report, error) {
	j, err := New(r.Header)
	if err != nil {
		return Report{}, err
	}
	return j.all(r)
}

func (j *Judge) all(r *history.Reader) (Report, error) {
	line := 1 // the header
	for e, err := range r.Events() {
		if err != nil {
			return Report{}, err
		}
		line++
		if err := j.take(e); err != nil {
			return Report{}, fmt.Errorf("judge line %d: %w", line, err)
		}
	}
	j.torn = r.Torn()
	return j.Report(), nil
}

// Take takes the next event, of which nothing is kept. After an error the
// history cannot be judged.
func (j *Judge) Take(e *history.Event) error {
	if err := e.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrInconsistent, err)
	}
	return j.take(e)
}

func (j *Judge) take(e *history.Event) error {
	if e.At < j.now {
		return fmt.Errorf("%w: from %v to %v", history.ErrClock, j.now, e.At)
	}
	j.now = e.At
	switch e.Kind {
	case history.Send:
		return j.send(e)
	case history.Poll:
		return j.poll(e)
	case history.Sink:
		return j.sink(e)
	case history.Begin, history.Commit, history.Abort:
		return j.transaction(e)
	case history.Store:
		return j.store(e)
	case history.AssignMark, history.RevokeMark, history.PositionMark:
		return j.move(e)
	}
	j.count.others++
	return j.mark(e)
}

// mark takes what is neither send nor read.
func (j *Judge) mark(e *history.Event) error {
	switch e.Kind {
	case history.TopicMark:
		return j.topic(*e.Topic)
	case history.ClientMark:
		return j.client(*e.Config)
	case history.StopMark:
		j.stopped(e.Stop)
	case history.TermsMark:
		return j.setTerms(*e.Terms)
	case history.FaultMark:
		return j.fault(e.At, *e.Fault)
	case history.OwnersMark:
		j.owners(e.At, e.Owners)
	case history.DiskMark:
		j.onDisk(*e.Disk)
	case history.Admin:
		return j.change(e.Change)
	case history.EndMark:
		j.ended = true
	case history.ReadingMark:
	default:
		j.unknown(e.Kind)
	}
	return nil
}

func (j *Judge) stopped(s *history.Stop) {
	switch {
	case s.Clean:
	case strings.HasPrefix(s.Node, "broker"):
		j.unclean++
	default:
		j.crashed++
	}
}

// mostDisk and mostStrange bound what is remembered of logs on disk, and of
// kinds that are not known.
const (
	mostDisk    = 10_000
	mostStrange = 20
)

func (j *Judge) onDisk(d history.Disk) {
	of := history.Record{Partition: d.Partition, Offset: d.Offset, Client: d.Client, Seq: d.Seq}
	if j.onDisks++; j.onDisks <= mostDisk {
		j.disk[of] = append(j.disk[of], d)
	}
}

func (j *Judge) unknown(kind history.Kind) {
	if len(j.strange) == mostStrange && j.strange[kind] == 0 {
		kind = "any other"
	}
	j.strange[kind]++
}

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrInconsistent}, args...)...)
}
