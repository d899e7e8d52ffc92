package workload

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// Summary is what traffic came to, in numbers.
type Summary struct {
	Sent     int64 // records handed to producers, of which the rest are under way
	Acked    int64
	Refused  int64
	Unknown  int64
	Unsure   int64 // requests to produce that were written and not answered, so that the broker may have them
	Lines    int64 // put into the files of sources
	Read     int64 // records that consumers were handed, those of the final read included
	Strange  int64 // of them, what is no value of the run
	Commits  int64 // of transactions
	Aborts   int64 // of transactions
	Restarts int64 // of transactional producers whose client was of no more use
	Stores   int64 // commits of groups' offsets that were acknowledged
	Unstored int64 // and that were not
	Changes  int64 // of topics and configurations that were acknowledged
	Took     time.Duration
	Final    Final
}

// Rate is how many records were acknowledged a second while producers ran.
func (s Summary) Rate() float64 {
	if s.Took <= 0 {
		return 0
	}
	return float64(s.Acked) / s.Took.Seconds()
}

func (s Summary) String() string {
	text := fmt.Sprintf("sent %d in %v: %d acknowledged (%.0f/s), %d refused, %d unknown; read %d",
		s.Sent, s.Took.Round(time.Millisecond), s.Acked, s.Rate(), s.Refused, s.Unknown, s.Read)
	if s.Strange > 0 {
		text += fmt.Sprintf(", %d of them no value of the run", s.Strange)
	}
	if s.Unsure > 0 {
		text += fmt.Sprintf("; %d requests to produce without an answer", s.Unsure)
	}
	if s.Lines > 0 {
		text += fmt.Sprintf("; %d lines for sources", s.Lines)
	}
	if s.Commits+s.Aborts > 0 {
		text += fmt.Sprintf("; %d transactions committed, %d aborted", s.Commits, s.Aborts)
	}
	if s.Stores+s.Unstored > 0 {
		text += fmt.Sprintf("; %d commits of offsets, %d failed", s.Stores, s.Unstored)
	}
	return text + "; " + s.Final.String()
}

// Final is how far the final read came.
type Final struct {
	Complete bool     // every acknowledged record's offset was passed, every line of a source seen, and what was seen is in every sink
	Missing  []string // what was not, a sentence each
	Took     time.Duration
}

func (f *Final) miss(what []string) {
	f.Missing = append(f.Missing, what...)
	f.Complete = len(f.Missing) == 0
}

func (f Final) String() string {
	if f.Complete {
		return fmt.Sprintf("the final read saw all in %v", f.Took.Round(time.Millisecond))
	}
	if len(f.Missing) == 0 {
		return "there was no final read yet"
	}
	return "the final read missed " + strings.Join(f.Missing, ", ")
}

// tally counts while clients run.
type tally struct {
	sent, acked, refused, unknown atomic.Int64
	unsure, lines, read, strange  atomic.Int64
	commits, aborts, restarts     atomic.Int64
	stores, unstored, changes     atomic.Int64
}

func (t *tally) outcome(o history.Outcome) {
	switch o {
	case history.Acked:
		t.acked.Add(1)
	case history.Refused:
		t.refused.Add(1)
	default:
		t.unknown.Add(1)
	}
}

func (t *tally) ended(how kgo.TransactionEndTry) {
	if how == kgo.TryCommit {
		t.commits.Add(1)
	} else {
		t.aborts.Add(1)
	}
}

func (t *tally) stored(o history.Outcome) {
	if o == history.Acked {
		t.stores.Add(1)
	} else {
		t.unstored.Add(1)
	}
}

func (t *tally) summary(took time.Duration) Summary {
	return Summary{Sent: t.sent.Load(), Acked: t.acked.Load(), Refused: t.refused.Load(), Unknown: t.unknown.Load(),
		Unsure: t.unsure.Load(), Lines: t.lines.Load(), Read: t.read.Load(), Strange: t.strange.Load(), Commits: t.commits.Load(), Aborts: t.aborts.Load(), Restarts: t.restarts.Load(),
		Stores: t.stores.Load(), Unstored: t.unstored.Load(), Changes: t.changes.Load(), Took: took}
}

// reached is by partition the offset behind the last one that was acknowledged.
type reached []atomic.Int64

func newReached(partitions int) reached { return make(reached, partitions) }

// raise notes an offset that was acknowledged; -1 is none.
func (r reached) raise(partition int, offset int64) {
	for old := r[partition].Load(); offset >= old; old = r[partition].Load() {
		if r[partition].CompareAndSwap(old, offset+1) {
			return
		}
	}
}
