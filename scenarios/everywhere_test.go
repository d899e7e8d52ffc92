package scenarios

import (
	"context"
	"strconv"
	"sync"
	"time"

	"kafkachaos/harness"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// everywhere is a file that each worker has a copy of, for whichever runs the task
// that reads it. One that could not be reached gets what it misses with the next
// text.
type everywhere struct {
	workers []*harness.Worker
	text    []byte
	mu      sync.Mutex
	has     map[topology.Node]int // how much of the text
}

// onAll appends to a file on every worker: one of them runs the task.
func onAll(cluster *harness.Cluster) workload.AppendFile {
	all := &everywhere{workers: cluster.Workers(), has: map[topology.Node]int{}}
	return all.Append
}

// reach is how long a worker may take to read or write a file. One that is paused
// meanwhile takes for ever.
const reach = 3 * time.Second

// Append implements workload.AppendFile.
func (e *everywhere) Append(ctx context.Context, path string, text []byte) error {
	e.text = append(e.text, text...)
	var all sync.WaitGroup
	for _, worker := range e.workers {
		all.Go(func() { e.catchUp(ctx, worker, path) })
	}
	all.Wait()
	return ctx.Err()
}

// catchUp writes what the worker misses, at its place in the file: once more does
// no harm.
func (e *everywhere) catchUp(ctx context.Context, worker *harness.Worker, path string) {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	e.mu.Lock()
	from := e.has[worker.Name()]
	e.mu.Unlock()
	const most = 100_000 // of one argument
	to := min(len(e.text), from+most)
	const script = `printf %s "$2" | dd of="$0" seek="$1" oflag=seek_bytes conv=notrunc status=none`
	if _, err := worker.Exec(ctx, "sh", "-c", script, path, strconv.Itoa(from), string(e.text[from:to])); err != nil {
		return
	}
	e.mu.Lock()
	e.has[worker.Name()] = to
	e.mu.Unlock()
}

// filesOf are the ways to a file on each worker.
func filesOf(cluster *harness.Cluster) map[string]workload.ReadFile {
	files := map[string]workload.ReadFile{}
	for _, worker := range cluster.Workers() {
		files[worker.String()] = func(ctx context.Context, path string) ([]byte, error) {
			ctx, cancel := context.WithTimeout(ctx, reach)
			defer cancel()
			text, err := worker.File(ctx, path)
			return []byte(text), err
		}
	}
	return files
}
