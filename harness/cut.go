package harness

import "fmt"

// middleCut keeps the beginning and the end of what is written to it, half of its
// limit each, and says how much it left out in between.
type middleCut struct {
	limit int // bytes
	head  []byte
	tail  []byte
	lost  int
}

func (m *middleCut) Write(text []byte) (int, error) {
	half := m.limit / 2
	written := len(text)
	room := min(half-len(m.head), len(text))
	m.head, text = append(m.head, text[:room]...), text[room:]
	m.tail = append(m.tail, text...)
	if len(m.tail) > 2*half { // seldom, so that each byte is moved once
		m.drop(len(m.tail) - half)
	}
	return written, nil
}

func (m *middleCut) drop(count int) {
	m.lost += count
	m.tail = append(m.tail[:0], m.tail[count:]...)
}

func (m *middleCut) String() string {
	if over := len(m.tail) - m.limit/2; over > 0 {
		m.drop(over)
	}
	if m.lost == 0 {
		return string(m.head) + string(m.tail)
	}
	return fmt.Sprintf("%s\n[%d bytes are left out here]\n%s", m.head, m.lost, m.tail)
}
