package history

import (
	"errors"
	"io"
	"iter"
)

// batchSize is how many events are handed from the goroutine that decodes to
// the one that uses them at a time.
const batchSize = 256

type batch struct {
	events [batchSize]Event
	count  int
	err    error // after the events
}

// Events ranges over the rest of the history. An event is valid until the next
// one; after an error there is none. Lines are decoded on a goroutine of their
// own while the events before are used; it is over when the loop is.
func (r *Reader) Events() iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		full, empty := make(chan *batch, 2), make(chan *batch, 2) // room for all there are
		empty <- new(batch)
		empty <- new(batch)
		go r.fill(empty, full)
		defer func() {
			close(empty)
			for range full { // until fill is over
			}
		}()
		for b := range full {
			for i := range b.count {
				if !yield(&b.events[i], nil) {
					return
				}
			}
			if b.err != nil {
				if !errors.Is(b.err, io.EOF) {
					yield(nil, b.err)
				}
				return
			}
			empty <- b
		}
	}
}

func (r *Reader) fill(empty, full chan *batch) {
	defer close(full)
	for b := range empty {
		for b.count = 0; b.count < batchSize && b.err == nil; {
			if b.err = r.Next(&b.events[b.count]); b.err == nil {
				b.count++
			}
		}
		full <- b
		if b.err != nil {
			return
		}
	}
}
