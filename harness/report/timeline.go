package report

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// Group says what a lane is of.
type Group int

// The groups of lanes, in the order in which they are shown.
const (
	Links Group = iota
	Nodes
	Cluster // its controller, its Connect group, the leaders of its partitions
	Clients
)

func (g Group) String() string { return [...]string{"Links", "Nodes", "Cluster", "Clients"}[g] }

// Level is how a state stands.
type Level string

// The levels.
const (
	Fine   Level = "fine"
	Gone   Level = "gone"   // absent, ended, without a leader
	Odd    Level = "odd"    // there, but not as it should be, such as paused
	Unread Level = "unread" // nobody knows: it could not be read
)

// Span is a state for as long as it lasted.
type Span struct {
	From, To time.Duration
	Level    Level
	Label    string // short, for the picture
	Text     string // what was read, in full
}

// Window is one use of a fault on one lane. Times of what did not happen are -1.
type Window struct {
	Number                      int
	Name                        string // in full
	Kind                        string
	Intended, Injected, Seen    time.Duration
	Refuted, Healed             time.Duration
	Recovered, Unrecovered, End time.Duration // End is the end of the history
	Instant                     bool
	Why                         string // it has not recovered
}

// Proved says that the fault was seen in effect, and never seen not to be.
func (w Window) Proved() bool { return w.Seen >= 0 && w.Refuted < 0 }

// Until is when it was over.
func (w Window) Until() time.Duration {
	switch {
	case w.Healed >= 0:
		return w.Healed
	case w.Injected < 0 || w.Instant:
		return w.Intended
	}
	return w.End
}

// Second is what one client did in one second.
type Second struct {
	Acked, Failed int           // Failed are refused or unknown
	Latency       time.Duration // from the send to its acknowledgement, the slowest; 0 of what has none
	total         time.Duration
}

// Mean is the mean time from a send to its acknowledgement.
func (s Second) Mean() time.Duration { return s.total / time.Duration(max(1, s.Acked)) }

// Point is something that happened at a moment.
type Point struct {
	At   time.Duration
	Text string
}

// Lane is all that is told of one node, link, client or part of the cluster.
type Lane struct {
	Name   string
	Group  Group
	Faults []Window
	Bands  [][]Span // each of states that follow each other
	Points []Point
	Rate   []Second // by the second, of clients
	Gaps   []Span   // no acknowledgement, of clients

	bands []string // their names
}

// Wait is a time that something took, and what.
type Wait struct {
	Took time.Duration
	Of   string
}

func (w *Wait) atLeast(took time.Duration, of string) {
	if took > w.Took {
		*w = Wait{took, of}
	}
}

// Entry is a line of the timeline as text.
type Entry struct {
	At         time.Duration
	Lane, What string
}

// Violation is something that was found, at a moment.
type Violation struct {
	At   time.Duration
	Law  string // that it breaks, or the assertion that failed
	Text string
}

// Timeline is what happened in a run, by lanes.
type Timeline struct {
	Header     history.Header
	Length     time.Duration
	Lanes      []Lane
	Entries    []Entry
	Violations []Violation // the first one first
	Acked      int         // records
	Gap        Wait        // the longest between acknowledgements, of a partition
	Recovery   Wait        // the slowest after a heal, of a fault
	Steady     []string    // partitions whose leader never changed, which have no lane
	// Doubt is why the timeline is not whole, or what could not be judged.
	Doubt string
}

// Load reads the timeline of the history in a folder.
func Load(folder string) (Timeline, error) {
	r, file, err := history.Open(folder)
	if err != nil {
		return Timeline{}, err
	}
	defer file.Close()
	return Of(r), nil
}

// Of reads the rest of a history, and has it judged on the way. A history that
// cannot be read or judged to its end is shown as far as it goes.
func Of(r *history.Reader) Timeline {
	c := newCollector(r.Header)
	judge, err := invariant.New(r.Header)
	c.doubt(err)
	for e, err := range r.Events() {
		if err != nil {
			c.doubt(err)
			break
		}
		c.take(e)
		if judge == nil {
			continue
		}
		if err := judge.Take(e); err != nil {
			c.doubt(err)
			judge = nil
		}
	}
	if r.Torn() {
		c.doubt(errors.New("the last line was torn by a crash"))
	}
	if judge != nil {
		c.violations(judge.Report())
	}
	return c.finish()
}

// Missing says that there was no history to read.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, history.ErrEmpty)
}

func (c *collector) doubt(err error) {
	if err != nil {
		c.t.Doubt = strings.TrimPrefix(c.t.Doubt+"; "+err.Error(), "; ")
	}
}

// violations takes over what was found broken, and no more than the judge kept.
func (c *collector) violations(r invariant.Report) {
	for _, law := range r.Laws {
		for _, v := range law.Kept {
			c.t.Violations = append(c.t.Violations, Violation{v.At, law.Law.String(), v.String()})
		}
	}
}

// Failed adds the failure of the scenario itself, as of the wall clock.
func (t *Timeline) Failed(s Scenario) {
	if s.FailedAt.IsZero() {
		return
	}
	law := s.Finding
	if law == "" {
		law = string(s.Verdict)
	}
	at := min(max(0, s.FailedAt.Sub(t.Header.Origin)), t.Length)
	t.Violations = append(t.Violations, Violation{at, law, s.Reason})
	t.sortViolations()
}

func (t *Timeline) sortViolations() {
	slices.SortStableFunc(t.Violations, func(a, b Violation) int { return int(a.At - b.At) })
}

// seconds renders a time of the timeline.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
