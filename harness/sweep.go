package harness

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/topology"
)

// BuildImages builds the images of these releases, of the proxy and of the
// connectors, as far as they are missing. It reports each step through say.
func BuildImages(ctx context.Context, say func(format string, args ...any), versions ...topology.Version) error {
	return engine.EnsureImages(ctx, say, versions...)
}

// CueConnectors is a folder for topology.Plugins with connectors that fail and
// block on cue: kafkachaos.CueSink and kafkachaos.CueSource, which are Kafka's file
// connectors otherwise. Their configuration "cue" names a file beside the worker,
// with a line such as "block put" or "fail start" for each place that is not passed:
// connector-start, connector-stop, and of tasks start, put or poll, stop. It is read
// whenever a place is passed and while one is blocked. Images are built as by
// BuildImages.
func CueConnectors(ctx context.Context) (folder string, err error) {
	say := func(format string, args ...any) { slog.Info(fmt.Sprintf(format, args...)) }
	if err := BuildImages(ctx, say); err != nil {
		return "", err
	}
	return engine.ConnectorFolder(ctx)
}

// Swept says which leftovers a Sweep removes.
type Swept bool

const (
	// DeadOnly spares the runs that were kept on purpose.
	DeadOnly Swept = false
	// KeptToo removes kept runs as well.
	KeptToo Swept = true
)

// Sweep removes the containers and networks of runs whose process has ended,
// and names those runs. Runs of live processes are left alone.
func Sweep(ctx context.Context, what Swept) ([]string, error) { return engine.Sweep(ctx, bool(what)) }

// sweepBound is how long a start waits for the removal of what others left.
const sweepBound = 60 * time.Second

// sweepOnce removes what killed runs left, once a process: it takes a while,
// and one process makes no leftovers of its own. What cannot be removed is told
// and hinders nobody: names and ports of a run are its own.
var sweepOnce = sync.OnceFunc(func() {
	ctx, cancel := context.WithTimeout(context.Background(), sweepBound)
	defer cancel()
	removed, err := Sweep(ctx, DeadOnly)
	if len(removed) > 0 {
		slog.Info("removed what killed runs left", "runs", removed)
	}
	if err != nil {
		slog.Warn("could not remove all that killed runs left; try `make clean`", "err", err)
	}
})

// Runs names the runs that have a container or a network at the moment, those
// of other processes included.
func Runs(ctx context.Context) ([]string, error) { return engine.Runs(ctx) }
