package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// History records a run. All methods, also those of what it hands out, may be
// called by several goroutines at once, and return when the line is with the
// writer, so that a crash of the program loses at most the last one. What cannot
// be written is told once, by Err and Close; nothing is written after that.
type History struct {
	origin time.Time
	closed atomic.Bool

	mu      sync.Mutex // guards what follows, and keeps lines in order of their times
	w       io.Writer
	line    []byte
	event   Event
	topics  int
	clients int
	faults  int
	txns    int64
	ops     int64
	err     error
}

// New begins a history on a writer, now being the origin of its clock. Each line
// is one Write; a file should be passed as it is, without a buffer.
func New(w io.Writer, header Header) *History {
	h := &History{origin: time.Now(), w: w}
	header.Format = Format
	if header.Origin.IsZero() {
		header.Origin = h.origin.Round(0).UTC()
	}
	line, err := json.Marshal(header)
	h.err = err
	h.write(line)
	return h
}

// Create begins a history in a new file. One that exists is an error
// (fs.ErrExist) and is left alone. Missing folders are made. Until it is closed
// the file ends in zeros, which readers take for a torn last line.
func Create(path string, header Header) (*History, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create history: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create history: %w", err)
	}
	return New(&mapped{file: file}, header), nil
}

// Since is the time of an instant on the history's clock.
func (h *History) Since(t time.Time) time.Duration { return t.Sub(h.origin) }

// Topic says how a topic is configured and returns its number, a new one if
// that of the topic is 0.
func (h *History) Topic(t Topic) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.Number = numbered(&h.topics, t.Number)
	h.append(Event{Kind: TopicMark, Topic: &t})
	return t.Number
}

// Terms says what the run is to be judged by. The last ones count.
func (h *History) Terms(t Terms) { h.mark(Event{Kind: TermsMark, Terms: &t}) }

// Fault says that a fault took a step and returns its number, a new one if that
// of the fault is 0. The step is Intended first, with all that is meant.
func (h *History) Fault(f Fault) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.Number = numbered(&h.faults, f.Number)
	h.append(Event{Kind: FaultMark, Fault: &f})
	return f.Number
}

// Stopped says that a node was stopped, by an order that it could follow or
// uncleanly.
func (h *History) Stopped(node string, clean bool) {
	h.mark(Event{Kind: StopMark, Stop: &Stop{Node: node, Clean: clean}})
}

// Reading keeps a reading as text.
func (h *History) Reading(r Reading) { h.mark(Event{Kind: ReadingMark, Reading: &r}) }

// Owners says who owned what in a stable group.
func (h *History) Owners(o Owners) { h.mark(Event{Kind: OwnersMark, Owners: &o}) }

// Disk says what a log segment holds.
func (h *History) Disk(d Disk) { h.mark(Event{Kind: DiskMark, Disk: &d}) }

// End says that the run came to its planned end.
func (h *History) End() { h.mark(Event{Kind: EndMark}) }

// Err is the first error of the writer.
func (h *History) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Close closes the writer, if it can be closed, and returns what went wrong
// since the beginning. What is recorded afterwards is lost.
func (h *History) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Swap(true) {
		return nil
	}
	err := h.err
	if closer, ok := h.w.(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	h.err = fmt.Errorf("record history: %w", os.ErrClosed)
	return err
}

// numbered counts on if the number is 0.
func numbered(count *int, number int) int {
	if number == 0 {
		*count++
		number = *count
	}
	return number
}

func (h *History) mark(e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.append(e)
}

// append stamps the event and writes it; the lock is held.
func (h *History) append(e Event) {
	if h.err != nil {
		return
	}
	h.event = e // the event of the caller can so stay on its stack
	h.event.At = time.Since(h.origin)
	line, err := h.event.AppendJSON(h.line[:0])
	h.line, h.event = line[:0], Event{}
	if err != nil {
		h.err = errors.Join(h.err, err)
		return
	}
	h.write(line)
}

// note is mark for plain events, which come by the million. What is around the
// time is put into text before the lock is held, in the room given, which is
// returned for the next: so clients hold each other up no longer than copying it
// takes.
func (h *History) note(e *Event, room []byte) []byte {
	if h.closed.Load() {
		return room
	}
	text := e.appendHead(room[:0])
	head := len(text)
	text = e.appendRest(text)
	h.mu.Lock()
	defer h.mu.Unlock()
	line := appendInt(append(h.line[:0], text[:head]...), int64(time.Since(h.origin)))
	h.write(append(line, text[head:]...))
	return text
}

func (h *History) write(line []byte) {
	if h.err != nil {
		return
	}
	line = append(line, '\n')
	h.line = line[:0]
	if n, err := h.w.Write(line); err != nil {
		h.err = fmt.Errorf("record history: %w", err)
	} else if n < len(line) {
		h.err = fmt.Errorf("record history: %w", io.ErrShortWrite)
	}
}
