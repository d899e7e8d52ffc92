package mychaos

import (
	"fmt"
	"time"

	"kafkachaos/harness/history"
)

// Late is a law of our own: every record is answered within the bound. It returns
// what breaks it. A send without an answer breaks it, too.
func Late(events *history.Reader, bound time.Duration) (breaches []string, err error) {
	type send struct {
		client int
		seq    int64
	}
	waiting := map[send]time.Duration{} // since when
	for e, err := range events.Events() {
		if err != nil {
			return nil, err
		}
		this := send{e.Client, e.Seq}
		switch {
		case e.Kind != history.Send:
		case e.Outcome == history.Begun:
			waiting[this] = e.At
		default:
			if took := e.At - waiting[this]; took > bound {
				breaches = append(breaches, fmt.Sprintf("client %d #%d was answered after %v", e.Client, e.Seq, took))
			}
			delete(waiting, this)
		}
	}
	for this := range waiting {
		breaches = append(breaches, fmt.Sprintf("client %d #%d was never answered", this.client, this.seq))
	}
	return breaches, nil
}
