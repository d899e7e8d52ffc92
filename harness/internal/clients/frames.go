package clients

import (
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A frame is its length in four bytes, and then so many bytes.
const lengthOfLength = 4

// requests follows what a client writes.
type requests struct {
	head  [lengthOfLength + 8]byte // and the key, the version and the correlation id
	have  int                      // of head
	rest  int                      // bytes of the frame that are still to come
	alien bool                     // it is not what Kafka's clients write
}

// feed takes the next bytes, and tells of each request for metadata in the one
// version that is answered so that it is to be corrected.
func (r *requests) feed(from []byte, found func(id int32)) {
	for len(from) > 0 && !r.alien {
		if r.rest > 0 {
			n := min(r.rest, len(from))
			r.rest, from = r.rest-n, from[n:]
			continue
		}
		n := copy(r.head[r.have:], from)
		r.have, from = r.have+n, from[n:]
		if r.have < len(r.head) {
			return
		}
		r.have = 0
		r.rest = int(int32(binary.BigEndian.Uint32(r.head[:]))) - (len(r.head) - lengthOfLength)
		r.alien = r.rest < 0
		key, version := binary.BigEndian.Uint16(r.head[4:]), binary.BigEndian.Uint16(r.head[6:])
		if !r.alien && key == uint16(kmsg.Metadata) && version == 0 {
			found(int32(binary.BigEndian.Uint32(r.head[8:])))
		}
	}
}

// answers follows what a broker answers.
type answers struct {
	head  [lengthOfLength + 4]byte // and the correlation id
	have  int                      // of head
	rest  int                      // bytes of the frame that are still to come
	holds bool                     // them, in held
	held  []byte
	alien bool // it is not what brokers answer
}

// feed takes the next bytes. So many of them pass as they are, and then what is
// ready comes, which is a copy. It asks once of each answer whether it is to be
// corrected; of such a one all after the correlation id is held until it is there.
func (a *answers) feed(from []byte, wanted func(id int32) bool) (passed int, ready []byte) {
	held := false // any of these bytes, or some before them
	pass := func(n int) {
		if held {
			ready = append(ready, from[:n]...)
		} else {
			passed += n
		}
		from = from[n:]
	}
	for len(from) > 0 {
		switch {
		case a.alien:
			pass(len(from))
		case a.rest > 0 && a.holds:
			held = true
			n := min(a.rest, len(from))
			a.held, a.rest, from = append(a.held, from[:n]...), a.rest-n, from[n:]
			if a.rest == 0 {
				ready, a.held = append(ready, correct(a.held)...), nil
			}
		case a.rest > 0:
			n := min(a.rest, len(from))
			a.rest -= n
			pass(n)
		default:
			n := copy(a.head[a.have:], from)
			a.have += n
			pass(n)
			a.begin(wanted)
		}
	}
	return passed, ready
}

// begin begins a frame once its head is there.
func (a *answers) begin(wanted func(id int32) bool) {
	if a.have < len(a.head) {
		return
	}
	a.have = 0
	a.rest = int(int32(binary.BigEndian.Uint32(a.head[:]))) - (len(a.head) - lengthOfLength)
	a.alien = a.rest < 0
	a.holds = !a.alien && wanted(int32(binary.BigEndian.Uint32(a.head[lengthOfLength:])))
}

// correct takes the error from each partition that has a leader, although a
// replica is away: Kafka's own clients do not look at it, ours takes it for a sign
// that there is no leader. What it cannot read it leaves as it is.
func correct(metadata []byte) []byte {
	answer := kmsg.NewPtrMetadataResponse()
	if answer.ReadFrom(metadata) != nil {
		return metadata
	}
	wrong := false
	for _, topic := range answer.Topics {
		for i := range topic.Partitions {
			p := &topic.Partitions[i]
			if p.ErrorCode == kerr.ReplicaNotAvailable.Code && p.Leader >= 0 {
				p.ErrorCode, wrong = 0, true
			}
		}
	}
	if !wrong {
		return metadata
	}
	if right := answer.AppendTo(nil); len(right) == len(metadata) {
		return right
	}
	return metadata
}
