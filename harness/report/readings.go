package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"kafkachaos/harness/history"
)

const leaderPrefix = "leader of "

var (
	readBy     = regexp.MustCompile(`,? ?\(read by [^()]*\)`)
	session    = regexp.MustCompile(`session (0x[0-9a-f]+)`)
	controller = regexp.MustCompile(`^(broker-\d+) is the controller, epoch (\d+)`)
	leader     = regexp.MustCompile(`is led by (broker-\d+), in sync (\[[\d ]*\])`)
	process    = regexp.MustCompile(`is (\w+), (pid \d+)`)
	ended      = regexp.MustCompile(`exit code -?\d+`)
	group      = regexp.MustCompile(`is (\w+) in generation (-?\d+)`)
)

// reading puts what was read on the lane of its subject. The rig's remarks on
// faults are in the text only, but for those that went wrong.
func (c *collector) reading(at time.Duration, r *history.Reading) {
	text := strings.TrimSpace(readBy.ReplaceAllString(r.Text, ""))
	if r.By == "the rig" {
		c.tell(at, "faults", "%s: %s", r.Of, text)
		return
	}
	name, of, _ := strings.Cut(r.Of, " ")
	switch {
	case strings.HasPrefix(r.Of, leaderPrefix):
		name, of = r.Of, "leader"
	case of == "group":
		name = r.Of
	}
	c.tell(at, strings.TrimPrefix(name, leaderPrefix), "%s", text)
	if lane := c.lanes[name]; lane != nil && lane.Group == Clients {
		c.point(lane, at, text)
		return
	}
	level, label := standing(of, text)
	if of == "" {
		level, label = standing(name, text)
	}
	c.lane(name, groupOf(name)).state(of, at, Span{Level: level, Label: label, Text: text})
}

// standing is what a text says of its subject, in short. What is not known is
// taken for fine, and shown as it is.
func standing(of, text string) (level Level, label string) {
	find := func(pattern *regexp.Regexp, n int) string {
		if found := pattern.FindStringSubmatch(text); found != nil {
			return found[n]
		}
		return ""
	}
	if strings.HasPrefix(text, "could not read") {
		return Unread, "could not be read"
	}
	switch of {
	case "registration":
		if id := find(session, 1); id != "" {
			return Fine, "session " + id
		}
		return Gone, "not registered"
	case "process":
		return processStanding(find)
	case "controller":
		if find(controller, 1) != "" {
			return Fine, find(controller, 1) + ", epoch " + find(controller, 2)
		}
		return Gone, "no controller"
	case "leader":
		if find(leader, 1) != "" {
			return Fine, find(leader, 1) + ", in sync " + find(leader, 2)
		}
		return Gone, "no leader"
	case "group":
		state, generation := find(group, 1), find(group, 2)
		switch {
		case generation == "":
			return Gone, text
		case state != "Stable":
			return Odd, fmt.Sprintf("generation %s, %s", generation, state)
		}
		return Fine, "generation " + generation
	}
	return Fine, text
}

func processStanding(find func(*regexp.Regexp, int) string) (Level, string) {
	switch state := find(process, 1); {
	case state == "running":
		return Fine, "process " + find(process, 2)
	case state != "":
		return Odd, "process " + state
	case find(ended, 0) != "":
		return Gone, "process ended, " + find(ended, 0)
	}
	return Gone, "no process"
}

// state begins the next state in a band, and ends the one before. The same one
// goes on.
func (l *Lane) state(band string, at time.Duration, next Span) {
	i := slices.Index(l.bands, band)
	if i < 0 {
		i = len(l.bands)
		l.bands, l.Bands = append(l.bands, band), append(l.Bands, nil)
	}
	next.From, next.To = at, at
	if spans := l.Bands[i]; len(spans) > 0 {
		last := &spans[len(spans)-1]
		if last.Label == next.Label && last.Level == next.Level {
			return
		}
		last.To = at
	}
	l.Bands[i] = append(l.Bands[i], next)
}

// owners puts the tasks that each member owns on its lane, when they change.
func (c *collector) owners(at time.Duration, o *history.Owners) {
	changed := false
	seen := map[string]bool{}
	for _, member := range slices.Sorted(maps.Keys(o.Owned)) {
		seen[member] = true
		changed = c.owns(at, member, slices.Sorted(slices.Values(o.Owned[member]))) || changed
	}
	for _, member := range slices.Sorted(maps.Keys(c.owned)) {
		if !seen[member] && c.owned[member] != noMember {
			c.owned[member] = noMember
			c.lane(member, groupOf(member)).state("tasks", at, Span{Level: Gone, Label: noMember, Text: noMember + " in generation " + fmt.Sprint(o.Generation)})
			changed = true
		}
	}
	if changed {
		c.tell(at, "connect group", "in generation %d of %s: %s", o.Generation, o.Group, ownership(o.Owned))
	}
}

const noMember = "not a member"

func (c *collector) owns(at time.Duration, member string, tasks []string) bool {
	label := "no tasks"
	if len(tasks) > 0 {
		label = "tasks " + strings.Join(tasks, " ")
	}
	if c.owned[member] == label {
		return false
	}
	c.owned[member] = label
	if lane := c.lane(member, groupOf(member)); lane.Group == Nodes {
		lane.state("tasks", at, Span{Level: Fine, Label: label, Text: label})
	}
	return true
}

func ownership(owned map[string][]string) string {
	var all []string
	for _, member := range slices.Sorted(maps.Keys(owned)) {
		all = append(all, fmt.Sprintf("%s %v", member, slices.Sorted(slices.Values(owned[member]))))
	}
	return strings.Join(all, ", ")
}
