// Package witness reads the cluster directly, past every fault: ZooKeeper,
// each broker by itself, Connect's REST. What it reads comes back as values of
// package state. It also acts where only a bystander can: it expires sessions,
// asks for reassignments and elections, takes members out of a group.
//
// Its clients are its own, never those of the system under test, and every call
// ends within its context and a few seconds. A node is addressed by its name in
// the cluster, such as "zk-1:2181"; a Dial of the caller's knows the way there.
//
// The package judges nothing and starts no process. What depends on ZooKeeper
// is kept to the types ZooKeeper and Admin.
package witness
