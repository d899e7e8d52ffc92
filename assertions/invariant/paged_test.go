package invariant

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPagedIsAnArray: it holds what was put, wherever, and is walked in order.
func TestPagedIsAnArray(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var p paged[int64]
		want := map[int64]int64{}
		for range 300 {
			i := random.Int64N(1 << (4 + random.IntN(50))) // near and far
			want[i] = 1 + random.Int64()
			*p.at(i) = want[i]
		}
		start := random.Int64N(1 << (4 + random.IntN(40)))
		var walked, behind []int64
		for i, value := range p.all() {
			if *value != 0 {
				walked = append(walked, i)
			}
			if *value != want[i] {
				t.Fatalf("at %d is %d, want %d", i, *value, want[i])
			}
		}
		for i, value := range p.from(start) {
			if *value != 0 && i >= start {
				behind = append(behind, i)
			}
		}
		all := slices.Sorted(maps.Keys(want))
		if !slices.Equal(walked, all) {
			t.Fatalf("walked %v, want %v", walked, all)
		}
		at, _ := slices.BinarySearch(all, start)
		if !slices.Equal(behind, all[at:]) {
			t.Fatalf("walked %v from %d, want %v", behind, start, all[at:])
		}
		for i, value := range want {
			if got := p.get(i); got == nil || *got != value {
				t.Fatalf("at %d is %v, want %d", i, got, value)
			}
		}
	}
}

func TestPagedTakesMemoryForWhatIsUsed(t *testing.T) {
	var p paged[int64]
	for i := range int64(1000) {
		p.at(i << 40)
	}
	if len(p.dense) > reach || len(p.far) < 990 {
		t.Errorf("%d pages are dense, %d far", len(p.dense), len(p.far))
	}
	if p.get(5<<40+pageSize) != nil || p.get(-1) != nil {
		t.Error("there is what was never used")
	}
	var dense paged[int64]
	for i := range int64(100_000) {
		dense.at(i)
	}
	if len(dense.far) > 0 {
		t.Errorf("%d pages of a dense array are far", len(dense.far))
	}
}
