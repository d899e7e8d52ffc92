package history

import "time"

// scanPlain reads what appendPlain writes, byte for byte. False means that the
// line is something else, not that it is wrong.
func (e *Event) scanPlain(line []byte) bool {
	s := scanner{rest: line, ok: true}
	switch {
	case s.skip(`{"k":"send"`):
		e.Kind = Send
	case s.skip(`{"k":"poll"`):
		e.Kind = Poll
	case s.skip(`{"k":"sink"`):
		e.Kind = Sink
	default:
		return false
	}
	switch {
	case s.skip(`,"x":"acked"`):
		e.Outcome = Acked
	case s.skip(`,"x":"refused"`):
		e.Outcome = Refused
	case s.skip(`,"x":"unknown"`):
		e.Outcome = Unknown
	}
	s.must(`,"t":`)
	e.At = time.Duration(s.number())
	e.Took = time.Duration(s.field(`,"d":`))
	e.Op = s.field(`,"op":`)
	e.Client = int(s.field(`,"c":`))
	e.Seq = s.field(`,"s":`)
	if s.skip(`,"p":[`) {
		e.Partition.Topic = int(s.number())
		s.must(",")
		e.Partition.Number = int(s.number())
		s.must("]")
	}
	e.Offset = s.field(`,"o":`)
	e.Broker = int(s.field(`,"b":`))
	e.Txn = s.field(`,"tx":`)
	if s.skip(`,"r":[`) {
		e.Records = s.records(e.Records)
	}
	s.must("}")
	return s.ok && len(s.rest) == 0
}

// scanner goes through a line; after the first thing that is not as expected
// it is not ok.
type scanner struct {
	rest []byte
	ok   bool
}

func (s *scanner) skip(text string) bool {
	if len(s.rest) < len(text) || string(s.rest[:len(text)]) != text {
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

func (s *scanner) must(text string) { s.ok = s.skip(text) && s.ok }

// field reads a number that may be there, by its name with what is around it.
// Most are not there, which the first letter tells.
func (s *scanner) field(name string) int64 {
	if len(s.rest) < len(name) || s.rest[2] != name[2] || !s.skip(name) {
		return 0
	}
	return s.number()
}

// number reads an integer as strconv writes it, up to 18 digits.
func (s *scanner) number() int64 {
	rest := s.rest
	negative := len(rest) > 0 && rest[0] == '-'
	if negative {
		rest = rest[1:]
	}
	n, digits := int64(0), 0
	for _, c := range rest {
		if c -= '0'; c > 9 {
			break
		}
		n = n*10 + int64(c)
		digits++
	}
	if digits == 0 || digits > 18 || digits > 1 && rest[0] == '0' {
		s.ok = false
		return 0
	}
	s.rest = rest[digits:]
	if negative {
		return -n
	}
	return n
}

// records reads runs up to the end of the list, behind its opening bracket.
func (s *scanner) records(into Records) Records {
	for s.ok {
		s.must("[")
		r := Record{}
		r.Partition.Topic = int(s.number())
		s.must(",")
		r.Partition.Number = int(s.number())
		s.must(",")
		r.Offset = s.number()
		for first := true; s.ok && (first || !s.skip("]")); first = false {
			s.must(",")
			r.Client = int(s.number())
			s.must(",")
			r.Seq = s.number()
			into = append(into, r)
			r.Offset++
		}
		if s.skip("]") {
			return into
		}
		s.must(",")
	}
	return into
}
