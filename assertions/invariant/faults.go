package invariant

import (
	"time"

	"kafkachaos/harness/history"
)

// faults are the faults of a run, and the flow of acknowledgements around them.
type faults struct {
	list   []*fault
	open   int           // how many are in effect
	healed time.Duration // when the last one was
	tries  int
	acks   int
	last   time.Duration // of the last try or acknowledgement
}

// fault is a fault and what was measured around it.
type fault struct {
	history.Fault
	proved, refuted bool          // it was seen to be there, or was not
	begun, healed   time.Duration // none if it never was
	recovered       time.Duration // as marked; none if it was not
	awaited         time.Duration // when it was last read not to be recovered from; none if it was not
	instead         string        // what was read then

	before, tried, during, after int // acknowledgements, but sends in tried
	progress                     int // acknowledgements of what was tried during

	gap       time.Duration // the longest, on
	gapOn     *partition
	recovery  time.Duration // the slowest, of
	recoverOn *partition
}

// flow is how sends to a partition fare.
type flow struct {
	flying  int
	waiting time.Duration // since when something was tried and nothing acknowledged; none if nothing was
	acked   time.Duration // the last acknowledgement; none before the first
}

// none stands for a time that there is not.
const none = time.Duration(-1)

var idle = flow{waiting: none, acked: none}

func (f *flow) failed() { f.flying-- }

func (j *Judge) fault(now time.Duration, mark history.Fault) error {
	f := &j.faults
	if mark.Step == history.Intended {
		if mark.Number != len(f.list)+1 {
			return wrong("fault %s has number %d after %d faults", mark.Name, mark.Number, len(f.list))
		}
		f.list = append(f.list, &fault{Fault: mark, begun: none, healed: none, recovered: none, awaited: none})
		return nil
	}
	if mark.Number < 1 || mark.Number > len(f.list) {
		return wrong("fault %s is %s, but was never intended", mark.Name, mark.Step)
	}
	one := f.list[mark.Number-1]
	switch mark.Step {
	case history.Injected:
		f.begin(one, now)
	case history.InEffect:
		f.begin(one, now)
		one.proved = true
	case history.NoEffect:
		one.refuted = true
	case history.Healed:
		f.heal(one, now)
	case history.Recovered, history.Unrecovered:
		if one.healed == none {
			return wrong("fault %s is %s from, but was not healed", one.Name, mark.Step)
		}
		if mark.Step == history.Recovered {
			one.recovered = now
		} else {
			one.awaited, one.instead = now, mark.Why
		}
	default:
		return wrong("fault %s takes step %q, which there is not", one.Name, mark.Step)
	}
	return nil
}

func (f *faults) begin(one *fault, now time.Duration) {
	if one.begun != none {
		return // told again
	}
	one.begun, one.before, one.tried, one.during = now, f.acks, -f.tries, -f.acks
	f.open++
	if one.Instant {
		f.heal(one, now)
	}
}

func (f *faults) heal(one *fault, now time.Duration) {
	if one.begun == none || one.healed != none {
		return
	}
	one.healed = now
	one.tried += f.tries
	one.during += f.acks
	one.after = -f.acks
	f.open--
	f.healed = now
}

// activeAt names the faults that were in effect at that time.
func (f *faults) activeAt(t time.Duration) []string {
	var names []string
	for _, one := range f.list {
		if one.covers(t, t) {
			names = append(names, one.Name)
		}
	}
	return names
}

// covers says whether the fault was in effect at some time in between.
func (o *fault) covers(from, to time.Duration) bool {
	return o.begun != none && o.begun <= to && (o.healed == none || from <= o.healed)
}

// try notes that something is sent to a partition.
func (f *faults) try(p *partition, now time.Duration) {
	p.flying++
	if p.topic.Number == 0 {
		return // a file
	}
	if p.waiting == none {
		p.waiting = now
	}
	f.tries++
	f.last = now
}

// acked notes the acknowledgement of what was tried before, and for the faults
// since the partition waits how long it waited.
func (f *faults) acked(p *partition, tried, now time.Duration) {
	p.flying--
	if p.topic.Number == 0 {
		return
	}
	f.acks++
	f.last = now
	if f.open > 0 || p.waiting <= f.healed && len(f.list) > 0 || p.acked <= f.healed && len(f.list) > 0 {
		f.measure(p, p.waiting, now, tried)
	}
	p.acked, p.waiting = now, none
	if p.flying > 0 {
		p.waiting = now
	}
}

// measure attributes a wait to the faults that it overlaps, and the first
// acknowledgement after a heal to the faults healed.
func (f *faults) measure(p *partition, from, to, tried time.Duration) {
	if from == none {
		from = to
	}
	for _, one := range f.list {
		if one.covers(from, to) {
			one.wait(p, to-max(from, one.begun))
		}
		if one.begun != none && one.healed == none && tried >= one.begun {
			one.progress++
		}
		if one.healed != none && p.acked < one.healed && to >= one.healed {
			one.recover(p, to-max(from, one.healed))
		}
	}
}

func (o *fault) wait(p *partition, gap time.Duration) {
	if o.gapOn == nil || gap > o.gap {
		o.gap, o.gapOn = gap, p
	}
}

func (o *fault) recover(p *partition, took time.Duration) {
	if o.recoverOn == nil || took > o.recovery {
		o.recovery, o.recoverOn = took, p
	}
}
