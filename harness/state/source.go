package state

import (
	"fmt"
	"time"
)

// Source says by whom and when a reading was made. Every reading carries one.
type Source struct {
	By string    // the node that was asked, such as "zk-1"
	At time.Time // when its answer was in hand
}

func (s Source) String() string {
	return fmt.Sprintf("by %s at %s", s.By, s.At.Format("15:04:05.000"))
}

// From is the source itself, for whoever takes readings of any kind.
func (s Source) From() Source { return s }
