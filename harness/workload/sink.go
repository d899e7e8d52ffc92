package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"kafkachaos/harness/history"
)

// ReadFile reads a file where connectors run. One that is not there yet is
// empty.
type ReadFile func(ctx context.Context, path string) ([]byte, error)

// Sink is an option of Start: the files into which a connector delivers the
// topic's records, a line each. After the final read they are read on until all
// that it saw is there, or its bound is over.
type Sink struct {
	Name string // of the connector; sink-N if empty
	Path string
	// Files are the ways to that file on each worker that may run a task.
	Files map[string]ReadFile
	// Every is how often they are read, 1 s if 0.
	Every time.Duration
	// Connect is where the connector is to be made, with so many Tasks, 1 if 0; nil
	// if it is there already.
	Connect *Connect
	Tasks   int
	// ExactlyOnce says that the sink promises it; a FileStreamSink does not.
	ExactlyOnce bool
}

func (s Sink) apply(t *Traffic) error {
	if len(s.Files) == 0 || s.Path == "" || s.Every < 0 || s.Tasks < 0 {
		return fmt.Errorf("make sink %s: want files and a way to read them, and no bound less than 0", s.Name)
	}
	s.Name = t.name(s.Name, "sink")
	s.Every = cmp.Or(s.Every, time.Second)
	s.Tasks = cmp.Or(s.Tasks, 1)
	f := &sinkFiles{Sink: s, traffic: t, lanes: map[string]Lane{}, length: map[string]int{}, found: stamps{}}
	f.actor = t.history.Start(history.Client{Name: s.Name, Role: history.SinkFile, Topics: []int{t.topic.Number}, ExactlyOnce: s.ExactlyOnce})
	t.sinks = append(t.sinks, f)
	t.clients = append(t.clients, client{name: s.Name, phase: reads, run: f.run})
	return nil
}

// sinkFiles are a sink's files while they are read.
type sinkFiles struct {
	Sink
	traffic *Traffic
	actor   *history.Actor
	lanes   map[string]Lane // by worker: what was found in its file
	length  map[string]int  // by worker: how much of it was read
	found   stamps
	failed  error // of the last reading
}

func (f *sinkFiles) run(ctx, _ context.Context) error {
	if err := f.traffic.deploy(ctx, f.Connect, f.Name, FileSink(f.Name, f.Path, f.traffic.topic.Name, f.Tasks)); err != nil {
		return err
	}
	for pause(ctx, f.Every) {
		f.read(ctx)
	}
	return nil
}

// read looks for lines that are new. That a file cannot be read, because its
// worker is down, is written down and no end.
func (f *sinkFiles) read(ctx context.Context) {
	f.failed = nil
	for _, worker := range slices.Sorted(maps.Keys(f.Files)) {
		begun := time.Now()
		text, err := f.Files[worker](ctx, f.Path)
		if err != nil {
			err = fmt.Errorf("read the file of sink %s on %s: %w", f.Name, worker, err)
			f.failed = errors.Join(f.failed, err)
			f.actor.PollFailed(begun, err)
			continue
		}
		if len(text) < f.length[worker] {
			f.length[worker] = 0 // another file, with all its lines
		}
		text = text[f.length[worker]:]
		fresh := ParseLines(f.traffic.target.Run, text)
		f.lanes[worker] = append(f.lanes[worker], fresh...)
		f.length[worker] += 1 + strings.LastIndexByte(string(text), '\n')
		for _, line := range fresh {
			f.found.add(line)
		}
	}
}

// atOnce is how many lines one event of a history tells of at most.
const atOnce = 1000

// note writes down all that was found, in the end: what the file of a worker that
// was down has may be older than what those of its successors have.
func (f *sinkFiles) note() {
	lines := int64(0)
	for some := range slices.Chunk(arrange(f.lanes, f.traffic.places.of), atOnce) {
		records := make(history.Records, len(some))
		for i, line := range some {
			records[i] = history.Record{Offset: lines, Client: line.Client, Seq: line.Seq}
			lines++
		}
		f.actor.Found(records)
	}
}

// finish reads on until everything that the final read saw is there, or ctx
// ends.
func (f *sinkFiles) finish(ctx context.Context, seen stamps) (missing []string, err error) {
	defer func() {
		f.note()
		f.actor.Stopped(len(missing) == 0)
	}()
	for {
		f.read(ctx)
		lacks := f.found.lacks(seen)
		if lacks == 0 {
			return nil, f.failed
		}
		if !pause(ctx, min(f.Every, quiet)) {
			return []string{fmt.Sprintf("%d records in sink %s", lacks, f.Name)}, nil
		}
	}
}

// arrange puts the lines of several files into one order. Which file had its line
// first nobody knows; but a partition has one owner after the other: of one producer
// and partition, whose lines are compared, what was sent first is taken first, and
// each file keeps its own order.
func arrange(files map[string]Lane, where func(Stamp) int) []Stamp {
	type way struct{ client, partition int }
	ways := map[way][]Lane{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		own := map[way]Lane{}
		for _, stamp := range files[name] {
			w := way{stamp.Client, where(stamp)}
			own[w] = append(own[w], stamp)
		}
		for w, lane := range own {
			ways[w] = append(ways[w], lane)
		}
	}
	var all []Stamp
	for _, w := range slices.SortedFunc(maps.Keys(ways), func(a, b way) int {
		return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.partition, b.partition))
	}) {
		all = merge(all, ways[w])
	}
	return all
}

// merge takes from the lanes, of those that are left, the stamp that was sent
// first.
func merge(all []Stamp, lanes []Lane) []Stamp {
	for len(lanes) > 0 {
		first := 0
		for i := range lanes {
			if lanes[i][0].Seq < lanes[first][0].Seq {
				first = i
			}
		}
		all = append(all, lanes[first][0])
		if lanes[first] = lanes[first][1:]; len(lanes[first]) == 0 {
			lanes = slices.Delete(lanes, first, first+1)
		}
	}
	return all
}
