// Package topology says what a cluster is made of, as plain data: its nodes,
// the directed links between them, the options that shape it, the facts that
// hang on a Kafka version, and the configuration files and proxies that all
// this comes to.
//
// It starts nothing and reads nothing. The harness carries a topology out, the
// tests compare it as text.
package topology
