package workload

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// quiet is how long the final read looks for more once it has seen all that was
// acknowledged.
const quiet = 500 * time.Millisecond

// lookAgain is how often the final read asks who leads. A broker that was deposed
// and did not hear of it goes on to serve what it has, without an error (seen on
// 2.1.0 after KAFKA-7235); 5 minutes by default.
const lookAgain = 2 * time.Second

const mostFinal = 10_000 // records of one poll

// finalRead reads the topic from its start over connections of its own on the
// witness plane: until it is past every acknowledged record and has what else is
// awaited, or the bound or ctx is over. It reads committed records only if there
// were transactions, for then nothing else was promised.
func (t *Traffic) finalRead(ctx context.Context) (Final, error) {
	begun := time.Now()
	c := Consumer{Name: "final-" + t.topic.Name, Committed: t.transactional}
	options := append(t.target.options(c.Name, t.target.Witness), c.options()...)
	options = append(options, kgo.MetadataMaxAge(lookAgain))
	kafka, err := newClient(c.Name, append(options, kgo.ConsumePartitions(t.wholeTopic()), kgo.KeepControlRecords())...)
	if err != nil {
		return Final{Missing: []string{"everything"}}, err
	}
	defer kafka.Close()
	config := c.config()
	config.Final = true
	r := t.newReader(config, kafka)
	if len(t.sources)+len(t.sinks) > 0 {
		t.seen, t.lanes = stamps{}, make([]Lane, t.topic.Partitions)
		r.onto = t.see
	}
	r.assignAll()
	within, cancel := context.WithTimeout(ctx, t.patience.Final)
	defer cancel()
	final := t.readAll(within, r)
	final.Took = time.Since(begun)
	r.actor.Stopped(final.Complete)
	return final, nil
}

// readAll reads until nothing that was acknowledged is missing, and then up to
// where the partitions end at that time: what is unknown may stand there. It
// waits some quiet for partitions of which it has not heard yet.
func (t *Traffic) readAll(ctx context.Context, r *reader) Final {
	var goal []int64
	var since time.Time
	for done := false; !done && ctx.Err() == nil; {
		within, cancel := context.WithTimeout(ctx, quiet)
		r.poll(within, mostFinal)
		cancel()
		switch {
		case len(t.missing(r)) > 0:
		case goal == nil:
			goal, since = slices.Clone(r.ends), time.Now()
		default:
			done = time.Since(since) >= quiet && r.past(goal)
		}
	}
	for number, next := range r.next {
		r.actor.Passed(r.partition(number), next)
	}
	missing := t.missing(r)
	if len(missing) == 0 && !r.past(goal) {
		missing = append(missing, "the ends of partitions")
	}
	return Final{Complete: len(missing) == 0, Missing: missing}
}

// missing says what the final read has not seen yet.
func (t *Traffic) missing(r *reader) []string {
	var missing []string
	for number := range r.next {
		if want := t.reached[number].Load(); r.next[number] < want {
			missing = append(missing, fmt.Sprintf("%s/%d from %d to %d", t.topic.Name, number, r.next[number], want-1))
		}
	}
	for _, source := range t.sources {
		if lacks := source.lacks(t.seen); lacks > 0 {
			missing = append(missing, fmt.Sprintf("%d lines of source %s", lacks, source.Name))
		}
	}
	return missing
}

// past says that the reader is past all these offsets.
func (r *reader) past(offsets []int64) bool {
	for number, offset := range offsets {
		if r.next[number] < offset {
			return false
		}
	}
	return true
}

// see notes what the final read saw.
func (t *Traffic) see(partition int, stamp Stamp) {
	t.seen.add(stamp)
	if len(t.sinks) > 0 {
		t.places.found(stamp, partition)
	}
	t.lanes[partition] = append(t.lanes[partition], stamp)
}
