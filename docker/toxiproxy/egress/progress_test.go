package egress

import (
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }

func TestTheHeadOfTheQueue(t *testing.T) {
	bytes := &chunk{data: make([]byte, 1000), at: began}
	fin := &chunk{at: began, end: true}
	rst := &chunk{at: began, end: true, reset: true}
	latency := rules{latency: 100 * time.Millisecond}
	closes := rules{closes: []closing{{age: 1, bytes: 10}}}
	for name, one := range map[string]struct {
		rules rules
		p     progress
		head  *chunk
		now   int
		want  step
	}{
		"nothing to do":              {rules{}, progress{}, nil, 0, step{do: await}},
		"bytes pass":                 {rules{}, progress{}, bytes, 0, step{write, 1000, began}},
		"FIN passes":                 {rules{}, progress{}, fin, 0, step{do: finish}},
		"RST passes":                 {rules{}, progress{}, rst, 0, step{do: reset}},
		"held":                       {rules{hold: true}, progress{}, bytes, 9e6, step{do: await}},
		"held end":                   {rules{hold: true}, progress{}, rst, 9e6, step{do: await}},
		"a black hole swallows":      {rules{blackhole: true}, progress{}, bytes, 0, step{do: drop, n: 1000}},
		"a black hole swallows ends": {rules{blackhole: true}, progress{}, fin, 0, step{do: drop}},
		"a black hole under a hold":  {rules{blackhole: true, hold: true}, progress{}, bytes, 0, step{do: drop, n: 1000}},
		"nothing for the black hole": {rules{blackhole: true}, progress{}, nil, 0, step{do: await}},
		"a gap closes":               {rules{}, progress{gap: true}, nil, 0, step{do: hangUp}},
		"a gap under a hold closes":  {rules{hold: true}, progress{gap: true}, bytes, 0, step{do: hangUp}},
		"too early":                  {latency, progress{}, bytes, 99, step{do: until, at: after(100)}},
		"in time":                    {latency, progress{}, bytes, 100, step{write, 1000, after(100)}},
		"an end is late too":         {latency, progress{}, fin, 99, step{do: until, at: after(100)}},
		"a portion takes its time":   {rules{rate: 1000}, progress{}, bytes, 0, step{do: until, at: after(20)}},
		"a portion":                  {rules{rate: 1000}, progress{}, bytes, 20, step{write, 20, after(20)}},
		"a busy line":                {rules{rate: 1000}, progress{free: after(50)}, bytes, 60, step{do: until, at: after(70)}},
		"a line no longer slow":      {rules{}, progress{free: after(50)}, bytes, 0, step{write, 1000, began}},
		"a slow and late line":       {rules{rate: 1000, latency: latency.latency}, progress{}, bytes, 100, step{do: until, at: after(120)}},
		"a slice":                    {rules{slice: 7, pause: time.Second}, progress{}, bytes, 0, step{write, 7, began}},
		"between slices":             {rules{slice: 7, pause: time.Second}, progress{free: after(9)}, bytes, 0, step{do: until, at: after(9)}},
		"as much as is left":         {closes, progress{sent: map[uint64]int64{1: 4}}, bytes, 0, step{write, 6, began}},
		"nothing is left":            {closes, progress{sent: map[uint64]int64{1: 10}}, nil, 0, step{do: hangUp}},
		"swallowed":                  {rules{swallows: []swallowing{{1, SwallowFirst{Bytes: 5}}}}, progress{born: 2}, bytes, 0, step{do: drop, n: 5}},
		"older than its swallowing":  {rules{swallows: []swallowing{{3, SwallowFirst{Bytes: 5}}}}, progress{born: 2}, bytes, 0, step{write, 1000, began}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := one.p.next(&one.rules, one.head, after(one.now)); got != one.want {
				t.Errorf("got %+v, want %+v", got, one.want)
			}
		})
	}
}

func TestASlowLineKeepsItsRateAndSavesNothingUp(t *testing.T) {
	r, p := &rules{rate: 1000}, progress{}
	head := &chunk{data: make([]byte, 100), at: began}
	now := began
	for _, wakes := range []int{21, 40, 63, 80} { // timers are late, bytes are not
		s := p.next(r, head, after(wakes))
		if s.do != write || s.n != 20 {
			t.Fatalf("after %d ms: %+v, want 20 bytes", wakes, s)
		}
		p.wrote(r, s.n, s.at, after(wakes))
		head.data = head.data[s.n:]
		now = s.at
	}
	if now != after(80) {
		t.Errorf("80 bytes were due after %v, want 80 ms", now.Sub(began))
	}
	s := p.next(r, head, after(1000)) // the reader was slow
	p.wrote(r, s.n, s.at, after(1000))
	if next := p.next(r, head, after(1000)); next.do != until || next.at != after(1020) {
		t.Errorf("after a second's rest: %+v, want to wait until 1.02 s", next)
	}
}

func TestToxicsMergeByStream(t *testing.T) {
	wrap := func(toxic toxics.Toxic, dir stream.Direction) toxics.Toxic {
		return &toxics.ToxicWrapper{Toxic: toxic, Direction: dir, Name: "n"}
	}
	all := []toxics.Toxic{
		wrap(&toxics.LatencyToxic{Latency: 5}, stream.Upstream),
		wrap(&toxics.LatencyToxic{Latency: 7}, stream.Upstream),
		wrap(&toxics.LatencyToxic{Latency: 100}, stream.Downstream),
		wrap(&toxics.BandwidthToxic{Rate: 9}, stream.Upstream),
		wrap(&toxics.BandwidthToxic{Rate: 3}, stream.Upstream),
		wrap(&toxics.BandwidthToxic{Rate: 4}, stream.Upstream),
		wrap(&toxics.SlicerToxic{AverageSize: 10, Delay: 3}, stream.Upstream),
		wrap(&toxics.SlicerToxic{AverageSize: 20, Delay: 9}, stream.Upstream),
		wrap(&Reset{}, stream.Downstream),
		wrap(&toxics.LimitDataToxic{Bytes: 6}, stream.Upstream),
	}
	r, reset := merge(all, stream.Upstream, func(string) uint64 { return 42 })
	if r.latency != 12*time.Millisecond || r.rate != 3000 || r.slice != 10 || r.pause != 9*time.Microsecond ||
		len(r.closes) != 1 || r.closes[0] != (closing{42, 6}) || r.hold || r.blackhole || !reset {
		t.Errorf("merged %+v, reset %v", r, reset)
	}
}
