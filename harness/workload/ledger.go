package workload

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Stamp is what a line or a record says of itself: who sent it, as which of its
// records. Its Client is 0 if it says nothing that can be read.
type Stamp struct {
	Client int
	Seq    int64
}

func (s Stamp) String() string { return fmt.Sprintf("client %d #%d", s.Client, s.Seq) }

// Lane is what passed one way, in order: a file, or a partition of a topic.
type Lane []Stamp

// ParseLines reads the lines of a file, of which the last one counts only if it
// is ended.
func ParseLines(run string, text []byte) Lane {
	var lane Lane
	for {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		if !ended {
			return lane
		}
		client, seq, _ := ParseValue(run, bytes.TrimSuffix(line, []byte{'\r'}))
		lane, text = append(lane, Stamp{client, seq}), rest
	}
}

// Passage is how records came from one place to the next.
type Passage struct {
	In, Out   int     // records that went in, and that came out, repeated ones included
	Missing   []Stamp // went in and did not come out
	Strange   []Stamp // came out and had not gone in
	Repeated  []Stamp // came out more often than it went in, once for each time too many
	Reordered []Stamp // came out first in a lane behind what had gone into their own lane later
}

// Compare follows records from the lanes they went into to those where they came
// out. Order is kept if it is between any two lanes, as by Kafka's partitions.
// What went in twice may come out once or twice, and has the place of the first.
func Compare(in, out []Lane) Passage {
	var p Passage
	type place struct{ lane, index, times int }
	placed := map[Stamp]place{}
	for lane := range in {
		p.In += len(in[lane])
		for index, stamp := range in[lane] {
			first, twice := placed[stamp]
			if !twice {
				first = place{lane, index, 0}
			}
			first.times++
			placed[stamp] = first
		}
	}
	came := map[Stamp]int{}
	for _, lane := range out {
		p.Out += len(lane)
		furthest := make([]int, len(in))
		for _, stamp := range lane {
			from, known := placed[stamp]
			switch {
			case !known:
				p.Strange = append(p.Strange, stamp)
			case came[stamp] >= from.times:
				p.Repeated = append(p.Repeated, stamp)
			case came[stamp] > 0: // as often as it went in
			case from.index < furthest[from.lane]:
				p.Reordered = append(p.Reordered, stamp)
			default:
				furthest[from.lane] = from.index
			}
			came[stamp]++
		}
	}
	for lane := range in {
		for index, stamp := range in[lane] {
			if first := placed[stamp]; came[stamp] == 0 && first.lane == lane && first.index == index {
				p.Missing = append(p.Missing, stamp)
			}
		}
	}
	return p
}

// Whole says that everything came, once and in order.
func (p Passage) Whole() bool {
	return len(p.Missing)+len(p.Strange)+len(p.Repeated)+len(p.Reordered) == 0
}

func (p Passage) String() string {
	text := fmt.Sprintf("%d in, %d out", p.In, p.Out)
	for _, part := range []struct {
		what string
		list []Stamp
	}{{"missing", p.Missing}, {"strange", p.Strange}, {"repeated", p.Repeated}, {"reordered", p.Reordered}} {
		if len(part.list) > 0 {
			text += fmt.Sprintf(", %d %s, first %v", len(part.list), part.what, part.list[0])
		}
	}
	return text
}

// Ledger is how records came from the files of sources over the topic to the
// files of sinks.
type Ledger struct {
	Sources map[string]Passage // by source: from its file to the topic
	Sinks   map[string]Passage // by sink: from the topic to all its files together
	Files   map[string]Passage // by sink and file: only what came there, for order and repetition of one task
}

// Reconcile compares what was put into the files of sources, what the partitions
// of the topic hold, and what the files of sinks hold, each by its name: the
// files of a sink are those of the workers that ran its tasks.
func Reconcile(sources map[string]Lane, topic []Lane, sinks map[string]map[string]Lane) Ledger {
	ledger := Ledger{Sources: map[string]Passage{}, Sinks: map[string]Passage{}, Files: map[string]Passage{}}
	for name, file := range sources {
		ledger.Sources[name] = Compare([]Lane{file}, only(topic, file))
	}
	for name, files := range sinks {
		var lanes []Lane
		for _, file := range slices.Sorted(maps.Keys(files)) {
			lanes = append(lanes, files[file])
		}
		ledger.Sinks[name] = Compare(topic, lanes)
		for file, lane := range files {
			ledger.Files[name+" "+file] = Compare(only(topic, lane), []Lane{lane})
		}
	}
	return ledger
}

// only leaves of the lanes what a file has, or its clients sent.
func only(lanes []Lane, of Lane) []Lane {
	has := map[Stamp]bool{}
	for _, stamp := range of {
		has[stamp] = true
	}
	kept := make([]Lane, len(lanes))
	for i, lane := range lanes {
		for _, stamp := range lane {
			if has[stamp] {
				kept[i] = append(kept[i], stamp)
			}
		}
	}
	return kept
}

func (l Ledger) String() string {
	var text strings.Builder
	for _, part := range []struct {
		what string
		by   map[string]Passage
	}{{"source", l.Sources}, {"sink", l.Sinks}, {"file", l.Files}} {
		for _, name := range slices.Sorted(maps.Keys(part.by)) {
			fmt.Fprintf(&text, "%s %s: %v\n", part.what, name, part.by[name])
		}
	}
	return text.String()
}
