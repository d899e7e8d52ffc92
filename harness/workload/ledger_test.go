package workload

import (
	"reflect"
	"slices"
	"testing"
)

// lane makes one of records of client 1.
func lane(seqs ...int64) (l Lane) {
	for _, seq := range seqs {
		l = append(l, Stamp{1, seq})
	}
	return l
}

// A line's partition is where it was found: in one file those of another may be far
// ahead of it.
func TestLinesOfASourceAreArrangedByTheirPartition(t *testing.T) {
	var where places
	where.note(2, 1) // a producer's
	for seq, partition := range []int{1: 1, 3: 1, 4: 0} {
		where.found(Stamp{1, int64(seq)}, partition)
	}
	where.found(Stamp{1, 3}, 0) // again, and later
	where.found(Stamp{2, 0}, 0)
	if got := []int{where.of(Stamp{1, 3}), where.of(Stamp{2, 0}), where.of(Stamp{1, 9}), where.of(Stamp{3, 0})}; !slices.Equal(got, []int{1, 1, nowhere, nowhere}) {
		t.Errorf("they are in %v", got)
	}
	if got, want := arrange(map[string]Lane{"a": lane(4, 1), "b": lane(3)}, where.of), lane(4, 1, 3); !slices.Equal(got, []Stamp(want)) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestPassages(t *testing.T) {
	for name, test := range map[string]struct {
		in, out []Lane
		want    Passage
	}{
		"whole":                       {[]Lane{lane(0, 1, 2)}, []Lane{lane(0, 1, 2)}, Passage{In: 3, Out: 3}},
		"nothing":                     {nil, nil, Passage{}},
		"spread over lanes":           {[]Lane{lane(0, 1, 2, 3)}, []Lane{lane(1, 3), lane(0, 2)}, Passage{In: 4, Out: 4}},
		"gathered in any mixture":     {[]Lane{lane(1, 3), lane(0, 2)}, []Lane{lane(0, 1, 3, 2)}, Passage{In: 4, Out: 4}},
		"lost in the middle":          {[]Lane{lane(0, 1, 2)}, []Lane{lane(0, 2)}, Passage{In: 3, Out: 2, Missing: lane(1)}},
		"lost at the end":             {[]Lane{lane(0, 1, 2)}, []Lane{lane(0, 1)}, Passage{In: 3, Out: 2, Missing: lane(2)}},
		"out of nowhere":              {[]Lane{lane(0)}, []Lane{lane(0, 7)}, Passage{In: 1, Out: 2, Strange: lane(7)}},
		"delivered again":             {[]Lane{lane(0, 1, 2)}, []Lane{lane(0, 1, 0, 1, 2)}, Passage{In: 3, Out: 5, Repeated: lane(0, 1)}},
		"delivered again elsewhere":   {[]Lane{lane(0, 1)}, []Lane{lane(0, 1), lane(1)}, Passage{In: 2, Out: 3, Repeated: lane(1)}},
		"swapped":                     {[]Lane{lane(0, 1, 2)}, []Lane{lane(0, 2, 1)}, Passage{In: 3, Out: 3, Reordered: lane(1)}},
		"in order of the other lanes": {[]Lane{lane(0, 2), lane(1, 3)}, []Lane{lane(1, 0, 3, 2)}, Passage{In: 4, Out: 4}},
		"put in twice, out twice":     {[]Lane{lane(0, 1, 0)}, []Lane{lane(0, 1, 0)}, Passage{In: 3, Out: 3}},
		"put in twice, out thrice":    {[]Lane{lane(0, 1, 0)}, []Lane{lane(0, 0, 1, 0)}, Passage{In: 3, Out: 4, Repeated: lane(0)}},
		"put in twice":                {[]Lane{lane(0, 1, 0)}, []Lane{lane(0, 1)}, Passage{In: 3, Out: 2}},
	} {
		if got := Compare(test.in, test.out); got.String() != test.want.String() || !reflect.DeepEqual(normal(got), normal(test.want)) {
			t.Errorf("%s: %v\nwant %v", name, got, test.want)
		} else if got.Whole() != (got.String() == normalNumbers(got)) {
			t.Errorf("%s: whole %t, but %v", name, got.Whole(), got)
		}
	}
}

func normalNumbers(p Passage) string { return Passage{In: p.In, Out: p.Out}.String() }

// normal makes no difference between no records and none.
func normal(p Passage) Passage {
	for _, list := range []*[]Stamp{&p.Missing, &p.Strange, &p.Repeated, &p.Reordered} {
		*list = append([]Stamp{}, *list...)
	}
	return p
}

func TestLinesAreReadWhenTheyAreEnded(t *testing.T) {
	text := AppendValue(nil, "r", 1, 0, 0)
	text = append(AppendValue(append(text, '\n'), "r", 1, 1, 0), "\r\nrubbish\n"...)
	text = AppendValue(text, "r", 1, 2, 0)
	if got := ParseLines("r", text); !reflect.DeepEqual(got, Lane{{1, 0}, {1, 1}, {0, 0}}) {
		t.Errorf("read %v", got)
	}
}

func TestALedgerFollowsFromFileToFile(t *testing.T) {
	ledger := Reconcile(map[string]Lane{"lines": lane(0, 1, 2)}, []Lane{lane(0, 2), {{2, 0}}},
		map[string]map[string]Lane{"copy": {"worker-1": lane(0), "worker-2": {{1, 0}, {1, 2}}}})
	want := "source lines: 3 in, 2 out, 1 missing, first client 1 #1\n" +
		"sink copy: 3 in, 3 out, 1 missing, first client 2 #0, 1 repeated, first client 1 #0\n" +
		"file copy worker-1: 1 in, 1 out\n" +
		"file copy worker-2: 2 in, 2 out\n"
	if got := ledger.String(); got != want {
		t.Errorf("ledger\n%s\nwant\n%s", got, want)
	}
}
