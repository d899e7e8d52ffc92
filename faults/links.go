package faults

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"kafkachaos/harness/topology"
)

// symptom is what a probe of a faulted link shows.
type symptom int

const (
	silent  symptom = iota // the connection stands, no answer comes
	refused                // no connection is accepted, or it is closed at once
	closed                 // the connection is closed before the answer is whole
	lost                   // no answer comes where one came before, closed or not
	slower                 // the answer takes longer
)

// LinkFault is a fault of links. The methods that change it return a copy.
type LinkFault struct {
	kind    string
	route   Route
	streams []Stream // both if empty
	whole   bool     // it has no direction to choose
	toxic   string   // its type; "" cuts the link
	attrs   map[string]any
	args    map[string]string // as printed, apart from links and stream
	shows   symptom
	mode    string                   // of its claim on the sockets
	delay   func(Echo) time.Duration // of an answer like that one, on one half
	byBytes bool                     // the delay hangs on the length of the answer
	wobble  *wobble                  // nil if the delay stays the same
	problem error
}

// Cut closes the connections that are open and refuses new ones, as if the far
// process had crashed. It is in effect on both halves of the link.
func Cut(links ...topology.Link) LinkFault {
	return LinkFault{kind: "cut", route: Fixed(links...), whole: true, shows: refused, mode: Closed}
}

// Blackhole swallows every byte and keeps the connections, as a cable that is
// pulled. Healing closes the connections that it bit.
func Blackhole(links ...topology.Link) LinkFault {
	return LinkFault{kind: "blackhole", route: Fixed(links...), shows: silent, mode: Closed,
		toxic: "timeout", attrs: map[string]any{"timeout": 0}}
}

// Hold keeps every byte and delivers it on heal; the same connections go on.
func Hold(links ...topology.Link) LinkFault {
	return LinkFault{kind: "hold", route: Fixed(links...), shows: silent, mode: Kept, toxic: "hold"}
}

// Delay lets every byte arrive later by d, on each half of the link.
func Delay(d time.Duration, links ...topology.Link) LinkFault {
	f := LinkFault{kind: "delay", route: Fixed(links...), shows: slower, mode: Shared, toxic: "latency",
		attrs: map[string]any{"latency": d.Milliseconds(), "jitter": 0},
		args:  map[string]string{"by": d.String()},
		delay: func(Echo) time.Duration { return d }}
	if d < time.Millisecond {
		f.problem = fmt.Errorf("by=%v: want 1ms or more", d)
	}
	return f
}

// Bandwidth lets so many kilobytes (1,000 bytes) a second through on each half
// of the link.
func Bandwidth(rate int, links ...topology.Link) LinkFault {
	f := LinkFault{kind: "bandwidth", route: Fixed(links...), shows: slower, byBytes: true, mode: Shared, toxic: "bandwidth",
		attrs: map[string]any{"rate": rate},
		args:  map[string]string{"rate": strconv.Itoa(rate)},
		delay: func(e Echo) time.Duration {
			return time.Duration(e.Bytes) * time.Millisecond / time.Duration(max(rate, 1))
		}}
	if rate < 1 {
		f.problem = fmt.Errorf("rate=%d: want 1 kilobyte a second or more", rate)
	}
	return f
}

// Slice hands the bytes on in pieces of size, with a gap between two pieces.
func Slice(size int, gap time.Duration, links ...topology.Link) LinkFault {
	f := LinkFault{kind: "slice", route: Fixed(links...), shows: slower, byBytes: true, mode: Shared, toxic: "slicer",
		attrs: map[string]any{"average_size": size, "size_variation": 0, "delay": gap.Microseconds()},
		args:  map[string]string{"size": strconv.Itoa(size), "gap": gap.String()},
		delay: func(e Echo) time.Duration { return gap * time.Duration(max(e.Bytes-1, 0)/max(size, 1)) }}
	switch {
	case size < 1:
		f.problem = fmt.Errorf("size=%d: want 1 byte or more", size)
	case gap < time.Microsecond:
		f.problem = fmt.Errorf("gap=%v: want 1µs or more", gap)
	}
	return f
}

// Reset ends the connections that are open, and new ones, with a TCP reset.
func Reset(links ...topology.Link) LinkFault {
	return LinkFault{kind: "reset", route: Fixed(links...), streams: []Stream{Upstream}, whole: true,
		shows: closed, mode: Closed, toxic: "reset"}
}

// CloseAfter closes each connection once so many bytes went through a half of
// it. Where a probe's answer is shorter, the fault is proved by reading that the
// proxy has it.
func CloseAfter(bytes int64, links ...topology.Link) LinkFault {
	f := LinkFault{kind: "close-after", route: Fixed(links...), shows: closed, mode: Closed, toxic: "limit_data",
		attrs: map[string]any{"bytes": bytes},
		args:  map[string]string{"bytes": strconv.FormatInt(bytes, 10)}}
	if bytes < 1 {
		f.problem = fmt.Errorf("bytes=%d: want 1 or more", bytes)
	}
	return f
}

// SwallowFirstReply loses the first reply on each connection and passes on what
// follows: the request was executed, and the client does not know.
func SwallowFirstReply(links ...topology.Link) LinkFault {
	return LinkFault{kind: "swallow-first-reply", route: Fixed(links...), streams: []Stream{Downstream}, whole: true,
		shows: lost, mode: Shared, toxic: "swallow_first"}
}

// Upstream leaves the fault on what the dialling node sends.
func (f LinkFault) Upstream() LinkFault { return f.only(Upstream) }

// Downstream leaves the fault on what the dialling node is answered.
func (f LinkFault) Downstream() LinkFault { return f.only(Downstream) }

func (f LinkFault) only(stream Stream) LinkFault {
	if f.whole {
		f.problem = errors.New("it has no direction to choose")
	}
	f.streams = []Stream{stream}
	return f
}

// On puts the fault on links that are found when it is injected, in place of
// those that it was made with.
func (f LinkFault) On(route Route) LinkFault {
	f.route = route
	return f
}
