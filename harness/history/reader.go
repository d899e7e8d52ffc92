package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// Format is the number of the format that is written, and the newest that is
// read.
const Format = 1

// longestLine bounds a line, and so the memory of a reader.
const longestLine = 64 << 20

// The classes of errors of a Reader, for errors.Is.
var (
	// ErrEmpty: there is not even a whole header.
	ErrEmpty = errors.New("the history is empty")
	// ErrNoHistory: the first line is no header.
	ErrNoHistory = errors.New("this is no history")
	// ErrNewer: the history was written by a later release of this package.
	ErrNewer = errors.New("the history has a newer format")
	// ErrLine: a line in the middle cannot be read.
	ErrLine = errors.New("a line cannot be read")
	// ErrClock: a line is older than the one before. Which fault was active when
	// cannot be told any more, so nothing is judged by such a history.
	ErrClock = errors.New("the clock goes back")
)

// Reader reads a history as a stream, in memory for one line.
type Reader struct {
	Header Header

	lines  *bufio.Reader
	long   []byte // a line that is longer than the buffer
	number int    // of the line read last, from 1
	at     time.Duration
	torn   bool
}

// NewReader reads the header and is ready for the events.
func NewReader(from io.Reader) (*Reader, error) {
	r := &Reader{lines: bufio.NewReaderSize(from, 256<<10)}
	line, whole, err := r.line()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read history: %w", ErrEmpty)
	case err != nil:
		return nil, fmt.Errorf("read history: %w", err)
	}
	if r.Header, err = readHeader(line); err != nil {
		if !whole {
			err = fmt.Errorf("%w: its first line is torn", ErrEmpty)
		}
		return nil, fmt.Errorf("read history: %w", err)
	}
	r.number = 1
	return r, nil
}

// readHeader looks at the format first: what else a newer header says is unknown.
func readHeader(line []byte) (Header, error) {
	var format struct{ Format int }
	if err := json.Unmarshal(line, &format); err != nil {
		return Header{}, fmt.Errorf("%w: header: %w", ErrNoHistory, err)
	}
	switch {
	case format.Format < 1:
		return Header{}, fmt.Errorf("%w: the first line names no format", ErrNoHistory)
	case format.Format > Format:
		return Header{}, fmt.Errorf("%w: %d, and this release reads %d", ErrNewer, format.Format, Format)
	}
	var header Header
	if err := json.Unmarshal(line, &header); err != nil {
		return Header{}, fmt.Errorf("%w: header: %w", ErrNoHistory, err)
	}
	return header, nil
}

// Next reads the next event into e, using its Records again. After the last one
// it returns io.EOF. A last line that was torn by a crash is left out, see Torn.
func (r *Reader) Next(e *Event) error {
	line, whole, err := r.line()
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err != nil {
		return fmt.Errorf("read line %d: %w", r.number+1, err)
	}
	r.number++
	if err := e.DecodeJSON(line); err != nil {
		if !whole {
			r.torn = true
			return io.EOF
		}
		return fmt.Errorf("read line %d: %w: %w", r.number, ErrLine, err)
	}
	if e.At < r.at {
		return fmt.Errorf("read line %d: %w: from %v to %v", r.number, ErrClock, r.at, e.At)
	}
	r.at = e.At
	return nil
}

// Events ranges over the rest of the history. An event is valid until the next
// one; after an error there is none. To decode on a goroutine of its own was tried:
// to hand the events over cost a third more of the processor, and saved no time.
func (r *Reader) Events() iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		var e Event
		for {
			err := r.Next(&e)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			case !yield(&e, nil):
				return
			}
		}
	}
}

// Line is the number of the line that Next read last, from 1 for the header.
func (r *Reader) Line() int { return r.number }

// Torn says, at the end, that the last line was torn and left out.
func (r *Reader) Torn() bool { return r.torn }

// line returns the next line, and whether it has an end. It is valid until the
// next call.
func (r *Reader) line() (line []byte, whole bool, err error) {
	line, err = r.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.longLine(line)
	}
	if err == nil {
		return line[:len(line)-1], true, nil
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		return line, false, nil
	}
	return nil, false, err
}

func (r *Reader) longLine(start []byte) ([]byte, error) {
	r.long = append(r.long[:0], start...)
	for {
		part, err := r.lines.ReadSlice('\n')
		r.long = append(r.long, part...)
		if len(r.long) > longestLine {
			return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrLine, longestLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, err
		}
	}
}

// FileName is what a history is called in the folder of its run.
const FileName = "history.jsonl"

// Open opens the history in a folder, or the file itself. Close is the
// caller's.
func Open(path string) (*Reader, io.Closer, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open history: %w", err)
	}
	r, err := NewReader(file)
	if err != nil {
		_ = file.Close() // it was only read
		return nil, nil, fmt.Errorf("open %s: %w", path, err)
	}
	return r, file, nil
}
