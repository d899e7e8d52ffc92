// Package workload is the traffic of a run: producers, consumers, connectors and
// administrators that write all they do, and what came of it, into a history.
//
//	h, err := history.Create("out/run/"+history.FileName, history.Header{Run: run})
//	traffic, err := workload.Start(ctx, target, h, history.Topic{Name: "orders", Partitions: 3, Replicas: 3, MinInSync: 2},
//		workload.Producer{Rate: 500}, workload.Consumer{Group: "g"}, workload.Consumer{Group: "g"})
//	…
//	summary, err := traffic.Stop(ctx) // flushes, and reads everything a last time
//	h.End()
//	err = errors.Join(err, h.Close())
//	report, err := invariant.Replay("out/run")
//
// Each client has connections of its own, on the plane that the target gives; the
// final read goes over the witness's. Every value says which run and client sent
// it, and as which record, so that whoever finds it knows what it is. Releases
// from 0.9.0.0 on are served; what a release does not know is left out, and the
// history says so.
//
// Outcomes are told with caution. A record counts as refused only if the client
// wrote no request to produce that can have carried it, or one that was answered
// and refused for what is in it; what timed out, lost its connection, or was
// tried more than once is unknown.
//
// The package makes no faults and judges nothing.
package workload
