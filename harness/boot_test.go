package harness

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/topology"
)

// starting is an engine whose programs do nothing but tell that they were started.
type starting struct {
	engine.Engine
	started chan string
}

func (e starting) Reserve(string) (string, error) { return "10.0.0.1", nil }

func (e starting) Create(_ context.Context, program engine.Program) (engine.Process, error) {
	return startable{engine: e, name: program.Name}, nil
}

type startable struct {
	engine.Process
	engine starting
	name   string
}

func (p startable) Start(context.Context) error {
	p.engine.started <- p.name
	return nil
}

func (p startable) State(context.Context) (engine.State, error) {
	return engine.State{Running: true}, nil
}

// startingCluster is a cluster whose ZooKeeper never answers, and the way to let the
// egress of a node listen.
func startingCluster(t *testing.T, options ...topology.Option) (c *Cluster, engine starting, listen func(topology.Node)) {
	t.Helper()
	spec, err := topology.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	engine = starting{started: make(chan string, 100)}
	c = newCluster(spec)
	c.engine = engine
	c.ports.control = map[topology.Node]int{}
	gates := map[topology.Node]event{}
	for _, node := range append(spec.Nodes(), topology.TheClient) {
		gates[node] = make(event)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if awaitAll(r.Context(), gates[node]) == nil {
				w.WriteHeader(http.StatusCreated)
			}
		}))
		t.Cleanup(server.Close)
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		c.ports.control[node], _ = strconv.Atoi(port)
	}
	c.openWitness()
	t.Cleanup(func() { c.witness.ZooKeeper.Close() })
	if err := c.openMesh(); err != nil {
		t.Fatal(err)
	}
	return c, engine, func(node topology.Node) { close(gates[node]) }
}

// wantStarts waits until these have started since the last time, and for a moment
// that nothing else does.
func (e starting) wantStarts(t *testing.T, want ...string) {
	t.Helper()
	const moment, patience = 50 * time.Millisecond, 5 * time.Second
	var got []string
	for {
		silence := patience
		if len(got) >= len(want) {
			silence = moment
		}
		select {
		case name := <-e.started:
			got = append(got, name)
		case <-time.After(silence):
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("started %v, want %v", got, want)
			}
			return
		}
	}
}

func TestANodeStartsOnceItsOwnEgressListens(t *testing.T) {
	c, engine, listen := startingCluster(t, topology.Brokers(2), topology.Workers(1))
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- c.startAll(ctx) }()
	engine.wantStarts(t, "zk-1", "egress-broker-1", "egress-broker-2")
	listen(topology.BrokerNode(2))
	engine.wantStarts(t, "broker-2")
	listen(topology.BrokerNode(1))
	engine.wantStarts(t, "broker-1", "egress-worker-1", "egress-client") // what no broker needs comes last
	listen(topology.WorkerNode(1))
	listen(topology.TheClient)
	engine.wantStarts(t) // no worker, of brokers that have not agreed
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
