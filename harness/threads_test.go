package harness

import (
	"testing"
	"time"

	"kafkachaos/harness/state"
)

func TestANewThreadDumpIsTold(t *testing.T) {
	dump := func(second int) state.ThreadDump {
		return state.ThreadDump{Source: state.Source{At: time.Unix(int64(second), 0)}}
	}
	type dumps = []state.ThreadDump
	for name, c := range map[string]struct {
		now, before dumps
		want        bool
	}{
		"none yet":                 {nil, nil, false},
		"the first":                {dumps{dump(1)}, nil, true},
		"the same":                 {dumps{dump(1)}, dumps{dump(1)}, false},
		"one more":                 {dumps{dump(1), dump(2)}, dumps{dump(1)}, true},
		"two in a second":          {dumps{dump(1), dump(1)}, dumps{dump(1)}, true},
		"the older one is gone":    {dumps{dump(2)}, dumps{dump(1)}, true},
		"gone, and none is new":    {dumps{dump(2)}, dumps{dump(1), dump(2)}, false},
		"all are gone":             {nil, dumps{dump(1)}, false},
		"gone but one, and a new":  {dumps{dump(2), dump(3)}, dumps{dump(1), dump(2)}, true},
		"after all that were seen": {dumps{dump(3)}, nil, true},
	} {
		if got := isNew(c.now, c.before); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
