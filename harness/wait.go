package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kafkachaos/harness/internal/engine"
)

// pollEvery is the pause between two readings of a wait: short against the
// second that anything in a cluster takes, long against a reading.
const pollEvery = 100 * time.Millisecond

// until polls a reading. The reading returns nil when what is waited for has
// come, and otherwise says what it saw instead; that is in the error when ctx
// is over. A process that died is not waited for any longer.
func until(ctx context.Context, what string, reading func(context.Context) error) error {
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	var last error
	for {
		err := reading(ctx)
		if err == nil {
			return nil
		}
		if errors.Is(err, engine.ErrDied) {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if ctx.Err() == nil || last == nil {
			last = err // what a cut-off reading says is not what was seen
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w; last seen: %w", what, ctx.Err(), last)
		case <-ticks.C:
		}
	}
}
