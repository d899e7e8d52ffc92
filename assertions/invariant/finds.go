package invariant

import (
	"fmt"
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// mostKept is how many violations of one kind are kept for the report; all are
// counted.
const mostKept = 10

// key says of which kind a violation is: what promises that it shall not be.
type key struct {
	law    Law
	client int // the producer for laws about records, else the reader; 0 for none
	topic  int // its number; 0 for none
}

// Violation is one breach of a law.
type Violation struct {
	Law       Law
	Record    string        // such as "producer-1 #7", or the task
	Partition string        // such as "orders/0"; empty if there is none
	Offset    int64         // -1 if there is none
	At        time.Duration // of the acknowledgement if there is one, else when it was seen
	Broker    int           // that led, as the client knew when the record was acknowledged; -1 if none did, or it was not
	Faults    []string      // that were active then
	Disk      []string      // what was found at the offset in logs on disk
	Text      string        // what is wrong

	// Of is the record again, to be looked for in logs on disk; its client is 0 if
	// the violation is about no record at an offset.
	Of history.Record
}

// Records are the records at offsets that violations name, promised or not, each
// once: what may be looked for in logs on disk.
func (r Report) Records() []history.Record {
	var records []history.Record
	for _, law := range r.Laws {
		for _, v := range slices.Concat(law.Kept, law.KeptThere) {
			if v.Of.Client > 0 && v.Of.Offset >= 0 && !slices.Contains(records, v.Of) {
				records = append(records, v.Of)
			}
		}
	}
	return records
}

// finds are the violations, counted by kind.
type finds struct {
	byKey map[key]*found
}

type found struct {
	count int
	kept  []Violation
}

// add counts a violation and keeps it if it is among the first of its kind.
func (f *finds) add(k key, describe func() Violation) {
	if f.byKey == nil {
		f.byKey = map[key]*found{}
	}
	entry := f.byKey[k]
	if entry == nil {
		entry = &found{}
		f.byKey[k] = entry
	}
	entry.count++
	if len(entry.kept) < mostKept {
		v := describe()
		v.Law = k.law
		entry.kept = append(entry.kept, v)
	}
}

func (j *Judge) record(client int, seq int64) string {
	if client < 1 || client > len(j.clients) {
		return fmt.Sprintf("an unknown record (client %d #%d)", client, seq)
	}
	return fmt.Sprintf("%s #%d", j.clients[client-1], seq)
}

// violation describes one that is about a record. Its time is that of the
// acknowledgement, if there was one.
func (j *Judge) violation(client int, seq int64, p *partition, offset int64, now time.Duration, text string) Violation {
	v := Violation{Record: j.record(client, seq), Partition: p.String(), Offset: offset, At: now, Broker: -1, Text: text,
		Of: history.Record{Partition: history.Partition{Topic: p.topic.Number, Number: p.number}, Offset: offset, Client: client, Seq: seq}}
	if s := j.sent(client, seq); s != nil && s.marks&acked != 0 {
		v.At, v.Broker = s.at, int(s.broker)
	}
	return v
}

// tallies count what was checked, by kind.
type tallies struct {
	byWhom map[whom]*[lawCount]int
	last   whom
	tally  *[lawCount]int // of last
}

// whom is a key without its law.
type whom struct{ client, topic int }

func (j *Judge) check(k key) {
	t := &j.checked
	if w := (whom{k.client, k.topic}); t.tally == nil || w != t.last {
		t.last, t.tally = w, t.of(w)
	}
	t.tally[k.law]++
}

// checks adds many.
func (j *Judge) checks(k key, count int) {
	if count > 0 {
		j.checked.of(whom{k.client, k.topic})[k.law] += count
	}
}

func (t *tallies) of(w whom) *[lawCount]int {
	if t.byWhom == nil {
		t.byWhom = map[whom]*[lawCount]int{}
	}
	if t.byWhom[w] == nil {
		t.byWhom[w] = new([lawCount]int)
	}
	return t.byWhom[w]
}

var sprintf = fmt.Sprintf
