package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/internal/clients"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// File reads a file in the node's container, whose process must run. A file that
// is not there yet is empty.
func (n *Node) File(ctx context.Context, path string) (string, error) {
	text, err := n.Exec(ctx, "sh", "-c", `[ ! -e "$0" ] || cat "$0"`, path)
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", path, n, err)
	}
	return text, nil
}

// Delivered reads which of the records a connector has delivered into the file
// that it writes on whichever worker runs it, one record a line. The files of
// workers that have ended or are paused are not looked at.
func (c *Cluster) Delivered(ctx context.Context, connector, file string, records []string) (state.Delivery, error) {
	var files, from []string
	for _, worker := range c.Workers() {
		process, err := worker.Process(ctx)
		if err != nil {
			return state.Delivery{}, fmt.Errorf("read what connector %s delivered: %w", connector, err)
		}
		if !process.Runs() {
			continue
		}
		text, err := worker.File(ctx, file)
		if err != nil {
			return state.Delivery{}, fmt.Errorf("read what connector %s delivered: %w", connector, err)
		}
		files, from = append(files, text), append(from, worker.String())
	}
	delivery := state.NewDelivery(connector, records, files...)
	delivery.Source = state.Source{By: "the files of " + strings.Join(from, ", "), At: time.Now()}
	return delivery, nil
}

// produceBound is how long Produce waits for the acknowledgement, the client's
// own retries included.
const produceBound = 2 * time.Second

// Produce tries to produce one record to a partition that lives on the broker,
// all in-sync replicas acknowledging, with a client of its own on the witness
// plane that knows nothing from before. That it is not acknowledged within 2 s
// is a reading.
func (b *Broker) Produce(ctx context.Context, topic string, partition int) (state.Produced, error) {
	client, err := b.cluster.NewClient(OnWitness, kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DisableIdempotentWrite(), kgo.RecordDeliveryTimeout(produceBound))
	if err != nil {
		return state.Produced{}, err
	}
	defer client.Close()
	within, cancel := context.WithTimeout(ctx, produceBound)
	defer cancel()
	produced := state.Produced{Broker: b.name.ID, Topic: topic, Partition: partition}
	err = client.ProduceSync(within, &kgo.Record{Topic: topic, Partition: int32(partition), Value: []byte(`"probe"`)}).FirstErr()
	if ctx.Err() != nil {
		return state.Produced{}, fmt.Errorf("produce to %s-%d: %w", topic, partition, ctx.Err())
	}
	if produced.Acked = err == nil; err != nil {
		produced.Refusal = err.Error()
	}
	produced.Source = state.Source{By: "a producer", At: time.Now()}
	return produced, nil
}

// NewClient makes a Kafka client on that plane, for the release that the brokers
// run. Close it.
func (c *Cluster) NewClient(plane Plane, options ...kgo.Opt) (*kgo.Client, error) {
	brokers := c.spec.Version(topology.Broker)
	all := append(clients.Options(brokers, c.Dialer(plane)), kgo.SeedBrokers(c.Addresses(topology.Broker)...))
	if !brokers.ApiVersions() {
		all = append(all, kgo.DisableIdempotentWrite())
	}
	client, err := kgo.NewClient(append(all, options...)...)
	if err != nil {
		return nil, fmt.Errorf("make a client on the %s plane: %w", plane, err)
	}
	return client, nil
}
