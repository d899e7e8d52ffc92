package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// DecodeJSON reads one line into the event, whose Records it uses again. What
// AppendJSON writes for plain events takes a short way; everything else is left
// to encoding/json.
func (e *Event) DecodeJSON(line []byte) error {
	records := e.Records[:0]
	*e = Event{Records: records}
	if e.scanPlain(line) {
		return e.Check()
	}
	*e = Event{Records: records[:0]}
	if err := json.Unmarshal(line, e); err != nil {
		return err
	}
	return e.Check()
}

// highest is the highest offset and sequence that is taken for true, so that
// whoever counts on from there need not fear for his integers.
const highest = 1 << 60

// Check refuses what no kind of event can mean. Events from a Reader are
// checked.
func (e *Event) Check() error {
	switch e.Outcome {
	case Begun, Acked, Refused, Unknown:
	default:
		return fmt.Errorf("there is no outcome %q", e.Outcome)
	}
	switch {
	case e.Kind == "":
		return errors.New("it has no kind")
	case min(e.At, e.Took) < 0 || min(e.Op, e.Seq, e.Txn) < 0 || e.Client < 0:
		return errors.New("a time or a number is negative")
	case e.Offset < -1 || e.Broker < -1 || !e.Partition.valid():
		return errors.New("an offset, a broker or a partition is less than -1")
	case max(e.Offset, e.Seq) > highest:
		return errors.New("an offset or a sequence is out of reach")
	}
	for i := range e.Records {
		if r := &e.Records[i]; min(r.Offset, r.Seq) < 0 || max(r.Offset, r.Seq) > highest || min(r.Client, r.Partition.Number, r.Partition.Topic) < 0 {
			return fmt.Errorf("record %d of the poll has a negative number, or one out of reach", i)
		}
	}
	for i, p := range e.Positions {
		if p.Offset < 0 || p.Offset > highest || min(p.Partition.Number, p.Partition.Topic) < 0 {
			return fmt.Errorf("position %d has a negative number, or one out of reach", i)
		}
	}
	return e.checkFacts()
}

// checkFacts refuses a mark that does not carry what it is about.
func (e *Event) checkFacts() error {
	missing := false
	switch e.Kind {
	case TopicMark:
		missing = e.Topic == nil
	case ClientMark:
		missing = e.Config == nil
	case StopMark:
		missing = e.Stop == nil
	case TermsMark:
		missing = e.Terms == nil
	case FaultMark:
		missing = e.Fault == nil
	case ReadingMark:
		missing = e.Reading == nil
	case OwnersMark:
		missing = e.Owners == nil
	case DiskMark:
		missing = e.Disk == nil
	case Admin:
		missing = e.Change == nil
	}
	if missing {
		return fmt.Errorf("a line of kind %q does not carry what it is about", e.Kind)
	}
	return nil
}

func (p Partition) valid() bool { return p.Topic >= 0 && p.Number >= -1 }

var kinds = []Kind{Send, Poll, Sink, Begin, Commit, Abort, Store, Admin, TopicMark, ClientMark, StopMark, TermsMark, FaultMark,
	ReadingMark, AssignMark, RevokeMark, PositionMark, OwnersMark, DiskMark, EndMark}

// Known says whether this release of the package knows the kind.
func (k Kind) Known() bool { return slices.Contains(kinds, k) }

// UnmarshalJSON reads [topic,partition].
func (p *Partition) UnmarshalJSON(text []byte) error {
	var numbers []int
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	if len(numbers) != 2 {
		return fmt.Errorf("a partition is [topic,number], not %s", text)
	}
	*p = Partition{numbers[0], numbers[1]}
	return nil
}

// UnmarshalJSON reads runs of records, see Event.
func (r *Records) UnmarshalJSON(text []byte) error {
	var runs [][]int64
	if err := json.Unmarshal(text, &runs); err != nil {
		return err
	}
	*r = (*r)[:0]
	for _, run := range runs {
		if len(run) < 5 || len(run)%2 == 0 {
			return fmt.Errorf("a run of records is [topic,partition,offset,client,seq…], not %d numbers", len(run))
		}
		for i, values := int64(0), run[3:]; len(values) > 0; i, values = i+1, values[2:] {
			*r = append(*r, Record{Partition{int(run[0]), int(run[1])}, run[2] + i, int(values[0]), values[1]})
		}
	}
	return nil
}

// UnmarshalJSON reads [topic,partition,offset] for each.
func (p *Positions) UnmarshalJSON(text []byte) error {
	var rows [][]int64
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	*p = (*p)[:0]
	for _, row := range rows {
		if len(row) != 3 {
			return fmt.Errorf("a position is [topic,partition,offset], not %d numbers", len(row))
		}
		*p = append(*p, Position{Partition{int(row[0]), int(row[1])}, row[2]})
	}
	return nil
}
