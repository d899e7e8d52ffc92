// Package faults is the vocabulary of what can be done to a running Kafka
// cluster: to its links, processes, ZooKeeper sessions, groups, connectors and
// topics.
//
// # Using a fault
//
// A Fault is a value. It prints itself, can be used many times, and does nothing
// until During has it in effect:
//
//	err := faults.During(ctx, rig, faults.Blackhole(link), func(ctx context.Context) error {
//		// the fault was seen in effect; wait here for what it should bring about
//	})
//
// During injects, proves, runs the body, heals, and proves that the fault is
// gone. It heals for certain: after an error, a panic, a cancelled context. Its
// error is ErrInconclusive if the fault could not be seen in effect: such a run
// says nothing about the system, and must not count as passed. It is
// ErrNotHealed if the fault may still be there. Injection gives the same steps
// one by one.
//
// # Links
//
// A link is directed: it carries the connections that one node dials to another.
// Cut, Blackhole, Hold, Delay, Bandwidth, Slice, Reset, CloseAfter and
// SwallowFirstReply act on links, most of them on either half: Upstream is what
// the dialling node sends, Downstream what it is answered. Refused (Cut), gone
// silent (Blackhole) and late (Hold, Delay) are different faults to the system;
// so are a request that is late and a reply that is late. On takes links that
// are found when the fault is injected: Between(Controller, ZooKeeperLeader),
// Towards, Around, Across, ByRole, Ring. Isolate, Split, OneWay, Bridge and
// MajoritiesRing are partitions.
//
// # Targets
//
// Other faults take a Target: a Node, or a Role that is resolved when the fault
// is injected, such as Controller, LeaderOf or WorkerOf.
//
// # Composition
//
// Flap has any fault on and off. For, Sequence, Together, Repeat and
// AtRandomTimes combine faults; When arms one with a Condition on the witness
// plane; Rebalance asks for the proof that a group rebalanced, too; Guarded
// refuses what would leave too many brokers down. Faults that would undo each
// other on the same thing are refused with ErrConflict.
//
// # Plans
//
// A Plan is a course of faults as plain data. Draw makes one from a seed; it
// prints as text that ParsePlan reads back, so it can be kept, edited and run
// again; Run checks it as a whole before anything is injected, runs it, and
// records when each thing was meant to happen and did. Every fault of this
// package prints the text that ParseFault reads.
//
// # A rig
//
// A Rig is what faults act on. The owner of a cluster makes one, with NewRig, of
// Tools: small interfaces to links, nodes, sessions and so on. It keeps what is
// active: HealAll and Close heal it, Audit says what was left behind.
//
// # Faults of your own
//
// Implement Fault and Effect; see the example of Fault. Take what you touch from
// the rig with Claim, so that no other fault undoes it.
//
// # What it does not do
//
// It starts nothing, reads no logs, and judges nothing: whether the system came
// through is for assertions. It knows no container engine and no proxy server.
package faults
