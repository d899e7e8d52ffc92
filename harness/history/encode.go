package history

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// AppendJSON appends the event as one line without its end. It is what
// encoding/json makes of it, by a shorter way for the kinds that come by the
// million.
func (e *Event) AppendJSON(line []byte) ([]byte, error) {
	if e.plain() {
		return e.appendPlain(line), nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return line, fmt.Errorf("encode %s: %w", e.Kind, err)
	}
	return append(line, text...), nil
}

// plain events have numbers and records only.
func (e *Event) plain() bool {
	switch e.Kind {
	case Send, Poll, Sink:
	default:
		return false
	}
	switch e.Outcome {
	case Begun, Acked, Refused, Unknown:
	default:
		return false
	}
	return e.Why == "" && len(e.Positions) == 0 && e.Topic == nil && e.Config == nil && e.Stop == nil && e.Terms == nil &&
		e.Fault == nil && e.Reading == nil && e.Owners == nil && e.Disk == nil && e.Change == nil
}

func (e *Event) appendPlain(b []byte) []byte {
	return e.appendRest(appendInt(e.appendHead(b), int64(e.At)))
}

// appendHead appends what is before the time, and appendRest what is behind it.
func (e *Event) appendHead(b []byte) []byte {
	b = append(append(append(b, `{"k":"`...), e.Kind...), '"')
	if e.Outcome != Begun {
		b = append(append(append(b, `,"x":"`...), e.Outcome...), '"')
	}
	return append(b, `,"t":`...)
}

func (e *Event) appendRest(b []byte) []byte {
	b = appendField(b, `,"d":`, int64(e.Took))
	b = appendField(b, `,"op":`, e.Op)
	b = appendField(b, `,"c":`, int64(e.Client))
	b = appendField(b, `,"s":`, e.Seq)
	if e.Partition != (Partition{}) {
		b = e.Partition.append(append(b, `,"p":`...))
	}
	b = appendField(b, `,"o":`, e.Offset)
	b = appendField(b, `,"b":`, int64(e.Broker))
	b = appendField(b, `,"tx":`, e.Txn)
	if len(e.Records) > 0 {
		b = e.Records.append(append(b, `,"r":`...))
	}
	return append(b, '}')
}

func appendField(b []byte, name string, value int64) []byte {
	if value == 0 {
		return b
	}
	return appendInt(append(b, name...), value)
}

// appendInt appends a number. Most have one digit.
func appendInt(b []byte, n int64) []byte {
	if n >= 0 && n <= 9 {
		return append(b, '0'+byte(n))
	}
	return strconv.AppendInt(b, n, 10)
}

func (p Partition) append(b []byte) []byte {
	b = appendInt(append(b, '['), int64(p.Topic))
	b = appendInt(append(b, ','), int64(p.Number))
	return append(b, ']')
}

// append writes runs of records at consecutive offsets of a partition: topic,
// partition, the first offset, and then a client and a sequence a record.
func (r Records) append(b []byte) []byte {
	b = append(b, '[')
	for i := range r {
		switch {
		case i > 0 && r[i].follows(&r[i-1]):
		default:
			if i > 0 {
				b = append(b, "],"...)
			}
			b = appendInt(append(b, '['), int64(r[i].Partition.Topic))
			b = appendInt(append(b, ','), int64(r[i].Partition.Number))
			b = appendInt(append(b, ','), r[i].Offset)
		}
		b = appendInt(append(b, ','), int64(r[i].Client))
		b = appendInt(append(b, ','), r[i].Seq)
	}
	if len(r) > 0 {
		b = append(b, ']')
	}
	return append(b, ']')
}

func (r *Record) follows(before *Record) bool {
	return r.Partition == before.Partition && r.Offset == before.Offset+1
}

// MarshalJSON writes [topic,partition].
func (p Partition) MarshalJSON() ([]byte, error) { return p.append(nil), nil }

// MarshalJSON writes runs of records, see Event.
func (r Records) MarshalJSON() ([]byte, error) { return r.append(nil), nil }

// MarshalJSON writes [topic,partition,offset] for each.
func (p Positions) MarshalJSON() ([]byte, error) {
	rows := make([][3]int64, len(p))
	for i, one := range p {
		rows[i] = [3]int64{int64(one.Partition.Topic), int64(one.Partition.Number), one.Offset}
	}
	return json.Marshal(rows)
}
