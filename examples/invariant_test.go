package mychaos

import (
	"bytes"
	"fmt"
	"time"

	"kafkachaos/harness/history"
)

// A law is tried on a history that breaks it, made by hand.
func ExampleLate() {
	var file bytes.Buffer
	h := history.New(&file, history.Header{Run: "made"})
	orders := history.Partition{Topic: h.Topic(history.Topic{Name: "orders", Partitions: 1})}
	producer := h.Start(history.Client{Name: "producer-1", Role: history.Producer, Acks: "all"})
	producer.Send(orders, 0).Acked(0, 1)
	producer.Send(orders, 1) // nobody answers
	h.End()

	events, err := history.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(Late(events, time.Hour))
	// Output: [client 1 #1 was never answered] <nil>
}
