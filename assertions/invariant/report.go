package invariant

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"kafkachaos/harness/history"
)

// Verdict is what a history amounts to.
type Verdict string

// The verdicts. Inconclusive is never green.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"         // a law that is promised, or demanded, is broken
	Inconclusive Verdict = "inconclusive" // nothing is broken, but that means too little
)

// Status is what became of one law.
type Status string

// The statuses.
const (
	Held        Status = "held"
	Broken      Status = "broken"
	NotPromised Status = "not promised" // by any configuration that there was
	NotChecked  Status = "not checked"  // there was nothing that it is about
)

// Report is what a history amounts to, as plain data. String renders it, the
// same bytes for the same history.
type Report struct {
	Header  history.Header
	Length  time.Duration
	Traffic Traffic
	Faults  []FaultReport
	Verdict Verdict
	Doubts  []string // why it is, or would be, inconclusive
	Laws    []LawReport
}

// Traffic is what there was to judge.
type Traffic struct {
	Sends, Acked, Refused, Unknown int // sends, also lines of sources, by what is known of them
	Polls, Records                 int // of consumers, and the records they brought
	Others                         int // other lines of the history
}

// FaultReport is what was measured around one fault.
type FaultReport struct {
	Name                         string
	Proved                       bool          // it was seen in effect
	At, Lasted                   time.Duration // At is -1 if it never was injected
	Before, During, After        int           // acknowledgements
	Tried                        int           // sends during
	LongestGap, SlowestRecovery  time.Duration // between acknowledgements, and to the first one after the heal, on one partition
	LongestGapOn, SlowRecoveryOn string        // which
}

// LawReport is what became of one law.
type LawReport struct {
	Law        Law
	Status     Status
	Checked    int      // how often, where it is promised
	Promised   []string // by what
	Violations int      // where it is promised
	Kept       []Violation

	NotPromised []string // by what it is not, if there was such traffic
	Tolerated   int      // violations there
	KeptThere   []Violation
}

// Subject is what the report is about, for findings.
func (r Report) Subject() string { return "the history" }

// Of returns what became of one law.
func (r Report) Of(law Law) LawReport {
	for _, one := range r.Laws {
		if one.Law == law {
			return one
		}
	}
	return LawReport{Law: law, Status: NotChecked}
}

// Broken are the laws that were broken.
func (r Report) Broken() []Law {
	var laws []Law
	for _, one := range r.Laws {
		if one.Status == Broken {
			laws = append(laws, one.Law)
		}
	}
	return laws
}

// Report ends the judgement. No event may be taken afterwards.
func (j *Judge) Report() Report {
	j.finish()
	r := Report{Header: j.header, Length: j.now, Verdict: Pass, Traffic: Traffic{j.count.sends, j.count.acked, j.count.refused,
		j.count.sends - j.count.acked - j.count.refused, j.count.polls, j.count.reads, j.count.others}}
	for _, one := range j.faults.list {
		r.Faults = append(r.Faults, one.report(j.now))
	}
	keys := j.keys()
	for _, s := range statements {
		r.Laws = append(r.Laws, j.reportLaw(s.Law, keys))
	}
	r.Doubts = j.doubts(r)
	switch {
	case len(r.Broken()) > 0:
		r.Verdict = Fail
	case len(r.Doubts) > 0:
		r.Verdict = Inconclusive
	}
	return r
}

// keys are all kinds of traffic for which something was checked or found, in
// order.
func (j *Judge) keys() []whom {
	set := map[whom]bool{}
	for w := range j.checked.byWhom {
		set[w] = true
	}
	for k := range j.finds.byKey {
		set[whom{k.client, k.topic}] = true
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b whom) int {
		return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.topic, b.topic))
	})
}

func (j *Judge) reportLaw(law Law, keys []whom) LawReport {
	r := LawReport{Law: law, Status: NotChecked}
	for _, w := range keys {
		k := key{law, w.client, w.topic}
		checked, entry := j.checked.get(k), j.finds.byKey[k]
		if checked == 0 && entry == nil {
			continue
		}
		if entry == nil {
			entry = &found{}
		}
		promise := j.promise(k)
		if promise.Holds {
			r.Checked += checked
			r.Violations += entry.count
			r.Promised = insert(r.Promised, promise.By)
			r.Kept = j.keep(r.Kept, entry.kept)
		} else {
			r.NotPromised = insert(r.NotPromised, promise.By)
			r.Tolerated += entry.count
			r.KeptThere = j.keep(r.KeptThere, entry.kept)
		}
	}
	switch {
	case r.Violations > 0:
		r.Status = Broken
	case r.Checked > 0:
		r.Status = Held
	case len(r.NotPromised) > 0:
		r.Status = NotPromised
	}
	return r
}

func insert(list []string, text string) []string {
	at, there := slices.BinarySearch(list, text)
	if there {
		return list
	}
	return slices.Insert(list, at, text)
}

// keep adds violations up to the bound, with what else is known of them.
func (j *Judge) keep(list, more []Violation) []Violation {
	for _, v := range more {
		if len(list) == mostKept {
			break
		}
		v.Faults = j.faults.activeAt(v.At)
		for _, d := range j.disk[v.Of] {
			v.Disk = append(v.Disk, heldBy(d))
		}
		list = append(list, v)
	}
	return list
}

func heldBy(d history.Disk) string {
	if d.Held {
		return fmt.Sprintf("broker-%d holds it", d.Broker)
	}
	return fmt.Sprintf("broker-%d does not hold it", d.Broker)
}

func (t *tallies) get(k key) int {
	if tally := t.byWhom[whom{k.client, k.topic}]; tally != nil {
		return tally[k.law]
	}
	return 0
}

func (o *fault) report(end time.Duration) FaultReport {
	r := FaultReport{Name: o.Name, Proved: o.proved && !o.refuted, At: o.begun, Before: o.before, During: o.during, After: o.after,
		Tried: o.tried, LongestGap: o.gap, SlowestRecovery: o.recovery}
	switch {
	case o.healed != none:
		r.Lasted = o.healed - o.begun
	case o.begun != none:
		r.Lasted = end - o.begun
	}
	if o.gapOn != nil {
		r.LongestGapOn = o.gapOn.String()
	}
	if o.recoverOn != nil {
		r.SlowRecoveryOn = o.recoverOn.String()
	}
	return r
}
