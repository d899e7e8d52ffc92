package egress_test

import (
	"net"
	"testing"
	"time"
)

func TestAnIdleProxyCarriesBothWaysAndEnds(t *testing.T) {
	streams(t, func(r *rig, _ string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		from, to := ends(r.connect())
		r.send(from, "there")
		r.receive(to, "there")
		r.send(to, "back")
		r.receive(from, "back")
		from.CloseWrite() // half of the connection: the other goes on
		r.ends(to, false)
		r.send(to, "last words")
		r.receive(from, "last words")
		to.Close()
		r.ends(from, false)
		r.eventually("no connection", func() bool { return r.traffic().Open == 0 })
	})
}

func TestAResetOfOnePeerReachesTheOther(t *testing.T) {
	streams(t, func(r *rig, _ string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		from, to := ends(r.connect())
		from.SetLinger(0)
		from.Close()
		r.ends(to, true)
	})
}

func TestHoldKeepsBytesAndTheEnd(t *testing.T) {
	streams(t, func(r *rig, stream string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		open := r.connect()
		from, to := ends(open)
		r.send(from, "before ")
		r.receive(to, "before ")
		r.add("hold", stream, nil)
		young := r.connect()
		youngFrom, youngTo := ends(young)
		r.send(from, "during ")
		r.send(youngFrom, "young")
		r.quiet(to)
		r.quiet(youngTo)
		r.send(to, "other way")
		r.receive(from, "other way")
		youngFrom.CloseWrite()
		r.quiet(youngTo)
		r.remove("hold")
		r.send(from, "after")
		r.receive(to, "during after")
		r.receive(youngTo, "young")
		r.ends(youngTo, false)
	})
}

func TestBlackholeSwallowsAndClosesWhatItBit(t *testing.T) {
	streams(t, func(r *rig, stream string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		bitten, untouched := r.connect(), r.connect()
		from, to := ends(bitten)
		r.add("timeout", stream, map[string]any{"timeout": 0})
		young, youngTo := ends(r.connect())
		r.send(from, "lost")
		r.send(young, "lost too")
		young.CloseWrite()
		r.quiet(to)
		r.quiet(youngTo)
		r.eventually("12 bytes swallowed", func() bool {
			t := r.traffic()
			return t.Up.Swallowed+t.Down.Swallowed == 12
		})
		r.remove("timeout")
		r.ends(to, false)
		r.ends(from, false)
		r.ends(youngTo, false)
		from, to = ends(untouched)
		r.send(from, "whole")
		r.receive(to, "whole")
	})
}

func TestResetEndsOpenAndNewConnectionsAtOnce(t *testing.T) {
	streams(t, func(r *rig, stream string, _ func(pair) (*net.TCPConn, *net.TCPConn)) {
		idle := r.connect()
		r.add("reset", stream, nil)
		r.ends(idle.client, true)
		r.ends(idle.server, true)
		young, err := net.Dial("tcp", r.address)
		if err == nil {
			r.ends(young, true)
		}
		r.remove("reset")
		healed := r.connect()
		r.send(healed.client, "hello")
		r.receive(healed.server, "hello")
	})
}

func TestLimitDataCountsFromItsAdditionOrTheBeginning(t *testing.T) {
	streams(t, func(r *rig, stream string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		from, to := ends(r.connect())
		r.send(from, "does not count")
		r.receive(to, "does not count")
		r.add("limit_data", stream, map[string]any{"bytes": 7})
		young, youngTo := ends(r.connect())
		r.send(from, "1234")
		r.receive(to, "1234")
		r.send(from, "567890")
		r.receive(to, "567")
		r.ends(to, false)
		r.send(young, "abcdefgh")
		r.receive(youngTo, "abcdefg")
		r.ends(youngTo, false)
		r.remove("limit_data")
		healed, healedTo := ends(r.connect())
		r.send(healed, long(100))
		r.receive(healedTo, long(100))
	})
}

func TestSwallowFirst(t *testing.T) {
	frame := "\x00\x00\x00\x05first"
	for name, one := range map[string]struct {
		attributes map[string]any
		pieces     []string // sent with a silence of 30 ms in between
		want       string
	}{
		"quiet":          {nil, []string{"fir", "st"}, ""},
		"short quiet":    {map[string]any{"quiet": 10}, []string{"first", "second"}, "second"},
		"bytes":          {map[string]any{"bytes": 5}, []string{"fi", "rstsecond"}, "second"},
		"frame":          {map[string]any{"framed": true}, []string{frame + "second"}, "second"},
		"frame in parts": {map[string]any{"framed": true}, []string{frame[:2], frame[2:6], frame[6:], "second"}, "second"},
		"empty frame":    {map[string]any{"framed": true}, []string{"\x00\x00\x00\x00", "second"}, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			old := r.connect()
			r.add("swallow_first", "downstream", one.attributes)
			r.send(old.server, "an open connection is spared")
			r.receive(old.client, "an open connection is spared")
			young := r.connect()
			r.send(young.client, "request")
			r.receive(young.server, "request")
			for i, piece := range one.pieces {
				if i > 0 {
					time.Sleep(30 * time.Millisecond)
				}
				r.send(young.server, piece)
			}
			r.receive(young.client, one.want)
			r.quiet(young.client)
			r.remove("swallow_first")
			r.send(young.server, "healed")
			r.receive(young.client, "healed")
		})
	}
}

func TestLatencyDelaysKeepsOrderAndChangesOnTheFly(t *testing.T) {
	streams(t, func(r *rig, stream string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		from, to := ends(r.connect())
		r.add("latency", stream, map[string]any{"latency": 100})
		began := time.Now()
		r.send(from, "first ")
		r.receive(to, "first ")
		if took := time.Since(began); took < 95*time.Millisecond || took > 100*time.Millisecond+busy {
			r.Errorf("arrived after %v, want 100 ms", took)
		}
		r.must("POST", "/proxies/p/toxics/latency", map[string]any{"attributes": map[string]any{"latency": 60000}})
		r.send(from, "second ")
		r.quiet(to)
		r.must("PATCH", "/proxies/p/toxics/latency", map[string]any{"attributes": map[string]any{"latency": 20}})
		r.send(from, "third ")
		r.receive(to, "second third ")
		r.must("POST", "/proxies/p/toxics/latency", map[string]any{"attributes": map[string]any{"latency": 60000}})
		r.send(from, "fourth ")
		from.CloseWrite()
		r.quiet(to)
		r.remove("latency")
		r.receive(to, "fourth ")
		r.ends(to, false)
	})
}

func TestBandwidthPacesEveryByte(t *testing.T) {
	streams(t, func(r *rig, stream string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		from, to := ends(r.connect())
		for _, one := range []struct{ rate, bytes, wantMs int }{{1, 100, 100}, {100, 20_000, 200}} {
			r.add("bandwidth", stream, map[string]any{"rate": one.rate})
			began := time.Now()
			r.send(from, long(one.bytes))
			r.receive(to, long(one.bytes))
			took, want := time.Since(began), time.Duration(one.wantMs)*time.Millisecond
			if took < want*9/10 || took > want+busy {
				r.Errorf("%d bytes at %d kB/s took %v, want %v", one.bytes, one.rate, took, want)
			}
			r.remove("bandwidth")
		}
		r.send(from, long(1<<20))
		r.receive(to, long(1<<20))
	})
}

func TestSlicerHandsOnPieces(t *testing.T) {
	streams(t, func(r *rig, stream string, ends func(pair) (*net.TCPConn, *net.TCPConn)) {
		from, to := ends(r.connect())
		r.add("slicer", stream, map[string]any{"average_size": 4, "size_variation": 0, "delay": 20_000})
		began := time.Now()
		r.send(from, "0123456789")
		to.SetReadDeadline(time.Now().Add(patience))
		buffer := make([]byte, 100)
		for _, want := range []string{"0123", "4567", "89"} {
			if n, err := to.Read(buffer); err != nil || string(buffer[:n]) != want {
				r.Fatalf("read %q (%v), want %q", buffer[:n], err, want)
			}
		}
		if took := time.Since(began); took < 40*time.Millisecond {
			r.Errorf("three pieces came within %v, want 20 ms between them", took)
		}
		r.remove("slicer")
		r.send(from, long(1000))
		r.receive(to, long(1000))
	})
}

func TestDisableClosesAndRefuses(t *testing.T) {
	r := start(t)
	open := r.connect()
	r.must("POST", "/proxies/p", map[string]any{"enabled": false})
	r.ends(open.client, false)
	r.ends(open.server, false)
	if conn, err := net.Dial("tcp", r.address); err == nil {
		conn.Close()
		t.Error("a disabled proxy accepted a connection")
	}
	r.must("POST", "/proxies/p", map[string]any{"enabled": true})
	healed := r.connect()
	r.send(healed.client, "hello")
	r.receive(healed.server, "hello")
}
