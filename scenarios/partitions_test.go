package scenarios

import (
	"context"
	"fmt"
	"time"

	"kafkachaos/harness"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/workload"
)

// replicated is a cluster that soon takes a replica that does not fetch out of the
// in-sync set: it is 30 s by default, 10 s before 2.5. Leaders move when a scenario
// says so, not 5 s after a controller has begun as well.
var replicated = []topology.Option{topology.Brokers(3), lagging,
	topology.Configure(topology.Broker, "auto.leader.rebalance.enable", "false")}

var lagging = topology.Configure(topology.Broker, "replica.lag.time.max.ms", fmt.Sprint(lag.Milliseconds()))

const (
	lag = 4 * time.Second
	// A leader looks every half lag for who is behind: one and a half lags, and that
	// once more on a busy machine.
	shrunk = 3 * lag
	// A broker that ends without a word is dead to the controller when its session is
	// over; then it elects leaders, and clients ask who leads: double the session.
	failover = 2 * sessionTimeout
	// A client that is not answered gives a request up, and hears who leads before it
	// sends it again.
	unheard = failover + workload.GivesUp
)

// leader leads the first partition, and its followers fetch over toLeader.
var (
	leader   = brokerNode(1)
	toLeader = []topology.Link{{From: brokerNode(2), To: leader}, {From: brokerNode(3), To: leader}}
)

// partitionOf makes the reading of one partition of a topic, as ZooKeeper has it.
func partitionOf(cluster *harness.Cluster, topic string, number int) func(context.Context) (state.Partition, error) {
	return func(ctx context.Context) (state.Partition, error) {
		view, err := cluster.Witness().Admin.Topic(ctx, topic)
		if err == nil && number >= len(view.Partitions) {
			err = fmt.Errorf("%v has no partition %d", view, number)
		}
		if err != nil {
			return state.Partition{}, err
		}
		return view.Partitions[number], nil
	}
}

// inSync makes the reading who is in sync with the leader of a partition.
func (t *traffic) inSync(number int) func(context.Context) ([]int, error) {
	return func(ctx context.Context) ([]int, error) {
		p, err := partitionOf(t.cluster, t.topic(), number)(ctx)
		return p.ISR, err
	}
}

// leader makes the reading who leads a partition.
func (t *traffic) leader(number int) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		p, err := partitionOf(t.cluster, t.topic(), number)(ctx)
		return p.Leader, err
	}
}

// replicas makes the reading who is to hold a partition.
func (t *traffic) replicas(number int) func(context.Context) ([]int, error) {
	return func(ctx context.Context) ([]int, error) {
		p, err := partitionOf(t.cluster, t.topic(), number)(ctx)
		return p.Replicas, err
	}
}

// topic is the name of the topic.
func (t *traffic) topic() string { return t.clients.Topic().Name }

func brokerNode(id int) topology.Node { return topology.BrokerNode(id) }
