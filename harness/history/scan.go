package history

import "time"

// scanPlain reads what appendPlain writes, byte for byte. False means that the
// line is something else, not that it is wrong.
func (e *Event) scanPlain(line []byte) bool {
	s := scanner{line: line, ok: true}
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
	s.ok = s.skip(`,"t":`)
	e.At = time.Duration(s.number())
	e.Took = time.Duration(s.field(`,"d":`))
	e.Op = s.field(`,"op":`)
	e.Client = int(s.field(`,"c":`))
	e.Seq = s.field(`,"s":`)
	if s.skip(`,"p":[`) {
		e.Partition.Topic = int(s.number())
		s.must(',')
		e.Partition.Number = int(s.number())
		s.must(']')
	}
	e.Offset = s.field(`,"o":`)
	e.Broker = int(s.field(`,"b":`))
	e.Txn = s.field(`,"tx":`)
	if s.skip(`,"r":[`) {
		e.Records = s.records(e.Records)
	}
	s.must('}')
	return s.ok && s.at == len(line)
}

// scanner goes through a line; after the first thing that is not as expected
// it is not ok.
type scanner struct {
	line []byte
	at   int
	ok   bool
}

func (s *scanner) skip(text string) bool {
	end := s.at + len(text)
	if end > len(s.line) || string(s.line[s.at:end]) != text {
		return false
	}
	s.at = end
	return true
}

func (s *scanner) next(c byte) bool {
	if s.at >= len(s.line) || s.line[s.at] != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) must(c byte) { s.ok = s.next(c) && s.ok }

// field reads a number that may be there, by its name with what is around it.
// Most are not there, which the first letter tells.
func (s *scanner) field(name string) int64 {
	if len(s.line)-s.at < len(name) || s.line[s.at+2] != name[2] || !s.skip(name) {
		return 0
	}
	return s.number()
}

// number reads an integer as strconv writes it, up to 18 digits.
func (s *scanner) number() int64 {
	line, start := s.line, s.at
	negative := start < len(line) && line[start] == '-'
	if negative {
		start++
	}
	n, end := int64(0), start
	for ; end < len(line); end++ {
		c := line[end] - '0'
		if c > 9 {
			break
		}
		n = n*10 + int64(c)
	}
	digits := end - start
	if digits == 0 || digits > 18 || digits > 1 && line[start] == '0' || negative && n == 0 {
		s.ok = false
		return 0
	}
	s.at = end
	if negative {
		return -n
	}
	return n
}

// records reads runs up to the end of the list, behind its opening bracket.
func (s *scanner) records(into Records) Records {
	for s.ok {
		s.must('[')
		r := Record{}
		r.Partition.Topic = int(s.number())
		s.must(',')
		r.Partition.Number = int(s.number())
		s.must(',')
		r.Offset = s.number()
		for first := true; s.ok && (first || !s.next(']')); first = false {
			s.must(',')
			r.Client = int(s.number())
			s.must(',')
			r.Seq = s.number()
			into = append(into, r)
			r.Offset++
		}
		if s.next(']') {
			return into
		}
		s.must(',')
	}
	return into
}
