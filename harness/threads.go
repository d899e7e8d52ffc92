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
		if !isNew(dumps, before) || !dumps[len(dumps)-1].Complete {
			return fmt.Errorf("no new dump in its log that is complete, beside %d older ones", len(before))
		}
		latest = dumps[len(dumps)-1]
		return nil
	})
	return latest, err
}

// isNew says that the last dump was not there before. There is one more of them then,
// or a later one: of a log that grows fast only the end is read, and older ones are
// no longer in it.
func isNew(dumps, before []state.ThreadDump) bool {
	if len(dumps) == 0 || len(before) == 0 {
		return len(dumps) > 0
	}
	return len(dumps) > len(before) || dumps[len(dumps)-1].At.After(before[len(before)-1].At)
}

func (n *Node) threadDumps(ctx context.Context, since time.Time) ([]state.ThreadDump, error) {
	var log strings.Builder
	if err := n.process.Logs(ctx, since, &log); err != nil {
		return nil, err
	}
	return state.ParseThreadDumps(n.name, log.String()), nil
}
