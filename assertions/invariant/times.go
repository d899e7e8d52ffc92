package invariant

import (
	"slices"
	"time"
)

// judgeFaults is the end of the laws about time.
func (j *Judge) judgeFaults() {
	f := &j.faults
	stuck := slices.DeleteFunc(slices.Clone(j.partitions), func(p *partition) bool { return p.topic.Number == 0 || p.waiting == none })
	for _, one := range f.list {
		switch {
		case one.begun == none:
			continue
		case one.healed == none:
			one.tried += f.tries
			one.during += f.acks
		default:
			one.after += f.acks
		}
		for _, p := range stuck {
			if one.covers(p.waiting, f.last) {
				one.wait(p, f.last-max(p.waiting, one.begun))
			}
		}
		j.judgeFault(one, stuck)
	}
}

func (j *Judge) judgeFault(one *fault, stuck []*partition) {
	breach := func(law Law, at time.Duration, p *partition, text string) {
		j.finds.add(key{law, 0, 0}, func() Violation {
			v := Violation{Record: one.Name, Offset: -1, At: at, Broker: -1, Text: text}
			if p != nil {
				v.Partition = p.String()
			}
			return v
		})
	}
	if one.Available && !one.Instant {
		j.check(key{NoProgress, 0, 0})
		if one.progress == 0 && one.tried >= max(1, j.terms.During) {
			breach(NoProgress, one.begun, nil, sprintf("of %d records that were tried while it lasted none was acknowledged", one.tried))
		}
	}
	if one.Budget > 0 {
		j.check(key{Unavailable, 0, 0})
		if one.gap > one.Budget {
			breach(Unavailable, one.begun, one.gapOn, sprintf("it waited %v for an acknowledgement; the budget is %v", one.gap, one.Budget))
		}
	}
	if one.Recovery > 0 && one.healed != none {
		j.check(key{SlowRecovery, 0, 0})
		j.judgeRecovery(one, stuck, breach)
	}
}

func (j *Judge) judgeRecovery(one *fault, stuck []*partition, breach func(Law, time.Duration, *partition, string)) {
	if one.recoverOn != nil && one.recovery > one.Recovery {
		breach(SlowRecovery, one.healed, one.recoverOn,
			sprintf("it acknowledged %v after the heal; the bound is %v", one.recovery, one.Recovery))
	}
	if took := one.recovered - one.healed; one.recovered != none && took > one.Recovery {
		breach(SlowRecovery, one.healed, nil, sprintf("all was read to be whole %v after the heal; the bound is %v", took, one.Recovery))
	}
	if waited := one.awaited - one.healed; one.awaited != none && one.recovered == none && waited > one.Recovery {
		breach(SlowRecovery, one.healed, nil,
			sprintf("all was not whole %v after the heal: %s; the bound is %v", short(waited), one.instead, one.Recovery))
	}
	for _, p := range stuck {
		if waited := j.faults.last - max(p.waiting, one.healed); p.acked < one.healed && waited > one.Recovery {
			breach(SlowRecovery, one.healed, p,
				sprintf("it acknowledged nothing since the heal, for %v of trying; the bound is %v", waited, one.Recovery))
		}
	}
}
