package workload

import (
	"context"
	"sync"
	"time"
)

// window bounds how many records of each partition are without outcome, so that
// a partition that does not answer holds up no other.
type window struct {
	limit int

	mu    sync.Mutex
	used  []int
	open  int // of all partitions
	next  int
	freed chan struct{} // something was given back
}

func newWindow(partitions, limit int) *window {
	return &window{limit: limit, used: make([]int, partitions), freed: make(chan struct{}, 1)}
}

// take waits for a partition with room, in turn, and takes a place there. It is
// not ok when the context ends first.
func (w *window) take(ctx context.Context) (partition int, ok bool) {
	for ctx.Err() == nil {
		if partition, ok = w.try(); ok {
			return partition, true
		}
		select {
		case <-w.freed:
		case <-ctx.Done():
		}
	}
	return 0, false
}

func (w *window) try() (partition int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range w.used {
		partition = w.next
		w.next = (w.next + 1) % len(w.used)
		if w.used[partition] < w.limit {
			w.used[partition]++
			w.open++
			return partition, true
		}
	}
	return 0, false
}

// give returns a place.
func (w *window) give(partition int) {
	w.mu.Lock()
	w.used[partition]--
	w.open--
	w.mu.Unlock()
	select {
	case w.freed <- struct{}{}:
	default:
	}
}

// drain waits until every place was given back. Nobody may take any meanwhile.
func (w *window) drain() {
	for {
		w.mu.Lock()
		open := w.open
		w.mu.Unlock()
		if open == 0 {
			return
		}
		<-w.freed
	}
}

// pace lets so many things happen a second. What was held up is not made up for
// beyond a second's worth.
type pace struct {
	interval time.Duration // 0 for no bound
	next     time.Time
}

// burst is how much too early something may happen, to wait less often.
const burst = 2 * time.Millisecond

func newPace(perSecond float64) *pace {
	if perSecond <= 0 {
		return &pace{}
	}
	return &pace{interval: time.Duration(float64(time.Second) / perSecond), next: time.Now()}
}

// wait waits until the next thing is due; it says no if the context ends first.
func (p *pace) wait(ctx context.Context) bool {
	if p.interval == 0 {
		return ctx.Err() == nil
	}
	early := time.Until(p.next)
	if early < -time.Second {
		p.next = time.Now().Add(-time.Second)
	}
	p.next = p.next.Add(p.interval)
	if early <= burst {
		return ctx.Err() == nil
	}
	return pause(ctx, early)
}

// pause waits so long; it says no if the context ends first.
func pause(ctx context.Context, length time.Duration) bool {
	if length <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
