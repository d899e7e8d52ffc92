package harness

import (
	"context"
	"fmt"
	"time"

	"kafkachaos/harness/state"
)

// stuckDumps is how many dumps have to agree before a thread is called stuck.
const stuckDumps = 3

// StuckThreads dumps the node's threads three times, a second apart, and tells
// which of them wait for something that did not come. It takes about 2.5 s.
func (n *Node) StuckThreads(ctx context.Context) (state.Stuck, error) {
	dumps, err := n.dumps(ctx, stuckDumps)
	if err != nil {
		return state.Stuck{}, fmt.Errorf("see whether a thread of %s is stuck: %w", n, err)
	}
	stuck := state.NewStuck(n.name, dumps...)
	stuck.At = time.Now() // the JVM's clock has seconds only
	return stuck, nil
}

// dumps makes so many dumps, state.DumpsApart from each other, and returns those
// that it got, with an error if they are fewer.
func (n *Node) dumps(ctx context.Context, count int) ([]state.ThreadDump, error) {
	ticks := time.NewTicker(state.DumpsApart)
	defer ticks.Stop()
	var dumps []state.ThreadDump
	for {
		dump, err := n.ThreadDump(ctx)
		if err != nil {
			return dumps, err
		}
		if dumps = append(dumps, dump); len(dumps) == count {
			return dumps, nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return dumps, ctx.Err()
		}
	}
}
