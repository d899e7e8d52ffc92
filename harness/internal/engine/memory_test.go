package engine

import (
	"testing"

	"github.com/moby/moby/api/types/container"
)

func TestHeldMemoryLeavesOutIdleFiles(t *testing.T) {
	for name, test := range map[string]struct {
		stats map[string]uint64
		want  int64
	}{
		"cgroups v1":     {map[string]uint64{"total_inactive_file": 30, "inactive_file": 7}, 70},
		"cgroups v2":     {map[string]uint64{"inactive_file": 30}, 70},
		"no such count":  {nil, 100},
		"more than used": {map[string]uint64{"inactive_file": 101}, 0},
	} {
		if got := held(container.MemoryStats{Usage: 100, Stats: test.stats}); got != test.want {
			t.Errorf("%s: %d held, want %d", name, got, test.want)
		}
	}
}
