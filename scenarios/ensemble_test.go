package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

var _ = Describe("An ensemble of three", Label("zookeeper", "ensemble", "quorum"), func() {
	// Servers that elect a leader give every session all of its time-out anew, and
	// brokers know nothing of who leads there.
	elects := history.Fault{Available: true, Budget: unnoticed, Recovery: recovery}

	It("elects another leader when its leader is cut off, and keeps every session", Label("blackhole", "zookeeper-zookeeper"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx, ensemble()...)
			load := Load(ctx, cluster)
			leader := Read(ctx, zooKeeperLeader(cluster))
			before := registrations(ctx, cluster)

			During(ctx, cluster, Promise(cluster, faults.Blackhole(quorumLinks(cluster, leader)...), elects), func() {
				Soon(ctx, expiry, zooKeeperLeader(cluster), And(Not(Equal(nobody)), Not(Equal(leader))))
			})
			expectOwned(ctx, cluster)
			expectSameSessions(ctx, cluster, before)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})

	It("elects another leader when its leader is killed, and keeps every session", Label("kill"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx, ensemble()...)
			load := Load(ctx, cluster)
			leader := Read(ctx, zooKeeperLeader(cluster))
			before := registrations(ctx, cluster)

			During(ctx, cluster, Promise(cluster, faults.Kill(faults.Node(leader)), elects), func() {
				Soon(ctx, expiry, zooKeeperLeader(cluster), And(Not(Equal(nobody)), Not(Equal(leader))))
				Soon(ctx, recovery, cluster.ControllerServes, Serve(), "without the server that is dead")
			})
			expectOwned(ctx, cluster)
			expectSameSessions(ctx, cluster, before)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})

	It("that loses its quorum and regains it has all its brokers, which have served on", Label("kill"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx, ensemble()...)
			load := Load(ctx, cluster)
			epoch := Read(ctx, cluster.Controller)
			leader := Read(ctx, zooKeeperLeader(cluster))

			two := faults.Together(faults.Kill(faults.Node(leader)), faults.Kill(faults.Node(peerOf(cluster, leader))))
			During(ctx, cluster, Promise(cluster, two, history.Fault{Available: true, Budget: replaced, Recovery: whole}), func() {
				Premise(ctx, expiry, zooKeeperLeader(cluster), Equal(nobody), "the one that is left leads nobody")
				load.Flow(ctx, 2*enough)
			})
			expectOwned(ctx, cluster)
			expectOneController(ctx, cluster, epoch)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})

	It("has a broker find another server when the one it speaks to does not answer", Label("blackhole", "broker-zookeeper"), SpecTimeout(3*time.Minute),
		func(ctx SpecContext) {
			cluster := threeBrokers(ctx, ensemble()...)
			load := Load(ctx, cluster)
			broker := cluster.Broker(1)
			server := Read(ctx, serversOf(cluster, broker))[0]

			silent := faults.Blackhole(topology.Link{From: broker.Name(), To: server})
			During(ctx, cluster, Promise(cluster, silent, history.Fault{Available: true, Budget: replaced, Recovery: whole}), func() {
				Soon(ctx, expiry, serversOf(cluster, broker), ContainElement(Not(Equal(server))))
				Soon(ctx, recovery, broker.Registration, BeRegistered())
				Soon(ctx, recovery, cluster.Replicas, BeInSync())
			})
			expectOwned(ctx, cluster)
			expectWhole(ctx, cluster)
			load.Judged(ctx)
		})
})

// ensemble asks for three servers: of the release under test, or of one whose servers
// do not go round their proxies.
func ensemble() []topology.Option {
	options := []topology.Option{topology.ZooKeepers(3)}
	if !brokers().ServersGoByName() {
		options = append(options, topology.VersionOf(topology.ZooKeeper, topology.DefaultVersion.String()))
	}
	return options
}

// nobody is no node.
var nobody topology.Node

// zooKeeperLeader makes the reading which server leads; nobody while none does.
func zooKeeperLeader(cluster *harness.Cluster) func(context.Context) (topology.Node, error) {
	return func(ctx context.Context) (topology.Node, error) {
		for n := range cluster.Spec().Count(topology.ZooKeeper) {
			server := cluster.ZooKeeper(n + 1)
			if view, err := server.Server(ctx); err == nil && view.Mode == state.ModeLeader { // others may be down
				return server.Name(), nil
			}
		}
		return nobody, nil
	}
}

// serversOf makes the reading which servers hold a connection for the session that
// the broker is registered by.
func serversOf(cluster *harness.Cluster, broker *harness.Broker) func(context.Context) ([]topology.Node, error) {
	return func(ctx context.Context) ([]topology.Node, error) {
		registration, err := broker.Registration(ctx)
		if err != nil {
			return nil, err
		}
		var holding []topology.Node
		for _, server := range cluster.Spec().NodesOf(topology.ZooKeeper) {
			view, err := cluster.Witness().ZooKeeper.Connections(ctx, server.Address())
			if err != nil {
				return nil, err
			}
			if registration.Present && slices.Contains(view.Sessions(), registration.Session) {
				holding = append(holding, server)
			}
		}
		if len(holding) == 0 {
			err = fmt.Errorf("no server holds a connection of %v", registration)
		}
		return holding, err
	}
}

// peerOf is another server than that one.
func peerOf(cluster *harness.Cluster, server topology.Node) topology.Node {
	servers := cluster.Spec().NodesOf(topology.ZooKeeper)
	return servers[slices.IndexFunc(servers, func(other topology.Node) bool { return other != server })]
}

// quorumLinks are the links between the server and its peers, both ways.
func quorumLinks(cluster *harness.Cluster, server topology.Node) []topology.Link {
	var links []topology.Link
	for _, link := range cluster.Spec().Links() {
		if link.From.Role == topology.ZooKeeper && (link.From == server || link.To == server) {
			links = append(links, link)
		}
	}
	return links
}
