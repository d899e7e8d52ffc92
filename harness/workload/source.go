package workload

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"kafkachaos/harness/history"
)

// AppendFile appends text to a file where connectors run: on every worker that
// may run the source's task, for it goes on there.
type AppendFile func(ctx context.Context, path string, text []byte) error

// Source is an option of Start: a file into which lines are put for a connector
// to send to the topic. The final read goes on until it has seen them all.
type Source struct {
	Name   string // of the connector; source-N if empty
	Path   string
	Append AppendFile
	// Rate is how many lines are put there a second, 20 if 0, and Every how often
	// some are, 250 ms if 0.
	Rate  float64
	Every time.Duration
	// Connect is where the connector is to be made; nil if it is there already.
	Connect *Connect
	// ExactlyOnce says that the workers promise it (exactly.once.source.support).
	ExactlyOnce bool
}

func (s Source) apply(t *Traffic) error {
	if s.Append == nil || s.Path == "" || s.Rate < 0 || s.Every < 0 {
		return fmt.Errorf("make source %s: want a file and a way to append to it, and no bound less than 0", s.Name)
	}
	s.Name = t.name(s.Name, "source")
	s.Rate = cmp.Or(s.Rate, 20)
	s.Every = cmp.Or(s.Every, 250*time.Millisecond)
	f := &sourceFile{Source: s, traffic: t}
	f.actor = t.history.Start(history.Client{Name: s.Name, Role: history.Source, Acks: "all", InFlight: 1,
		Topics: []int{t.topic.Number}, ExactlyOnce: s.ExactlyOnce})
	t.sources = append(t.sources, f)
	t.clients = append(t.clients, client{name: s.Name, phase: sends, run: f.run})
	return nil
}

// sourceFile is a source's file while lines are put into it.
type sourceFile struct {
	Source
	traffic *Traffic
	actor   *history.Actor
	put     atomic.Int64 // lines that are there for certain, from 0 on
	lane    Lane         // those, once run is over
}

func (f *sourceFile) run(ctx, life context.Context) error {
	if err := f.traffic.deploy(ctx, f.Connect, f.Name, FileSource(f.Name, f.Path, f.traffic.topic.Name)); err != nil {
		return err
	}
	perBatch := max(1, int(f.Rate*f.Every.Seconds()))
	for seq, pace := int64(0), newPace(f.Rate/float64(perBatch)); pace.wait(ctx); seq += int64(perBatch) {
		if err := f.append(life, seq, perBatch); err != nil {
			f.actor.Stopped(false)
			return err // whether half a line is there nobody knows
		}
	}
	f.actor.Stopped(true)
	return nil
}

// lacks counts the lines that are in the file for certain and were not seen.
func (f *sourceFile) lacks(seen stamps) (count int) {
	for seq := range f.put.Load() {
		if !seen.has(Stamp{f.actor.Number(), seq}) {
			count++
		}
	}
	return count
}

// append puts lines into the file.
func (f *sourceFile) append(ctx context.Context, first int64, count int) error {
	var text []byte
	var sendings []history.Sending
	for seq := first; seq < first+int64(count); seq++ {
		text = append(AppendValue(text, f.traffic.target.Run, f.actor.Number(), seq, 0), '\n')
		sendings = append(sendings, f.actor.Send(history.Partition{}, seq))
	}
	err := f.Append(ctx, f.Path, text)
	for _, sending := range sendings {
		if err != nil {
			sending.Failed(history.Unknown, err)
			continue
		}
		sending.Acked(-1, -1)
	}
	if err != nil {
		return fmt.Errorf("put lines into the file of source %s: %w", f.Name, err)
	}
	for seq := first; seq < first+int64(count); seq++ {
		f.lane = append(f.lane, Stamp{f.actor.Number(), seq})
	}
	f.put.Store(first + int64(count))
	f.traffic.count.lines.Add(int64(count))
	return nil
}

// deploy makes a connector, if it is asked for, and writes down that it did.
func (t *Traffic) deploy(ctx context.Context, connect *Connect, name string, config map[string]string) error {
	if connect == nil {
		return nil
	}
	actor := t.history.Start(history.Client{Name: "deployer of " + name, Role: history.Administrator})
	operation := actor.Change(history.Change{What: "put connector", Topic: t.topic.Number, Text: name})
	err := connect.Put(ctx, name, config)
	switch {
	case err == nil:
		operation.Returned(history.Acked, nil)
		return nil
	case matches(err, []error{errAnswered}):
		operation.Returned(history.Refused, err)
	default:
		operation.Returned(history.Unknown, err)
	}
	return fmt.Errorf("make connector %s: %w", name, err)
}
