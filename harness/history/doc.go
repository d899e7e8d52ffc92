// Package history is what a run of traffic leaves behind: every operation of
// every client with its outcome, and as marks what else happened meanwhile —
// faults, readings, assignments, the configuration of topics and clients. It is
// written line by line as it happens, read back as a stream, and judged by
// package invariant, in the run or years later, without a cluster.
//
// All times are durations on one monotonic clock, that of the program that ran
// the clients; its origin is the moment when the history was begun.
//
// An operation is written when it begins and again when its outcome is known:
// acked, refused (it certainly did not happen) or unknown (a write that timed
// out may have happened). One that never returned counts as unknown. Sends are
// told apart by their client and sequence, which the value sent must carry, so
// that a record says by itself where it came from. A poll changes nothing and is
// written once, when it returns.
//
//	h, err := history.Create("out/run/history.jsonl", history.Header{Run: "if7agi"})
//	orders := h.Topic(history.Topic{Name: "orders", Partitions: 3, Replicas: 3, MinInSync: 2})
//	p := h.Start(history.Client{Name: "producer-1", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5})
//	send := p.Send(history.Partition{Topic: orders, Number: 0}, seq)
//	…
//	send.Acked(offset, broker) // or send.Failed(history.Unknown, err)
//	…
//	h.End()
//	err = h.Close()
//
// The file is JSON, a line an event, the first line the header with the number
// of the format. What this package writes it reads fast; any other order of the
// fields or spacing it reads as well.
//
// The package produces no traffic and judges nothing.
package history
