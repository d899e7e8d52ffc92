package egress_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"net"
	"syscall"
	"testing"
	"time"
)

// flow writes seeded random bytes to one end until told to stop, and hashes
// what comes out at the other, so that both hashes are equal only if no byte was
// lost, doubled, changed or moved.
type flow struct {
	sent, got hash.Hash
	n         int64
	done      chan error
}

func (r *rig) flow(ctx context.Context, from, to *net.TCPConn, seed uint64, pause time.Duration) *flow {
	f := &flow{sent: sha256.New(), got: sha256.New(), done: make(chan error, 2)}
	from.SetDeadline(time.Time{})
	to.SetDeadline(time.Time{})
	go func() {
		source := rand.NewChaCha8([32]byte{byte(seed)})
		random := rand.New(source)
		defer from.CloseWrite()
		for ctx.Err() == nil {
			block := make([]byte, 1+random.IntN(16<<10))
			source.Read(block)
			f.sent.Write(block)
			if _, err := from.Write(block); err != nil {
				f.done <- fmt.Errorf("write: %w", err)
				return
			}
			time.Sleep(pause)
		}
		f.done <- nil
	}()
	go func() {
		var err error
		f.n, err = io.Copy(f.got, to)
		f.done <- err
	}()
	return f
}

// whole wants both ends to finish and every byte to have come through.
func (f *flow) whole(t *testing.T, what string) {
	t.Helper()
	for range 2 {
		select {
		case err := <-f.done:
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s did not end", what)
		}
	}
	if f.n == 0 || string(f.sent.Sum(nil)) != string(f.got.Sum(nil)) {
		t.Errorf("%s: %d bytes arrived, and not those that were sent", what, f.n)
	}
}

// TestOneConnectionSurvivesTenSecondsOfHold is the promise of hold: both
// streams held while both peers go on writing, the hold put on and taken off
// several times, one TCP connection, every byte.
func TestOneConnectionSurvivesTenSecondsOfHold(t *testing.T) {
	length := 10 * time.Second
	if testing.Short() {
		length = 500 * time.Millisecond
	}
	r := start(t)
	conn := r.connect()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	up := r.flow(ctx, conn.client, conn.server, 1, 100*time.Microsecond)
	down := r.flow(ctx, conn.server, conn.client, 2, 100*time.Microsecond)
	time.Sleep(silence)
	for _, held := range []time.Duration{length, 10 * time.Millisecond, 100 * time.Millisecond} {
		for _, stream := range []string{"upstream", "downstream"} {
			r.must("POST", "/proxies/p/toxics", map[string]any{"name": "hold-" + stream, "type": "hold", "stream": stream})
		}
		before := r.traffic()
		time.Sleep(held)
		after := r.traffic()
		waits := func() bool { return after.Up.Waiting > before.Up.Waiting && after.Down.Waiting > before.Down.Waiting }
		// On a busy machine 10 ms may pass in which nobody writes.
		for late := time.Now().Add(patience); !waits() && time.Now().Before(late); after = r.traffic() {
			time.Sleep(time.Millisecond)
		}
		if !waits() {
			t.Errorf("nothing was held: %+v, then %+v", before, after)
		}
		if moved := after.Up.Delivered - before.Up.Delivered; moved > 64<<10 {
			t.Errorf("%d bytes passed a held stream", moved)
		}
		r.remove("hold-upstream")
		r.remove("hold-downstream")
		time.Sleep(silence)
	}
	stop()
	up.whole(t, "upstream")
	down.whole(t, "downstream")
	if got := r.traffic(); got.Opened != 1 || got.Up.Swallowed+got.Down.Swallowed > 0 {
		t.Errorf("traffic %+v, want one connection and nothing swallowed", got)
	}
}

// TestToxicsComeAndGoUnderTraffic changes what keeps, delays and cuts up bytes
// at random, a few hundred times, under two streams of traffic.
func TestToxicsComeAndGoUnderTraffic(t *testing.T) {
	r := start(t)
	conn := r.connect()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	up := r.flow(ctx, conn.client, conn.server, 3, 20*time.Microsecond)
	down := r.flow(ctx, conn.server, conn.client, 4, 50*time.Microsecond)
	kinds := []map[string]any{
		{"type": "hold"},
		{"type": "latency", "attributes": map[string]any{"latency": 3}},
		{"type": "bandwidth", "attributes": map[string]any{"rate": 20000}},
		{"type": "slicer", "attributes": map[string]any{"average_size": 1000, "delay": 10}},
	}
	random, on := rand.New(rand.NewPCG(5, 0)), map[string]bool{}
	for range 400 {
		kind := kinds[random.IntN(len(kinds))]
		kind["stream"] = []string{"upstream", "downstream"}[random.IntN(2)]
		kind["name"] = fmt.Sprintf("%s-%s", kind["type"], kind["stream"])
		name := kind["name"].(string)
		if on[name] {
			r.remove(name)
		} else {
			r.must("POST", "/proxies/p/toxics", kind)
		}
		on[name] = !on[name]
		time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
	}
	r.must("POST", "/reset", nil)
	stop()
	up.whole(t, "upstream")
	down.whole(t, "downstream")
}

func TestAFullHoldStopsReadingAndLosesNothing(t *testing.T) {
	r := start(t)
	conn := r.connect()
	r.add("hold", "upstream", nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	up := r.flow(ctx, conn.client, conn.server, 6, 0)
	const room = 64 << 20
	r.eventually("a full hold", func() bool { return r.traffic().Up.Waiting > room-64<<10 })
	time.Sleep(silence)
	if waiting := r.traffic().Up.Waiting; waiting > room {
		t.Errorf("%d bytes held, want %d at most", waiting, room)
	}
	r.remove("hold")
	stop()
	up.whole(t, "upstream")
}

// TestAChangeWaitsForNoPeer is why the bytes do not go through Toxiproxy's own
// chain, where the first of these calls would never return.
func TestAChangeWaitsForNoPeer(t *testing.T) {
	r := start(t)
	conn := r.connect()
	conn.client.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for {
		if _, err := conn.client.Write(make([]byte, 1<<20)); err != nil {
			break // every buffer up to the peer, which does not read, is full
		}
	}
	conn.client.SetWriteDeadline(time.Now().Add(2 * patience))
	began := time.Now()
	r.add("latency", "upstream", map[string]any{"latency": 10})
	r.add("hold", "upstream", nil)
	if _, err := conn.client.Write(make([]byte, 8<<20)); err != nil {
		t.Errorf("a hold put on a full line gave no room: %v", err)
	}
	r.add("timeout", "upstream", nil)
	r.eventually("a black hole under a full line", func() bool { return r.traffic().Up.Swallowed >= 8<<20 })
	r.remove("timeout")
	r.remove("latency")
	r.remove("hold")
	r.must("POST", "/proxies/p", map[string]any{"enabled": false})
	r.eventually("nothing waiting in a closed connection", func() bool { return r.traffic().Up.Waiting == 0 })
	if took := time.Since(began); took > time.Second {
		t.Errorf("seven changes took %v while a peer did not read", took)
	}
}

func TestAHoldMakesRoomOnASlowLine(t *testing.T) {
	r := start(t)
	conn := r.connect()
	r.add("bandwidth", "upstream", map[string]any{"rate": 1})
	conn.client.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for {
		if _, err := conn.client.Write(make([]byte, 1<<20)); err != nil {
			break
		}
	}
	if waiting := r.traffic().Up.Waiting; waiting > 256<<10 {
		t.Errorf("%d bytes wait without a hold, want 256 KiB at most", waiting)
	}
	r.add("hold", "upstream", nil)
	conn.client.SetWriteDeadline(time.Now().Add(patience))
	if _, err := conn.client.Write(make([]byte, 8<<20)); err != nil {
		t.Errorf("a hold gave no room: %v", err)
	}
}

func TestAClientWhoseUpstreamIsGoneIsReset(t *testing.T) {
	r := start(t)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	r.must("POST", "/proxies/p", map[string]any{"upstream": gone.Addr().String()})
	client, err := net.Dial("tcp", r.address)
	if errors.Is(err, syscall.ECONNRESET) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r.ends(client, true)
	if failed := r.traffic().Failed; failed != 1 {
		t.Errorf("%d connections failed, want 1", failed)
	}
}
