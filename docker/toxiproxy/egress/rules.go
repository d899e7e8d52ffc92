package egress

import (
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// rules is what the toxics on one stream of a proxy come to. It is never
// changed, only replaced. The order of toxics makes no difference: what
// swallows goes before what keeps, that before what delays, latencies add up,
// the lowest rate and the smallest slice count.
type rules struct {
	none      bool // there are no toxics
	blackhole bool
	hold      bool
	latency   time.Duration
	rate      int64 // bytes a second, 0 for no limit
	slice     int   // bytes, 0 for no limit
	pause     time.Duration
	closes    []closing
	swallows  []swallowing
}

// closing and swallowing are rules with a progress of their own on each
// connection; age orders them among each other and among the connections.
type closing struct {
	age   uint64
	bytes int64
}

type swallowing struct {
	age uint64
	SwallowFirst
}

// keeps says whether bytes stay in the proxy on purpose, so that they need room.
func (r *rules) keeps() bool { return r.hold || r.latency > 0 }

// add counts one toxic in. Its attributes are copied: they may change later.
func (r *rules) add(toxic toxics.Toxic, age uint64) {
	r.none = false
	switch t := toxic.(type) {
	case *toxics.TimeoutToxic:
		r.blackhole = true
	case *Hold:
		r.hold = true
	case *toxics.LimitDataToxic:
		r.closes = append(r.closes, closing{age, t.Bytes})
	case *SwallowFirst:
		r.swallows = append(r.swallows, swallowing{age, *t})
	case *toxics.LatencyToxic:
		r.latency += time.Duration(t.Latency) * time.Millisecond
	case *toxics.BandwidthToxic:
		if rate := t.Rate * 1000; r.rate == 0 || rate < r.rate {
			r.rate = rate
		}
	case *toxics.SlicerToxic:
		if r.slice == 0 || t.AverageSize < r.slice {
			r.slice = t.AverageSize
		}
		r.pause = max(r.pause, time.Duration(t.Delay)*time.Microsecond)
	}
}

// merge makes the rules of one stream from a proxy's toxics; age tells when the
// toxic of a name was added. The second result says whether connections are to
// be reset, which a toxic on either stream does.
func merge(all []toxics.Toxic, dir stream.Direction, age func(name string) uint64) (*rules, bool) {
	merged, reset := &rules{none: true}, false
	for _, one := range all {
		wrapper := one.(*toxics.ToxicWrapper)
		if _, is := wrapper.Toxic.(*Reset); is {
			reset = true
		}
		if wrapper.Direction == dir {
			merged.add(wrapper.Toxic, age(wrapper.Name))
		}
	}
	return merged, reset
}
