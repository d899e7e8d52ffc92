package workload

import (
	"math/bits"
	"sync"
)

// stamps is a set of them: by client a bit for each sequence.
type stamps map[int][]uint64

func (s stamps) add(stamp Stamp) {
	word := int(stamp.Seq / 64)
	for len(s[stamp.Client]) <= word {
		s[stamp.Client] = append(s[stamp.Client], 0)
	}
	s[stamp.Client][word] |= 1 << (stamp.Seq % 64)
}

func (s stamps) has(stamp Stamp) bool {
	word := int(stamp.Seq / 64)
	return word < len(s[stamp.Client]) && s[stamp.Client][word]&(1<<(stamp.Seq%64)) != 0
}

// lacks counts what is in others and not in s.
func (s stamps) lacks(others stamps) (count int) {
	for client, words := range others {
		for i, word := range words {
			if i < len(s[client]) {
				word &^= s[client][i]
			}
			count += bits.OnesCount64(word)
		}
	}
	return count
}

// places remembers in which partition each record is: where it was sent, or, of a
// source's line, where it was found.
type places struct {
	mu       sync.Mutex
	byClient map[int][]int32
}

// nowhere is the partition of a record that is not known.
const nowhere = -1

// note is told the records of a client in the order of their sequence.
func (p *places) note(client, partition int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.append(client, partition)
}

// found is told where a record was read. Where it is first is its place.
func (p *places) found(stamp Stamp, partition int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for stamp.Seq >= int64(len(p.byClient[stamp.Client])) {
		p.append(stamp.Client, nowhere)
	}
	if place := &p.byClient[stamp.Client][stamp.Seq]; *place == nowhere {
		*place = int32(partition)
	}
}

func (p *places) append(client, partition int) {
	if p.byClient == nil {
		p.byClient = map[int][]int32{}
	}
	p.byClient[client] = append(p.byClient[client], int32(partition))
}

// of is the partition of a record.
func (p *places) of(stamp Stamp) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sent := p.byClient[stamp.Client]; stamp.Seq < int64(len(sent)) {
		return int(sent[stamp.Seq])
	}
	return nowhere
}
