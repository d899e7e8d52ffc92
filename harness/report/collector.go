package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

// collector makes a timeline of events, one after the other.
type collector struct {
	t       Timeline
	lanes   map[string]*Lane
	clients map[int]*Lane
	roles   map[int]history.Role
	topics  map[int]string
	faults  map[int]*use
	flow    flow
	owned   map[string]string // tasks by worker, as last told
}

func newCollector(header history.Header) *collector {
	return &collector{t: Timeline{Header: header}, lanes: map[string]*Lane{}, clients: map[int]*Lane{}, roles: map[int]history.Role{},
		topics: map[int]string{}, faults: map[int]*use{}, flow: newFlow(), owned: map[string]string{}}
}

func (c *collector) take(e *history.Event) {
	c.t.Length = max(c.t.Length, e.At)
	switch e.Kind {
	case history.Send:
		c.send(e)
	case history.Poll, history.Sink:
		c.read(e)
	case history.TopicMark:
		c.topics[e.Topic.Number] = e.Topic.Name
		c.tell(e.At, "topics", "%s has %d partitions, %d replicas, min.insync.replicas=%d", e.Topic.Name, e.Topic.Partitions, e.Topic.Replicas, e.Topic.MinInSync)
	case history.ClientMark:
		c.client(e)
	case history.StopMark:
		c.stopped(e)
	case history.FaultMark:
		c.fault(e.At, e.Fault)
	case history.ReadingMark:
		c.reading(e.At, e.Reading)
	case history.OwnersMark:
		c.owners(e.At, e.Owners)
	case history.Commit, history.Abort, history.Store, history.Admin:
		c.operation(e)
	case history.EndMark:
		c.tell(e.At, "run", "the end of the run as planned")
	}
}

func (c *collector) tell(at time.Duration, lane, format string, args ...any) {
	c.t.Entries = append(c.t.Entries, Entry{at, lane, fmt.Sprintf(format, args...)})
}

// lane is that of the name, which is made where there is none.
func (c *collector) lane(name string, group Group) *Lane {
	if found := c.lanes[name]; found != nil {
		return found
	}
	made := &Lane{Name: name, Group: group}
	c.lanes[name] = made
	return made
}

// operation tells of changes and of what failed; the rest would be too much.
func (c *collector) operation(e *history.Event) {
	name := c.clientName(e.Client)
	switch {
	case e.Kind == history.Admin && e.Outcome != history.Begun:
		c.tell(e.At, name, "%s %s %s: %s %s", e.Change.What, c.topics[e.Change.Topic], e.Change.Text, e.Outcome, e.Why)
	case e.Outcome == history.Refused || e.Outcome == history.Unknown:
		c.tell(e.At, name, "%s: %s, %s", e.Kind, e.Outcome, e.Why)
		c.point(c.clients[e.Client], e.At, fmt.Sprintf("%s: %s, %s", e.Kind, e.Outcome, e.Why))
	}
}

func (c *collector) client(e *history.Event) {
	lane := c.lane(e.Config.Name, Clients)
	c.clients[e.Client], c.roles[e.Client] = lane, e.Config.Role
	promise := string(e.Config.Role)
	for _, is := range []struct {
		so   bool
		text string
	}{{e.Config.Acks != "", "acks=" + e.Config.Acks}, {e.Config.Idempotent, "idempotent"}, {e.Config.Transactional, "transactional"},
		{e.Config.Group != "", "group " + e.Config.Group}, {e.Config.Committed, "read_committed"}, {e.Config.Final, "the final reading"}} {
		if is.so {
			promise += ", " + is.text
		}
	}
	c.tell(e.At, lane.Name, "starts: %s", promise)
}

func (c *collector) clientName(number int) string {
	if lane := c.clients[number]; lane != nil {
		return lane.Name
	}
	return "client " + strconv.Itoa(number)
}

func (c *collector) stopped(e *history.Event) {
	how := "stopped"
	if !e.Stop.Clean {
		how = "ended without a word"
	}
	if e.Stop.Node == "" {
		c.tell(e.At, c.clientName(e.Client), "%s", how)
		c.flow.forget(e.Client)
		return
	}
	c.tell(e.At, e.Stop.Node, "%s", how)
	c.point(c.lane(e.Stop.Node, groupOf(e.Stop.Node)), e.At, how)
}

const mostPoints = 200 // of a lane, that are drawn

func (c *collector) point(lane *Lane, at time.Duration, text string) {
	if lane != nil && len(lane.Points) < mostPoints {
		lane.Points = append(lane.Points, Point{at, text})
	}
}

// groupOf tells what a lane is of by its name.
func groupOf(name string) Group {
	if _, err := topology.ParseNode(name); err == nil {
		return Nodes
	}
	if _, err := topology.ParseLink(name); err == nil {
		return Links
	}
	if strings.Contains(name, "→") {
		return Links
	}
	return Cluster
}

var digits = regexp.MustCompile(`\d+`)

// natural is a key by which broker-2 comes before broker-10.
func natural(name string) string {
	return digits.ReplaceAllStringFunc(name, func(n string) string { return fmt.Sprintf("%9s", n) })
}

// finish ends what lasts, and puts the lanes in order.
func (c *collector) finish() Timeline {
	t := &c.t
	c.endFaults()
	c.endGaps()
	t.Gap = c.flow.longest
	for _, lane := range c.lanes {
		lane.end(t.Length)
		if lane.steady() {
			t.Steady = append(t.Steady, strings.TrimPrefix(lane.Name, leaderPrefix))
			continue
		}
		t.Lanes = append(t.Lanes, *lane)
	}
	slices.SortFunc(t.Lanes, func(a, b Lane) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(rank(a), rank(b)), cmp.Compare(natural(a.Name), natural(b.Name)))
	})
	slices.SortFunc(t.Steady, func(a, b string) int { return cmp.Compare(natural(a), natural(b)) })
	slices.SortStableFunc(t.Entries, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	t.sortViolations()
	return *t
}

// rank puts ZooKeeper before brokers before workers, the controller before
// leaders, and who writes before who reads.
func rank(lane Lane) int {
	for i, prefix := range []string{"zk-", "broker-", "worker-", "controller", "connect", "producer", "source", "consumer", "sink"} {
		if lane.Group != Links && strings.HasPrefix(lane.Name, prefix) {
			return i
		}
	}
	return 100
}

// end lets the last state of each band last until the end.
func (l *Lane) end(at time.Duration) {
	for _, band := range l.Bands {
		band[len(band)-1].To = at
	}
	if len(l.Bands) > 1 { // a process that always ran says nothing beside another state
		l.Bands = slices.DeleteFunc(l.Bands, func(band []Span) bool {
			return len(band) == 1 && band[0].Level == Fine && &band[0] == &l.Bands[slices.Index(l.bands, "process")][0]
		})
	}
}

// steady says that it is a leader's lane that has nothing to show.
func (l *Lane) steady() bool {
	return strings.HasPrefix(l.Name, leaderPrefix) && len(l.Bands) == 1 && len(l.Bands[0]) == 1 && l.Bands[0][0].Level == Fine
}
