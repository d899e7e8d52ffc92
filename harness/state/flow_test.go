package state

import (
	"slices"
	"strings"
	"testing"
)

func TestDeliveryLooksInAllFiles(t *testing.T) {
	tests := map[string]struct {
		files   []string
		missing []string
		lines   int
	}{
		"no file":              {nil, []string{"a", "b", "c"}, 0},
		"one file":             {[]string{"a\nb\nc\n"}, nil, 3},
		"two files":            {[]string{"c\n", "a\nb\n"}, nil, 3},
		"a record twice":       {[]string{"a\na\nb\nc\n"}, nil, 4},
		"one is missing":       {[]string{"a\nc\n"}, []string{"b"}, 2},
		"a part is no record":  {[]string{"a\nbb\nc\n"}, []string{"b"}, 3},
		"the last has no end":  {[]string{"a\nb\nc"}, nil, 3},
		"others are no matter": {[]string{"x\nb\nc\ny\na\n"}, nil, 5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := NewDelivery("sink", []string{"a", "b", "c"}, test.files...)
			if !slices.Equal(got.Missing, test.missing) || got.Delivered != test.lines || got.Wanted != 3 {
				t.Errorf("%v: want %q missing, %d lines", got, test.missing, test.lines)
			}
			if len(test.missing) > 0 && !strings.Contains(got.String(), "first "+test.missing[0]) {
				t.Errorf("%v does not name %s", got, test.missing[0])
			}
		})
	}
}

func TestStoredLooksAmongAll(t *testing.T) {
	for name, test := range map[string]struct{ held, missing []string }{
		"all":     {[]string{"b", "a", "x"}, nil},
		"one not": {[]string{"b", "b"}, []string{"a"}},
		"nothing": {nil, []string{"a", "b"}},
	} {
		got := NewStored("orders", []string{"a", "b"}, test.held)
		if !slices.Equal(got.Missing, test.missing) || got.Records != len(test.held) {
			t.Errorf("%s: %v, want %q missing", name, got, test.missing)
		}
	}
}
