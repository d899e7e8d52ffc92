package invariant

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// doubts says why a history that breaks no law proves too little.
func (j *Judge) doubts(r Report) []string {
	var doubts []string
	doubt := func(format string, args ...any) { doubts = append(doubts, fmt.Sprintf(format, args...)) }
	switch {
	case j.torn:
		doubt("the history was cut: its last line is torn")
	case !j.ended:
		doubt("the history was cut: the run did not come to its end")
	}
	if j.count.acked == 0 {
		doubt("too little traffic: nothing was acknowledged")
	}
	for _, kind := range slices.Sorted(maps.Keys(j.strange)) {
		doubt("%d lines of the unknown kind %q were left out", j.strange[kind], kind)
	}
	if j.unread > 0 {
		doubt("%d acknowledged records were not looked for: there was no final read of their partitions, such as %s", j.unread, j.unreadIn)
	}
	for _, c := range j.unsought {
		doubt("lines of %s were not looked for: there was no final read of its topics", c)
	}
	for _, p := range j.partitions {
		if p.missed > 0 {
			doubt("%d stretches of %s that were read past were too many to look at", p.missed, p)
		}
	}
	for _, one := range r.Laws {
		if j.demanded[one.Law] && one.Status == NotChecked {
			doubt("%q is demanded, but there was nothing to check", one.Law)
		}
	}
	for _, one := range j.faults.list {
		doubts = append(doubts, j.faultDoubts(one)...)
	}
	return doubts
}

func (j *Judge) faultDoubts(one *fault) []string {
	var doubts []string
	doubt := func(format string, args ...any) {
		doubts = append(doubts, fmt.Sprintf("fault %s: ", one.Name)+fmt.Sprintf(format, args...))
	}
	switch {
	case one.begun == none:
		doubt("it was intended, but never injected")
		return doubts
	case one.Part:
	case !one.proved:
		doubt("it could not be seen in effect")
	case one.refuted:
		doubt("it was seen in effect, but not all the time")
	}
	if one.healed == none {
		doubt("it was never healed")
	}
	if one.Severs && one.progress > 0 {
		doubt("%d records that were sent while it lasted were acknowledged past it", one.progress)
	}
	little := func(when string, what string, count, least int) {
		if least = max(1, least); count < least {
			doubt("too little traffic %s: %d %s, want %d", when, count, what, least)
		}
	}
	little("before", "acknowledged", one.before, j.terms.Before)
	if !one.Instant && (one.Available || j.terms.During > 0 && one.lasting()) {
		little("during", "tried", one.tried, j.terms.During)
	}
	if one.healed == none {
		return doubts
	}
	little("after", "acknowledged", one.after, j.terms.After)
	if waited := one.awaited - one.healed; one.awaited != none && one.recovered == none && (one.Recovery == 0 || waited <= one.Recovery) {
		doubt("the scenario ended %v after the heal, before all was whole: %s", short(waited), one.instead)
	}
	for _, p := range j.partitions {
		if one.Recovery > 0 && p.waiting != none && p.acked < one.healed && j.faults.last-max(p.waiting, one.healed) <= one.Recovery {
			doubt("the run ended before %s could recover", p)
		}
	}
	return doubts
}

// lasting says that the fault was in effect for long enough for traffic to meet it.
func (o *fault) lasting() bool { return o.healed == none || o.healed-o.begun >= time.Second }
