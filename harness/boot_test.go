package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// starting is an engine whose programs do nothing but tell that they were started, and
// egresses what they are told to do.
type starting struct {
	engine.Engine
	happened chan string
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
	p.engine.happened <- p.name
	return nil
}

func (p startable) State(context.Context) (engine.State, error) {
	return engine.State{Running: true}, nil
}

// startingCluster is a cluster on that engine, and the way to let the egress of a node
// listen.
func startingCluster(t *testing.T, options ...topology.Option) (c *Cluster, engine starting, listen func(topology.Node)) {
	t.Helper()
	spec, err := topology.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	engine = starting{happened: make(chan string, 100)}
	c = newCluster(spec)
	c.engine = engine
	listens := map[topology.Node]event{}
	api := http.NewServeMux()
	for _, node := range append(spec.Nodes(), topology.TheClient) {
		listens[node] = make(event)
		api.HandleFunc("/"+node.String()+"/{order}", func(w http.ResponseWriter, r *http.Request) {
			engine.order(w, r, node, listens[node])
		})
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	c.ports.control, _ = strconv.Atoi(port)
	c.openWitness()
	if err := c.openMesh(); err != nil {
		t.Fatal(err)
	}
	return c, engine, func(node topology.Node) { close(listens[node]) }
}

// order is what the egress of a node does when it is told to: it takes proxies once
// it listens, and toxics at once.
func (e starting) order(w http.ResponseWriter, r *http.Request, node topology.Node, listens event) {
	var operations []struct{ Do, Proxy string }
	switch text, _ := io.ReadAll(r.Body); r.PathValue("order") {
	case "populate":
		if awaitAll(r.Context(), listens) == nil {
			w.WriteHeader(http.StatusCreated)
		}
	case "batch":
		json.Unmarshal(text, &operations)
		for _, o := range operations {
			e.happened <- fmt.Sprintf("%s→%s %s", node, o.Proxy, o.Do)
		}
		json.NewEncoder(w).Encode(make([]struct{}, len(operations)))
	}
}

// want waits until this has happened since the last time, and for a moment that
// nothing else does.
func (e starting) want(t *testing.T, want ...string) {
	t.Helper()
	const moment, patience = 50 * time.Millisecond, 5 * time.Second
	var got []string
	for {
		silence := patience
		if len(got) >= len(want) {
			silence = moment
		}
		select {
		case one := <-e.happened:
			got = append(got, one)
		case <-time.After(silence):
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("%v happened, want %v", got, want)
			}
			return
		}
	}
}

// when is a wait for an event.
func when(e event) func(context.Context) error {
	return func(ctx context.Context) error { return awaitAll(ctx, e) }
}

func TestNodesStartInOrder(t *testing.T) {
	c, engine, listen := startingCluster(t, topology.Brokers(2), topology.Workers(1))
	registered, agreed, over := make(event), make(event), make(chan error, 1)
	go func() { over <- c.startAround(t.Context(), when(registered), when(agreed)) }()
	engine.want(t, "zk-1", "proxies")
	listen(topology.BrokerNode(2))
	engine.want(t, "broker-2") // its own proxies listen
	listen(topology.BrokerNode(1))
	engine.want(t, "broker-1")
	listen(topology.WorkerNode(1))
	engine.want(t, "worker-1→broker-1 add", "worker-1→broker-2 add")
	close(registered)
	engine.want(t, "worker-1")
	close(agreed)
	engine.want(t, "worker-1→broker-1 remove", "worker-1→broker-2 remove")
	listen(topology.TheClient)
	if err := <-over; err != nil {
		t.Error(err)
	}
}

func TestAWorkerIsNeverLeftHeld(t *testing.T) {
	c, engine, listen := startingCluster(t, topology.Brokers(1), topology.Workers(1))
	agreed, over := make(event), make(chan error, 1)
	close(agreed) // before the egress of the worker listens
	go func() { over <- c.startAround(t.Context(), when(agreed), when(agreed)) }()
	listen(topology.BrokerNode(1))
	listen(topology.TheClient)
	engine.want(t, "zk-1", "proxies", "broker-1")
	listen(topology.WorkerNode(1))
	if err := <-over; err != nil {
		t.Error(err)
	}
	engine.want(t, "worker-1→broker-1 add", "worker-1", "worker-1→broker-1 remove")
}

func TestAStartThatIsCutOffEnds(t *testing.T) {
	c, _, _ := startingCluster(t, topology.Brokers(1))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.startAll(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
	c.witness.ZooKeeper.Close()
}
