package egress

import (
	"encoding/binary"
	"time"
)

// chunk is bytes as they were read, or the end of the stream behind them.
type chunk struct {
	data  []byte
	at    time.Time
	end   bool
	reset bool // the end came as an error, not as FIN
}

// action is what a wire does next.
type action int

const (
	await  action = iota // until something changes
	until                // the step's time, or something changes
	write                // the step's first n bytes
	drop                 // the step's first n bytes
	finish               // pass on the end of the stream
	reset                // the connection, both sides
	hangUp               // close the connection, both sides
)

type step struct {
	do action
	n  int
	at time.Time
}

// progress is how far one stream of one connection has come under the rules.
type progress struct {
	born    uint64            // the connection's age, comparable with a rule's
	gap     bool              // a black hole took something
	free    time.Time         // when the line can take more: rate and slices
	sent    map[uint64]int64  // bytes delivered, per closing
	replies map[uint64]*reply // per swallowing
}

// next is the law of the whole server: what happens to the head of the queue
// (nil when it is empty) under the rules at this moment.
func (p *progress) next(r *rules, head *chunk, now time.Time) step {
	switch {
	case r.blackhole && head == nil:
		return step{do: await}
	case r.blackhole:
		p.gap = true
		return step{do: drop, n: len(head.data)}
	case p.gap, p.spent(r):
		return step{do: hangUp}
	case head == nil, r.hold:
		return step{do: await}
	}
	n := p.portion(r, len(head.data))
	due := p.due(r, head, n)
	switch {
	case now.Before(due):
		return step{do: until, at: due}
	case head.reset:
		return step{do: reset}
	case head.end:
		return step{do: finish}
	}
	if gone := p.swallow(r, head); gone > 0 {
		return step{do: drop, n: gone}
	}
	return step{do: write, n: n, at: due}
}

// due is when n bytes of the head have arrived: their latency after they were
// read, and a slow line needs its time for each byte.
func (p *progress) due(r *rules, head *chunk, n int) time.Time {
	due := head.at.Add(r.latency)
	if r.rate == 0 && r.pause == 0 {
		return due
	}
	if p.free.After(due) {
		due = p.free
	}
	if r.rate > 0 {
		due = due.Add(time.Duration(n) * time.Second / time.Duration(r.rate))
	}
	return due
}

// spent says that a closing has seen its bytes.
func (p *progress) spent(r *rules) bool {
	for _, c := range r.closes {
		if p.sent[c.age] >= c.bytes {
			return true
		}
	}
	return false
}

// portion is how much of n bytes may go at once.
func (p *progress) portion(r *rules, n int) int {
	if r.slice > 0 {
		n = min(n, r.slice)
	}
	if r.rate > 0 { // in 20 ms at this rate, so that a change is felt soon
		n = min(n, max(1, int(r.rate/50)))
	}
	for _, c := range r.closes {
		n = int(min(int64(n), c.bytes-p.sent[c.age]))
	}
	return n
}

// wrote counts n bytes as delivered, and says when the line is free for more:
// from when they were due, not from when a timer woke, unless that is so long
// ago that the line was kept from working.
func (p *progress) wrote(r *rules, n int, due, now time.Time) {
	for _, c := range r.closes {
		if p.sent == nil {
			p.sent = make(map[uint64]int64)
		}
		p.sent[c.age] += int64(n)
	}
	p.free = due
	if now.Sub(due) > 50*time.Millisecond {
		p.free = now
	}
	if r.pause > 0 {
		p.free = now.Add(r.pause)
	}
}

// swallow is how many bytes of the head belong to a first reply that is to
// vanish.
func (p *progress) swallow(r *rules, head *chunk) int {
	for _, s := range r.swallows {
		if s.age > p.born {
			continue
		}
		if p.replies == nil {
			p.replies = make(map[uint64]*reply)
		}
		if p.replies[s.age] == nil {
			p.replies[s.age] = &reply{left: s.Bytes}
		}
		if n := p.replies[s.age].take(&s.SwallowFirst, head); n > 0 {
			return n
		}
	}
	return 0
}

// reply follows the first reply of a connection to its end.
type reply struct {
	over   bool
	left   int64  // bytes still to come, where that is known
	header []byte // of a frame
	last   time.Time
}

func (f *reply) take(how *SwallowFirst, head *chunk) int {
	switch {
	case f.over:
		return 0
	case how.Framed:
		return f.frame(head.data)
	case how.Bytes > 0:
		return f.count(head.data)
	}
	return f.silence(how, head)
}

func (f *reply) count(data []byte) int {
	n := min(f.left, int64(len(data)))
	f.left -= n
	f.over = f.left <= 0
	return int(n)
}

func (f *reply) frame(data []byte) int {
	n := min(4-len(f.header), len(data))
	f.header = append(f.header, data[:n]...)
	if len(f.header) < 4 {
		return n
	}
	if n > 0 {
		f.left = int64(binary.BigEndian.Uint32(f.header))
	}
	return n + f.count(data[n:])
}

func (f *reply) silence(how *SwallowFirst, head *chunk) int {
	quiet := how.Quiet
	if quiet == 0 {
		quiet = defaultQuiet
	}
	if !f.last.IsZero() && head.at.Sub(f.last) >= time.Duration(quiet)*time.Millisecond {
		f.over = true
		return 0
	}
	f.last = head.at
	return len(head.data)
}
