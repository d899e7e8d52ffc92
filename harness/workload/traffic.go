package workload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kafkachaos/harness/history"
)

// Option is what traffic is made of: a Producer, a Consumer, a Source, a Sink, an
// Administrator, or Patience.
type Option interface {
	apply(t *Traffic) error
}

// Patience bounds what Stop waits for.
type Patience struct {
	Flush time.Duration // for what producers have under way, 30 s if 0
	Final time.Duration // for the final read, 60 s if 0
}

func (p Patience) apply(t *Traffic) error {
	if min(p.Flush, p.Final) < 0 {
		return errors.New("bound the patience of traffic: less than 0")
	}
	t.patience = Patience{cmp.Or(p.Flush, 30*time.Second), cmp.Or(p.Final, 60*time.Second)}
	return nil
}

// Traffic is running clients, on one topic. Its methods may be called by several
// goroutines at once.
type Traffic struct {
	target        Target
	history       *history.History
	topic         history.Topic
	patience      Patience
	clients       []client
	names         map[string]int
	transactional bool // some producer is
	sources       []*sourceFile
	sinks         []*sinkFiles
	places        places // if there are sinks

	count   tally
	reached reached
	begun   time.Time
	took    time.Duration // from then until the last producer had stopped

	phases [phases]running
	stop   sync.Once
	mu     sync.Mutex // guards what follows
	failed []error
	final  *Final // once it was read
	seen   stamps // by the final read, if there is a connector
	lanes  []Lane // that it saw, by partition
	result error
}

// phase is when a client is stopped.
type phase int

const (
	sends phase = iota // producers first
	changes
	reads
	phases
)

// client is one of the traffic. It runs until ctx ends, and has until life ends
// to bring to an end what it has under way.
type client struct {
	name  string
	phase phase
	run   func(ctx, life context.Context) error
}

// Start starts the clients given. They end with Stop, or when ctx ends. The topic
// exists in the cluster; if it has no number, it is made known to the history as
// a new one. A run may have traffic on several topics, all in one history; more
// of it on the same topic is started with the Topic of the first.
func Start(ctx context.Context, target Target, h *history.History, topic history.Topic, options ...Option) (*Traffic, error) {
	t := &Traffic{target: target, history: h, topic: topic, names: map[string]int{}, begun: time.Now()}
	if err := t.target.check(); err != nil {
		return nil, err
	}
	if topic.Name == "" || topic.Partitions < 1 {
		return nil, fmt.Errorf("start traffic on topic %q: want its name and its number of partitions", topic.Name)
	}
	if topic.Number == 0 {
		t.topic.Number = h.Topic(topic)
	}
	t.reached = newReached(topic.Partitions)
	for _, option := range append([]Option{Patience{}}, options...) {
		if err := option.apply(t); err != nil {
			return nil, err
		}
	}
	t.start(ctx)
	return t, nil
}

// running are the clients of one phase.
type running struct {
	all       sync.WaitGroup
	stop, end context.CancelFunc // that they come to their end, and that they are at it
}

func (t *Traffic) start(ctx context.Context) {
	var during, life [phases]context.Context
	for i := range t.phases {
		life[i], t.phases[i].end = context.WithCancel(ctx)
		during[i], t.phases[i].stop = context.WithCancel(life[i])
	}
	for _, c := range t.clients {
		t.phases[c.phase].all.Go(func() { //nolint:contextcheck // see send
			if err := c.run(during[c.phase], life[c.phase]); err != nil {
				t.mu.Lock()
				defer t.mu.Unlock()
				t.failed = append(t.failed, err)
			}
		})
	}
}

// stopPhase stops clients and gives them so long to end.
func (t *Traffic) stopPhase(ctx context.Context, p phase, bound time.Duration) {
	t.phases[p].stop()
	within, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	over := context.AfterFunc(within, t.phases[p].end)
	defer over()
	t.phases[p].all.Wait()
	t.phases[p].end()
}

// Topic is the topic of the traffic, with its number in the history.
func (t *Traffic) Topic() history.Topic { return t.topic }

// Ledger is, after Stop, how records came through the connectors: from the files
// of sources to the topic, as the final read saw it, and on to those of sinks.
func (t *Traffic) Ledger() Ledger {
	sources, sinks := map[string]Lane{}, map[string]map[string]Lane{}
	for _, f := range t.sources {
		sources[f.Name] = f.lane
	}
	for _, f := range t.sinks {
		sinks[f.Name] = f.lanes
	}
	return Reconcile(sources, t.lanes, sinks)
}

// name gives a client its name, numbered within the role unless it has one.
func (t *Traffic) name(given, role string) string {
	if given != "" {
		return given
	}
	t.names[role]++
	return fmt.Sprintf("%s-%d", role, t.names[role])
}

// adapt says in the history what is left out because of the release.
func (t *Traffic) adapt(client, format string, args ...any) {
	t.history.Reading(history.Reading{Of: client, By: "workload", Text: fmt.Sprintf(format, args...)})
}

// Summary is what the traffic has come to so far.
func (t *Traffic) Summary() Summary {
	if t == nil {
		return Summary{}
	}
	summary := t.count.summary(time.Since(t.begun))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.final != nil {
		summary.Took, summary.Final = t.took, *t.final
	}
	return summary
}

// Stop ends the traffic: the producers stop and wait for what is under way, then
// the consumers stop, and a last consumer reads the topic on the witness plane
// until it has seen every record that was acknowledged, or its bound is over.
// Stop may be called again, and on nil; it returns the same.
//
// The errors are those of the clients and of the recording. That records were
// refused, or not found again, is none: the history tells.
func (t *Traffic) Stop(ctx context.Context) (Summary, error) {
	if t == nil {
		return Summary{}, nil
	}
	t.stop.Do(func() { t.finish(ctx) })
	return t.Summary(), t.result
}

func (t *Traffic) finish(ctx context.Context) {
	t.stopPhase(ctx, sends, t.patience.Flush)
	took := time.Since(t.begun)
	t.stopPhase(ctx, changes, t.patience.Flush)
	t.stopPhase(ctx, reads, 2*goodbye)
	final, err := t.finalRead(ctx)
	for _, sink := range t.sinks {
		within, cancel := context.WithTimeout(ctx, t.patience.Final)
		missing, failed := sink.finish(within, t.seen)
		cancel()
		final.miss(missing)
		err = errors.Join(err, failed)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took, t.final = took, &final
	t.result = errors.Join(errors.Join(t.failed...), err, t.history.Err())
}
