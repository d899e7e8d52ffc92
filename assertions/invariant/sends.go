package invariant

import (
	"math"

	"kafkachaos/harness/history"
)

// txn is what is known of a transaction.
type txn uint8

const (
	uncommitted txn = iota // open, aborted, or its commit was refused
	committing             // nobody knows
	committed
)

// send takes the begin or the outcome of a send.
func (j *Judge) send(e *history.Event) error {
	c, err := j.who(e)
	if err != nil {
		return err
	}
	s := c.sends.at(e.Seq)
	if e.Outcome == history.Begun {
		return j.sending(c, s, e)
	}
	if s.marks&begun == 0 {
		return wrong("send %d of %s is %s, but it never began", e.Seq, c, e.Outcome)
	}
	if s.marks&(acked|refused|unknown) != 0 {
		return wrong("send %d of %s is %s, but it had an outcome before", e.Seq, c, e.Outcome)
	}
	lane := j.partitions[s.partition]
	switch e.Outcome {
	case history.Acked:
		j.faults.acked(lane, s.at, e.At)
		return j.ack(c, s, e)
	case history.Refused:
		s.marks |= refused
		j.count.refused++
	default:
		s.marks |= unknown
	}
	lane.failed()
	return nil
}

func (j *Judge) sending(c *client, s *sent, e *history.Event) error {
	lane := j.files
	if c.Role != history.Source {
		var err error
		if lane, err = j.find(e.Partition); err != nil {
			return err
		}
	}
	switch {
	case s.marks&begun != 0:
		return wrong("%s sends number %d a second time", c, e.Seq)
	case e.Txn < 0 || e.Txn > int64(len(j.txns)):
		return wrong("transaction %d never began", e.Txn)
	}
	*s = sent{at: e.At, offset: -1, partition: int32(lane.index), txn: int32(e.Txn), marks: begun}
	j.faults.try(lane, e.At)
	j.count.sends++
	return nil
}

// ack notes the acknowledgement, and at its place the record.
func (j *Judge) ack(c *client, s *sent, e *history.Event) error {
	s.marks |= acked
	s.at, s.offset, s.broker = e.At, e.Offset, int16(min(e.Broker, math.MaxInt16))
	j.count.acked++
	if c.Role == history.Source || e.Offset < 0 {
		return nil
	}
	p, err := j.find(e.Partition)
	if err != nil {
		return err
	}
	if p.number < 0 {
		return wrong("send %d of %s is acknowledged at offset %d of no partition", e.Seq, c, e.Offset)
	}
	s.partition = int32(p.index)
	at := p.places.at(e.Offset)
	switch {
	case at.marks&placeHeld == 0:
		at.client, at.seq = uint16(c.Number), e.Seq
	case int(at.client) != c.Number || at.seq != e.Seq:
		j.conflict(p, e.Offset, at, c.Number, e.Seq, "was acknowledged there")
		s.marks |= displaced
		return nil
	}
	at.marks |= placeAcked
	return nil
}

// transaction takes the begin or the end of one.
func (j *Judge) transaction(e *history.Event) error {
	c, err := j.who(e)
	if err != nil {
		return err
	}
	if e.Kind == history.Begin {
		if e.Txn != int64(len(j.txns))+1 || e.Txn > math.MaxInt32 {
			return wrong("transaction %d of %s begins after %d transactions", e.Txn, c, len(j.txns))
		}
		j.txns = append(j.txns, uncommitted)
		return nil
	}
	if e.Txn < 1 || e.Txn > int64(len(j.txns)) {
		return wrong("%s ends transaction %d, which never began", c, e.Txn)
	}
	j.count.others++
	if e.Kind == history.Abort {
		return nil // of a commit before it, nothing more is known
	}
	switch t := &j.txns[e.Txn-1]; e.Outcome {
	case history.Begun:
		*t = committing
	case history.Acked:
		*t = committed
	case history.Refused:
		*t = uncommitted
	}
	return nil
}

// fate is what became of the transaction of a send; sends outside of any are
// committed by themselves.
func (j *Judge) fate(s *sent) txn {
	if s.txn == 0 {
		return committed
	}
	return j.txns[s.txn-1]
}
