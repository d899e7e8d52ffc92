package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

func (p *dockerProcess) Memory(ctx context.Context) (int64, error) {
	answer, err := p.client.ContainerStats(ctx, p.id, client.ContainerStatsOptions{})
	if err != nil {
		return 0, fmt.Errorf("read the memory of %s: %w", p.name, err)
	}
	defer answer.Body.Close()
	var stats container.StatsResponse
	if err := json.NewDecoder(answer.Body).Decode(&stats); err != nil {
		return 0, fmt.Errorf("read the memory of %s: %w", p.name, err)
	}
	return held(stats.MemoryStats), nil
}

// held is what `docker stats` shows: the kernel could take the rest back at once. With
// cgroups v2 the count has the name that in v1 is of the group alone, without those
// below it.
func held(memory container.MemoryStats) int64 {
	idle, v1 := memory.Stats["total_inactive_file"]
	if !v1 {
		idle = memory.Stats["inactive_file"]
	}
	return int64(memory.Usage - min(idle, memory.Usage)) //nolint:gosec // no machine has that much
}
