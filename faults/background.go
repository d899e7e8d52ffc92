package faults

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// Random is the random stream of one part of a run: the same seed and the same
// name give the same numbers, on every machine and whatever other parts draw.
func Random(seed uint64, part string) *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(part))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}

// background runs the work beside the caller, until it is done or stop is
// called, which waits for it. It outlives the context, and keeps its values.
func background(ctx context.Context, work func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var group sync.WaitGroup
	group.Go(func() { work(ctx) })
	return func() {
		cancel()
		group.Wait()
	}
}

// pause lets so much time pass, or less if the context is over.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// pollEvery is the time between two readings of a state that is waited for.
const pollEvery = 50 * time.Millisecond

// until reads again and again until the reading says yes. When the context is
// over, the error is what the last reading came to.
func until(ctx context.Context, read func(context.Context) error) error {
	var last error
	for {
		if err := read(ctx); err == nil {
			return nil
		} else if ctx.Err() == nil || last == nil {
			last = err
		}
		if ctx.Err() != nil {
			return last
		}
		pause(ctx, pollEvery)
	}
}
