package report

import (
	"fmt"
	"time"

	"kafkachaos/harness/history"
)

// shortestGap is the shortest time without an acknowledgement that is drawn.
const shortestGap = time.Second

// mostGaps are drawn on a lane.
const mostGaps = 100

// flow follows sends to their outcome. What is outstanding is kept, and no more.
type flow struct {
	begun      map[sent]time.Duration
	partitions map[history.Partition]*stream
	byClient   map[at]*stream
	longest    Wait
}

type sent struct {
	client int
	seq    int64
}

type at struct {
	client    int
	partition history.Partition
}

// stream is how acknowledgements follow each other on a partition. Somebody waits
// since the first send after the last acknowledgement.
type stream struct {
	waits   bool
	since   time.Duration // the last acknowledgement, or the first send
	lastTry time.Duration
}

func newFlow() flow {
	return flow{begun: map[sent]time.Duration{}, partitions: map[history.Partition]*stream{}, byClient: map[at]*stream{}}
}

func (f *flow) streams(client int, p history.Partition) (all, own *stream) {
	all, own = f.partitions[p], f.byClient[at{client, p}]
	if all == nil {
		all = &stream{}
		f.partitions[p] = all
	}
	if own == nil {
		own = &stream{}
		f.byClient[at{client, p}] = own
	}
	return all, own
}

func (s *stream) try(at time.Duration) {
	s.lastTry = max(s.lastTry, at)
	if !s.waits {
		s.waits, s.since = true, at
	}
}

// ack returns since when it was waited for.
func (s *stream) ack(at, begun time.Duration) (since time.Duration) {
	if !s.waits {
		s.since = begun
	}
	since = s.since
	s.waits, s.since = s.lastTry > begun, at // others may still be on their way
	return since
}

func (f *flow) waiting(p history.Partition) time.Duration {
	if s := f.partitions[p]; s != nil && s.waits {
		return s.since
	}
	return -1
}

// forget drops what a client that stopped has not heard of.
func (f *flow) forget(client int) {
	for s := range f.begun {
		if s.client == client {
			delete(f.begun, s)
		}
	}
}

func (c *collector) send(e *history.Event) {
	id := sent{e.Client, e.Seq}
	if e.Outcome == history.Begun {
		c.flow.begun[id] = e.At
		if e.Partition.Number >= 0 {
			all, own := c.flow.streams(e.Client, e.Partition)
			all.try(e.At)
			own.try(e.At)
		}
		return
	}
	begun, known := c.flow.begun[id]
	delete(c.flow.begun, id)
	if !known {
		begun = e.At
	}
	lane := c.clients[e.Client]
	if lane == nil {
		return
	}
	second := lane.second(e.At)
	if e.Outcome != history.Acked {
		second.Failed++
		return
	}
	c.t.Acked++
	second.Acked++
	second.total += e.At - begun
	second.Latency = max(second.Latency, e.At-begun)
	c.acked(lane, e, begun)
}

func (c *collector) acked(lane *Lane, e *history.Event, begun time.Duration) {
	c.ackedAfterHeal(e.At, e.Partition)
	all, own := c.flow.streams(e.Client, e.Partition)
	c.flow.longest.atLeast(e.At-all.ack(e.At, begun), c.partition(e.Partition))
	c.gap(lane, own.ack(e.At, begun), e.At, e.Partition, "")
}

// gap draws a time without an acknowledgement, if it is long enough to be seen.
func (c *collector) gap(lane *Lane, from, to time.Duration, p history.Partition, end string) {
	if to-from < shortestGap || len(lane.Gaps) >= mostGaps {
		return
	}
	text := fmt.Sprintf("no acknowledgement on %s for %v%s", c.partition(p), Seconds(to-from), end)
	c.tell(from, lane.Name, "%s", text)
	label := "no acks " + Seconds(to-from).String()
	lane.Gaps = append(lane.Gaps, Span{From: from, To: to, Level: Gone, Label: label, Text: text})
}

// endGaps ends the gaps that no acknowledgement ended, with the last try.
func (c *collector) endGaps() {
	for of, s := range c.flow.byClient {
		if lane := c.clients[of.client]; lane != nil && s.waits {
			c.gap(lane, s.since, s.lastTry, of.partition, ", and none came any more")
		}
	}
	for p, s := range c.flow.partitions {
		if s.waits {
			c.flow.longest.atLeast(s.lastTry-s.since, c.partition(p))
		}
	}
}

func (c *collector) partition(p history.Partition) string {
	name := c.topics[p.Topic]
	if name == "" {
		name = "files"
	}
	return fmt.Sprintf("%s-%d", name, max(0, p.Number))
}

// read counts what a reader was handed.
func (c *collector) read(e *history.Event) {
	lane := c.clients[e.Client]
	if lane == nil {
		return
	}
	if e.Outcome == history.Refused {
		lane.second(e.At).Failed++
		c.tell(e.At, lane.Name, "%s: %s", e.Kind, e.Why)
		return
	}
	if len(e.Records) > 0 {
		lane.second(e.At).Acked += len(e.Records)
	}
}

// second is that of the time.
func (l *Lane) second(at time.Duration) *Second {
	n := int(at / time.Second)
	for len(l.Rate) <= n {
		l.Rate = append(l.Rate, Second{})
	}
	return &l.Rate[n]
}
