package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/topology"
)

func TestStopIsValidOnNothing(t *testing.T) {
	var none *Cluster
	if err := none.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := newCluster(topology.Spec{}).Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// closing is an engine of which only the end is looked at.
type closing struct {
	engine.Engine
	alive bool
	left  time.Duration
}

func (e *closing) Close(ctx context.Context) error {
	e.alive = ctx.Err() == nil
	deadline, _ := ctx.Deadline()
	e.left = time.Until(deadline)
	return errors.New("broker-1 stays")
}

func TestStopGoesOnWhenItsContextIsOver(t *testing.T) {
	docker := &closing{}
	c := newCluster(topology.Spec{})
	c.engine = docker
	over, cancel := context.WithCancel(t.Context())
	cancel()
	err := c.Stop(over)
	if !docker.alive || docker.left < stopBound/2 || docker.left > stopBound {
		t.Errorf("the engine was closed alive=%t with %v left", docker.alive, docker.left)
	}
	if err == nil || !strings.Contains(err.Error(), "broker-1 stays") || !strings.Contains(err.Error(), c.Run()) {
		t.Errorf("error %v: want what stayed, and the run", err)
	}
}

func TestAClusterThatNeverBeganCanBeKeptAndLookedAt(t *testing.T) {
	spec, err := topology.New(topology.Brokers(1), topology.Workers(1))
	if err != nil {
		t.Fatal(err)
	}
	c, folder := newCluster(spec), t.TempDir()
	if err := errors.Join(c.Keep(t.Context()), c.Evidence(t.Context(), folder, c.Symptoms(t.Context()))); err != nil {
		t.Error(err)
	}
	for _, file := range []string{"topology.txt", "zk-1.properties", "broker-1.properties", "worker-1.properties"} {
		if text, err := os.ReadFile(filepath.Join(folder, file)); err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes, %v", file, len(text), err)
		}
	}
}

func TestInternalTopicsFollowTheConfiguration(t *testing.T) {
	spec, err := topology.New(topology.Workers(1), topology.Configure(topology.Broker, "offsets.topic.replication.factor", "1"),
		topology.Configure(topology.Worker, "status.storage.replication.factor", "2"),
		topology.Configure(topology.Worker, "config.storage.replication.factor", "-1"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"__consumer_offsets": 1, topology.ConfigTopic: 3, topology.OffsetTopic: 3, topology.StatusTopic: 2}
	for _, topic := range newCluster(spec).internalTopics() {
		if topic.replicas != want[topic.name] {
			t.Errorf("%s: %d replicas, want %d", topic.name, topic.replicas, want[topic.name])
		}
		delete(want, topic.name)
	}
	if len(want) > 0 {
		t.Errorf("not made: %v", want)
	}
}

func TestDialersKnowTheNodesOnly(t *testing.T) {
	spec, err := topology.New(topology.Brokers(1))
	if err != nil {
		t.Fatal(err)
	}
	c := newCluster(spec)
	if c.ports, err = allocatePorts(spec); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"broker-2:9094", "broker-1:9999", "broker-1", "example:9093"} {
		if _, err := c.Dialer(OnWitness)(context.Background(), "tcp", address); err == nil ||
			!strings.Contains(err.Error(), address) {
			t.Errorf("dial %s: %v, want an error that names it", address, err)
		}
	}
	if _, err := c.REST(OnWitness, topology.WorkerNode(1)); err == nil {
		t.Error("a worker that is not there has a REST interface")
	}
}

func TestPortsAreAllDifferent(t *testing.T) {
	spec, err := topology.New(topology.ZooKeepers(3), topology.Workers(2))
	if err != nil {
		t.Fatal(err)
	}
	all, err := allocatePorts(spec)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[int]bool{all.control: true}
	for _, ports := range []map[topology.Node]int{all.direct, all.faulted} {
		for node, port := range ports {
			if taken[port] {
				t.Errorf("port %d of %s is taken twice", port, node)
			}
			taken[port] = true
		}
	}
	if want := 2*8 + 1; len(taken) != want {
		t.Errorf("%d ports, want %d", len(taken), want)
	}
}

func TestProgramsOfOldWorkersHavePluginsOnTheClassPath(t *testing.T) {
	folder := t.TempDir()
	for version, want := range map[string]string{"0.10.2.2": topology.PluginFolder + "/1/*", "0.11.0.3": "", "3.9.2": ""} {
		spec, err := topology.New(topology.Kafka(version), topology.Workers(1), topology.Plugins(folder))
		if err != nil {
			t.Fatal(err)
		}
		c := newCluster(spec)
		c.engine = addresses{}
		program, err := c.program(topology.WorkerNode(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := program.Env["KAFKACHAOS_PLUGINS"]; got != want {
			t.Errorf("Kafka %s: class path %q, want %q", version, got, want)
		}
		if program.Folders[topology.PluginFolder+"/1"] != folder {
			t.Errorf("Kafka %s: folders %v", version, program.Folders)
		}
		if program.Hosts["broker-1"] != "address of egress of worker-1" || program.Hosts["worker-1"] != "" {
			t.Errorf("Kafka %s: hosts %v: want every peer at its egress", version, program.Hosts)
		}
	}
}

// addresses is an engine that only reserves.
type addresses struct{ engine.Engine }

func (addresses) Reserve(name string) (string, error) { return "address of " + name, nil }
