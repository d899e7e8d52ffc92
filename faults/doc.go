// Package faults is the vocabulary of what can be done to a running cluster: its
// links, processes, ZooKeeper sessions, groups, connectors and topics.
package faults
