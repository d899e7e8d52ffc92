package harness

import (
	"context"
	"testing"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/topology"
)

// heavy is a process of so many bytes.
type heavy struct {
	engine.Process
	bytes int64
}

func (p heavy) Memory(context.Context) (int64, error) { return p.bytes, nil }

func TestMemoryIsThatOfNodesAndProxies(t *testing.T) {
	c, broker := newCluster(topology.Spec{}), topology.BrokerNode(1)
	c.nodes[broker] = &Node{name: broker, cluster: c, process: heavy{bytes: 100}}
	c.proxyServer = heavy{bytes: 23}
	if sum, err := c.Memory(t.Context()); err != nil || sum != 123 {
		t.Errorf("read %d, %v", sum, err)
	}
}
