package egress

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Room for bytes that wait in a wire. Beyond it the wire stops reading.
const (
	plainRoom = 256 << 10 // nothing waits but for a slow reader
	keptRoom  = 64 << 20  // a toxic keeps bytes on purpose
)

// end is one side of a connection, as *net.TCPConn has it.
type end interface {
	io.ReadWriteCloser
	CloseWrite() error
	SetWriteDeadline(time.Time) error
	SetLinger(seconds int) error
}

// wire carries one stream of one connection: a goroutine reads into a queue,
// another takes from its head what the rules let go. Where there are no rules
// and no queue, the first hands the bytes on itself.
type wire struct {
	conn     *connection
	src, dst end
	rules    *atomic.Pointer[rules]
	count    *counters
	wake     chan struct{} // something changed: for the one that writes
	room     chan struct{} // something left: for the one that reads

	mu       sync.Mutex
	queue    []chunk
	queued   int
	busy     bool // bytes are being written
	broken   bool // dst takes no more
	over     bool // and the connection is, too
	progress progress
}

// counters are the bytes that went one way through a proxy since it was made.
type counters struct {
	delivered, swallowed, waiting atomic.Int64
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// changed makes the wire look at its rules again. Bytes that hang in a write,
// since their receiver does not read, come back and are looked at again, too.
func (w *wire) changed() {
	w.mu.Lock()
	if w.busy {
		w.dst.SetWriteDeadline(time.Unix(1, 0))
	}
	w.mu.Unlock()
	nudge(w.wake)
	nudge(w.room)
}

func (w *wire) read() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := w.src.Read(buffer)
		now := time.Now()
		if rest := w.pass(buffer[:n], now); len(rest) > 0 && !w.push(chunk{data: bytes.Clone(rest), at: now}) {
			return
		}
		if err != nil {
			w.push(chunk{at: now, end: true, reset: !errors.Is(err, io.EOF)})
			return
		}
	}
}

// pass writes the bytes at once, if nothing keeps them and none are before
// them, and returns the rest.
func (w *wire) pass(data []byte, now time.Time) []byte {
	w.mu.Lock()
	r := w.rules.Load()
	if len(data) == 0 || !r.none || len(w.queue) > 0 || w.broken || w.progress.gap {
		w.mu.Unlock()
		return data
	}
	w.begin()
	w.mu.Unlock()
	return data[w.deliver(r, data, now):]
}

// push queues a chunk once there is room; false says that the connection is over.
func (w *wire) push(c chunk) bool {
	for !w.offer(c) {
		select {
		case <-w.room:
		case <-w.conn.over:
			return false
		}
	}
	nudge(w.wake)
	return true
}

func (w *wire) offer(c chunk) bool {
	room := plainRoom
	if w.rules.Load().keeps() {
		room = keptRoom
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.queued > 0 && w.queued+len(c.data) > room {
		return false
	}
	w.queue = append(w.queue, c)
	w.queued += len(c.data)
	w.count.waiting.Add(int64(len(c.data)))
	return true
}

// run takes from the queue until the stream or the connection is over.
func (w *wire) run() {
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		s, r, data := w.step(time.Now())
		switch s.do {
		case await, until:
			if s.do == until {
				alarm.Reset(time.Until(s.at))
			}
			select {
			case <-w.wake:
			case <-alarm.C:
			case <-w.conn.over:
				w.discard()
				return
			}
		case write:
			w.take(w.deliver(r, data, s.at))
		case drop:
			w.count.swallowed.Add(int64(s.n))
			w.take(s.n)
		case finish:
			w.dst.CloseWrite()
			w.conn.finished()
			return
		case reset:
			w.conn.reset()
		case hangUp:
			w.conn.close()
		}
	}
}

// step decides what to do, and with which bytes, which stay in the queue
// meanwhile.
func (w *wire) step(now time.Time) (step, *rules, []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.conn.over:
		return step{do: await}, nil, nil
	default:
	}
	var head *chunk
	if len(w.queue) > 0 {
		head = &w.queue[0]
	}
	r := w.rules.Load()
	s := w.progress.next(r, head, now)
	if s.do != write {
		return s, r, nil
	}
	if w.broken {
		return step{do: drop, n: s.n}, r, nil
	}
	w.begin()
	return s, r, head.data[:s.n]
}

// take removes n bytes from the head of the queue, and the head with its last.
func (w *wire) take(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	head := &w.queue[0]
	if n < len(head.data) {
		head.data = head.data[n:]
	} else {
		*head = chunk{}
		w.queue = w.queue[1:]
	}
	w.queued -= n
	w.count.waiting.Add(int64(-n))
	nudge(w.room)
}

// begin says, under the lock under which the rules were read, that bytes are to
// be written.
func (w *wire) begin() {
	w.busy = true
	w.dst.SetWriteDeadline(time.Time{})
}

// deliver writes what begin announced and returns how many bytes are done with:
// all of them, unless the rules changed meanwhile.
func (w *wire) deliver(r *rules, data []byte, due time.Time) int {
	n, err := w.dst.Write(data)
	w.count.delivered.Add(int64(n))
	changed := errors.Is(err, os.ErrDeadlineExceeded)
	w.mu.Lock()
	w.progress.wrote(r, n, due, time.Now())
	w.busy = false
	w.broken = err != nil && !changed
	w.mu.Unlock()
	if err == nil || changed {
		return n
	}
	// Why it takes no more is told by reading from it: that end travels back
	// through the toxics of the other stream.
	w.conn.broke()
	w.count.swallowed.Add(int64(len(data) - n))
	return len(data)
}

func (w *wire) discard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.waiting.Add(int64(-w.queued))
	w.queue, w.queued, w.over = nil, 0, true
}
