package invariant

import (
	"slices"
	"testing"

	"kafkachaos/harness/history"
)

// miss is a story that comes near to a breach of its law.
type miss struct {
	law    Law
	about  string
	status Status // of the law
	tell   func(*tape)
}

// misses must pass.
var misses = slices.Concat(missesOfTheLog, missesOfReaders, missesOfConnect, missesOfTime)

func TestNearMissesPass(t *testing.T) {
	told := map[Law]bool{}
	for _, s := range misses {
		told[s.law] = true
		t.Run(s.law.String()+": "+s.about, func(t *testing.T) {
			tape := newTape()
			s.tell(tape)
			tape.over()
			report := tape.judge(t)
			if status := report.Of(s.law).Status; report.Verdict == Fail || status != s.status {
				t.Errorf("%s is %s, want %s:\n%v", s.law, status, s.status, report)
			}
		})
	}
	for _, s := range Laws() {
		if !told[s.Law] {
			t.Errorf("no history comes near to %q", s.Law)
		}
	}
}

// lose has a record that is lost, if that is promised not to be.
func lose(t *tape) {
	t.send(alice, 0, 0)
	t.send(alice, 1, 1)
	t.assign(final, 0)
	t.read(final, 1, alice, 1)
}

func swapped(t *tape) {
	t.begin(alice, 0)
	t.begin(alice, 1)
	t.outcome(history.Acked, alice, 1, 0, 0)
	t.outcome(history.Acked, alice, 0, 0, 1)
	t.read(final, 0, alice, 1)
	t.read(final, 1, alice, 0)
}
