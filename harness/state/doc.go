// Package state holds readings of a running cluster as plain values: who owns
// a broker's registration, how each broker sees its peers, who is in a Connect
// group, what a worker says of its tasks, where a JVM's threads stand.
//
// A reading says by whom and when it was read, and prints itself in one line.
// What was asked for and is not there is a value too ("absent"); what could not
// be read is no value at all, but the error of whoever tried to read it.
//
// The package also reads the text forms that such readings come in (znodes,
// ZooKeeper's four-letter words, thread dumps, /proc/net/tcp). It opens no
// connection, looks at no clock and judges nothing.
package state
