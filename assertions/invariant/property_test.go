package invariant

import (
	"slices"
	"testing"
)

const worldSteps = 600

func TestWhatKeepsEveryPromisePasses(t *testing.T) {
	for seed := range uint64(100) {
		report := newWorld(seed, worldSteps).judge(t)
		if report.Verdict != Pass {
			t.Fatalf("seed %d:\n%v", seed, report)
		}
	}
}

// TestOneBreachIsCaught: whatever breaks a law in one place of a history that
// keeps all others is caught, and named.
func TestOneBreachIsCaught(t *testing.T) {
	const seeds = 12
	for _, s := range Laws() {
		t.Run(s.Name, func(t *testing.T) {
			tried := 0
			for seed := range uint64(seeds) {
				w := newWorld(seed, worldSteps)
				w.random = seeded(seed)
				if !breakers[s.Law](w) {
					continue
				}
				tried++
				report := w.judge(t)
				if report.Verdict != Fail || !slices.Contains(report.Broken(), s.Law) {
					t.Fatalf("seed %d: want %s broken:\n%v", seed, s.Law, report)
				}
			}
			if tried < seeds/3 {
				t.Errorf("only %d of %d histories had a place to break", tried, seeds)
			}
		})
	}
}
