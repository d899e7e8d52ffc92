package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kafkachaos/harness/state"
)

// ThreadDump has the node's JVM print all its threads (SIGQUIT, which disturbs it
// for about a tenth of a second) and reads them from its log, within ctx. A node
// whose process is paused or has ended has none.
func (n *Node) ThreadDump(ctx context.Context) (state.ThreadDump, error) {
	view, err := n.Process(ctx)
	if err == nil && (!view.Runs()) {
		err = fmt.Errorf("%v", view)
	}
	if err != nil {
		return state.ThreadDump{}, fmt.Errorf("dump the threads of %s: %w", n, err)
	}
	// Only what is new: a log may be long. The engine's clock may differ a little.
	since := time.Now().Add(-5 * time.Second)
	before, err := n.threadDumps(ctx, since)
	if err != nil {
		return state.ThreadDump{}, err
	}
	if err := n.process.Signal(ctx, "QUIT"); err != nil {
		return state.ThreadDump{}, fmt.Errorf("dump the threads of %s: %w", n, err)
	}
	var latest state.ThreadDump
	err = until(ctx, "the thread dump of "+n.String(), func(ctx context.Context) error {
		dumps, err := n.threadDumps(ctx, since)
		if err != nil {
			return err
		}
		if len(dumps) <= len(before) || !dumps[len(dumps)-1].Complete {
			return fmt.Errorf("%d complete dumps in its log, as before", len(before))
		}
		latest = dumps[len(dumps)-1]
		return nil
	})
	return latest, err
}

func (n *Node) threadDumps(ctx context.Context, since time.Time) ([]state.ThreadDump, error) {
	var log strings.Builder
	if err := n.process.Logs(ctx, since, &log); err != nil {
		return nil, err
	}
	return state.ParseThreadDumps(n.name, log.String()), nil
}
