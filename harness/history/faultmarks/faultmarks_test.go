package faultmarks

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/history"
)

func TestFaultsAreMarkedAsTheyFare(t *testing.T) {
	failed := errors.New("failed")
	unseen := fmt.Errorf("prove cut: %w", faults.ErrInconclusive)
	entry := func(did string, err error) faults.Entry { return faults.Entry{Did: did, Fault: "cut", Err: err} }
	tests := map[string]struct {
		entries []faults.Entry
		want    []string
	}{
		"as it should": {[]faults.Entry{entry("intend", nil), entry("inject", nil), entry("prove", nil), entry("heal", nil), entry("prove healed", nil)},
			[]string{"1 intended", "1 injected", "1 in effect", "1 healed"}},
		"not injected":      {[]faults.Entry{entry("intend", nil), entry("inject", failed)}, []string{"1 intended"}},
		"not proved":        {[]faults.Entry{entry("intend", nil), entry("inject", nil), entry("prove", unseen), entry("heal", nil)}, []string{"1 intended", "1 injected", "1 no effect", "1 healed"}},
		"proof interrupted": {[]faults.Entry{entry("intend", nil), entry("inject", nil), entry("prove", failed)}, []string{"1 intended", "1 injected"}},
		"not healed":        {[]faults.Entry{entry("intend", nil), entry("inject", nil), entry("heal", failed)}, []string{"1 intended", "1 injected"}},
		"found out late":    {[]faults.Entry{entry("intend", nil), entry("inject", nil), entry("heal", nil), entry("prove healed", unseen)}, []string{"1 intended", "1 injected", "1 healed", "1 no effect"}},
		"twice": {[]faults.Entry{entry("intend", nil), entry("inject", nil), entry("heal", nil), entry("intend", nil), entry("inject", nil), entry("heal", nil)},
			[]string{"1 intended", "1 injected", "1 healed", "2 intended", "2 injected", "2 healed"}},
		"two steps of a plan": {[]faults.Entry{{Did: "intend", Fault: "cut", Step: 1}, {Did: "intend", Fault: "cut", Step: 2}, {Did: "inject", Fault: "cut", Step: 2},
			{Did: "inject", Fault: "cut", Step: 1}, {Did: "heal", Fault: "cut", Step: 1}},
			[]string{"1 intended", "2 intended", "2 injected", "1 injected", "1 healed"}},
		"interrupted":         {[]faults.Entry{entry("intend", nil)}, []string{"1 intended"}},
		"never injected here": {[]faults.Entry{entry("heal", nil)}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			h := history.New(&text, history.Header{})
			r := New(h, nil)
			for _, e := range test.entries {
				r.Record(e)
			}
			if got := steps(t, &text); !slices.Equal(got, test.want) {
				t.Errorf("marked %q, want %q", got, test.want)
			}
		})
	}
}

func TestWhatIsExpectedIsMarkedWithTheIntention(t *testing.T) {
	var text bytes.Buffer
	r := New(history.New(&text, history.Header{}), func(fault string) history.Fault {
		return history.Fault{Available: fault == "cut", Budget: time.Second}
	})
	for _, did := range []string{"intend", "inject", "heal"} {
		r.Record(faults.Entry{Did: did, Fault: "cut"})
	}
	r.Recovered("cut", 0)
	r.Record(faults.Entry{Did: "intend", Fault: "cut", Part: true})
	marks := read(t, &text)
	if part := marks[len(marks)-1]; !part.Part || marks[0].Part {
		t.Errorf("marked %+v and then, of a part, %+v", marks[0], part)
	}
	marks = marks[:len(marks)-1]
	if first := marks[0]; first.Step != history.Intended || first.Name != "cut" || !first.Available || first.Budget != time.Second {
		t.Errorf("marked %+v", first)
	}
	if last := marks[len(marks)-1]; last.Step != history.Recovered || last.Number != 1 {
		t.Errorf("marked %+v", last)
	}
}

// TestWhoWasKilledStoppedUncleanly: a node that the rig says was killed, and not
// what a fault only has in its name.
func TestWhoWasKilledStoppedUncleanly(t *testing.T) {
	for did, want := range map[string]string{"kill": "broker-2", "intend": "", "inject": "", "prove": "", "heal": ""} {
		var text bytes.Buffer
		r := New(history.New(&text, history.Header{}), nil)
		r.Record(faults.Entry{Did: did, Fault: "broker-2"})
		r.Record(faults.Entry{Did: "inject", Fault: "kill node=controller"})
		var stopped []string
		for _, e := range events(t, &text) {
			if e.Stop != nil {
				stopped = append(stopped, e.Stop.Node)
			}
			if e.Stop != nil && e.Stop.Clean {
				t.Errorf("%s: %s stopped cleanly", did, e.Stop.Node)
			}
		}
		if got := strings.Join(stopped, " "); got != want {
			t.Errorf("%s: %q stopped, want %q", did, got, want)
		}
	}
}

func steps(t *testing.T, text *bytes.Buffer) (steps []string) {
	for _, f := range read(t, text) {
		steps = append(steps, fmt.Sprintf("%d %s", f.Number, f.Step))
	}
	return steps
}

func read(t *testing.T, text *bytes.Buffer) (marks []history.Fault) {
	for _, e := range events(t, text) {
		if e.Fault != nil {
			marks = append(marks, *e.Fault)
		}
	}
	return marks
}

func events(t *testing.T, text *bytes.Buffer) (all []history.Event) {
	r, err := history.NewReader(text)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *e)
	}
	return all
}
