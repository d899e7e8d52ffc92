package harness

import (
	"context"

	"golang.org/x/sync/errgroup"

	"kafkachaos/harness/internal/engine"
)

// Memory reads how many bytes all containers of the cluster hold at the moment,
// those of proxies included, without pages of files that were not used lately. A page
// that several have in common counts once.
func (c *Cluster) Memory(ctx context.Context) (int64, error) {
	processes := c.processes()
	held := make(chan int64, len(processes))
	group, grouped := errgroup.WithContext(ctx)
	for _, process := range processes {
		group.Go(func() error {
			bytes, err := process.Memory(grouped)
			held <- bytes
			return err
		})
	}
	err := group.Wait()
	close(held)
	var sum int64
	for bytes := range held {
		sum += bytes
	}
	return sum, err
}

// processes are all that were made, by the names of their programs.
func (c *Cluster) processes() map[string]engine.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]engine.Process{}
	for name, node := range c.nodes {
		all[name.String()] = node.process
	}
	if c.proxyServer != nil {
		all[proxyName] = c.proxyServer
	}
	return all
}
