package invariant_test

import (
	"bytes"
	"fmt"
	"time"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
)

// A run records what its clients do, and what was done to the cluster. Here one
// of two acknowledged records is gone.
func Example() {
	var file bytes.Buffer // in a run it is made by history.Create
	h := history.New(&file, history.Header{Run: "if7agi", Brokers: "3.9.2"})
	orders := history.Partition{Topic: h.Topic(history.Topic{Name: "orders", Partitions: 1, Replicas: 3, MinInSync: 2})}

	producer := h.Start(history.Client{Name: "producer-1", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5})
	producer.Send(orders, 0).Acked(0, 2)
	cut := history.Fault{Name: "cut broker-2→broker-1", Step: history.Intended}
	cut.Number = h.Fault(cut)
	for _, step := range []history.Step{history.Injected, history.InEffect} {
		cut.Step = step
		h.Fault(cut)
	}
	producer.Send(orders, 1).Acked(1, 2)
	cut.Step = history.Healed
	h.Fault(cut)
	producer.Send(orders, 2).Acked(2, 3)

	last := h.Start(history.Client{Name: "final read", Role: history.Consumer, Final: true})
	last.Assigned(orders, 0)
	last.Polled(time.Now(), history.Records{{Partition: orders, Offset: 0, Client: producer.Number(), Seq: 0}})
	last.Polled(time.Now(), history.Records{{Partition: orders, Offset: 2, Client: producer.Number(), Seq: 2}})
	h.End()
	if err := h.Close(); err != nil {
		fmt.Println(err)
	}

	r, err := history.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := invariant.JudgeHistory(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Verdict)
	for _, v := range report.Of(invariant.Lost).Kept {
		fmt.Printf("%s: %s at %s offset %d, acknowledged while broker-%d led, with %v\n", v.Law, v.Record, v.Partition, v.Offset, v.Broker, v.Faults)
	}
	// Output:
	// fail
	// lost: producer-1 #1 at orders/0 offset 1, acknowledged while broker-2 led, with [cut broker-2→broker-1]
}
