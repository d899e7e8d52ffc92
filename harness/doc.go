// Package harness starts a real Kafka cluster — ZooKeeper, brokers, Connect
// workers — in which every directed link between two nodes goes through a proxy
// of its own, and hands out what a chaos scenario needs: nodes to kill and
// pause, links to fault, readings of how the cluster really is, and evidence.
//
//	spec, err := topology.New(topology.Brokers(3), topology.Workers(2))
//	…
//	cluster, err := harness.Start(ctx, spec)
//	defer cluster.Stop(context.Background()) // also when err is not nil
//
// There are two planes. On the faulted plane clients reach the cluster through
// proxies, as the nodes reach each other. On the witness plane the harness
// reads the cluster directly, so that it can still see when links are cut.
//
// The package asserts nothing and imports no test framework: it returns errors.
// It does not decide what is faulted, which is for package faults, nor what is
// right, which is for package assertions.
package harness
