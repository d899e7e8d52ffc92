package witness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/internal/clients"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// Brokers asks each broker by itself. It has a client for each, which knows no
// other broker, so an answer is never another one's.
//
// It is safe for concurrent use, and connects when it is asked.
type Brokers struct {
	dial      Dial
	addresses map[int]string
	version   topology.Version
	life      context.Context //nolint:containedctx // that of its phantoms, until Close
	end       context.CancelFunc

	mu      sync.Mutex
	clients map[int]*kgo.Client
	read    map[string]groupRecord // by group: the last record of it that was read
}

// NewBrokers makes a witness of the brokers at these addresses, such as
// "broker-1:9093". The version tells which requests releases before 0.10.0.0
// understand, since those do not say so themselves. Close it.
func NewBrokers(dial Dial, addresses []string, version topology.Version) *Brokers {
	b := (&Brokers{dial: dial, version: version, addresses: map[int]string{}}).clone()
	for _, address := range addresses {
		if node, err := topology.ParseNode(nodeOf(address)); err == nil && node.Role == topology.Broker {
			b.addresses[node.ID] = address
		}
	}
	return b
}

// clone is a witness of the same brokers with connections of its own.
func (b *Brokers) clone() *Brokers {
	life, end := context.WithCancel(context.Background())
	return &Brokers{dial: b.dial, version: b.version, addresses: b.addresses, life: life, end: end,
		clients: map[int]*kgo.Client{}, read: map[string]groupRecord{}}
}

// Close ends all connections, and the heartbeats of the phantoms that joined
// through them.
func (b *Brokers) Close() {
	if b == nil {
		return
	}
	b.end()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, client := range b.clients {
		client.Close()
	}
	clear(b.clients)
}

// IDs are the ids of the brokers that can be asked, in order.
func (b *Brokers) IDs() []int { return slices.Sorted(maps.Keys(b.addresses)) }

// options suit a client that must say soon what it could not read.
func (b *Brokers) options(addresses ...string) []kgo.Opt {
	return append(clients.Options(b.version, b.dial),
		kgo.SeedBrokers(addresses...),
		kgo.DisableClientMetrics(),
		kgo.ClientID("witness"),
		kgo.DialTimeout(time.Second),
		kgo.RequestRetries(1), // a connection that went stale since the last time
		kgo.RetryBackoffFn(func(int) time.Duration { return redial }),
		kgo.RetryTimeout(patience))
}

// at is the way to one broker.
func (b *Brokers) at(broker int) (*kgo.Broker, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	client := b.clients[broker]
	if client == nil {
		address, known := b.addresses[broker]
		if !known {
			return nil, errors.New("no such broker in this cluster")
		}
		var err error
		if client, err = kgo.NewClient(b.options(address)...); err != nil {
			return nil, err
		}
		b.clients[broker] = client
	}
	return client.SeedBrokers()[0], nil
}

// direct sends requests to one broker, whoever they should go to.
type direct struct {
	brokers *Brokers
	broker  int
	once    bool // for what may not happen twice
}

// Request implements kmsg.Requestor.
func (d direct) Request(ctx context.Context, request kmsg.Request) (kmsg.Response, error) {
	broker, err := d.brokers.at(d.broker)
	if err != nil {
		return nil, err
	}
	if d.once {
		return broker.Request(ctx, request)
	}
	return broker.RetriableRequest(ctx, request)
}

func (b *Brokers) source(broker int) state.Source {
	return state.Source{By: topology.BrokerNode(broker).String(), At: time.Now()}
}

// View reads the cluster as one broker sees it.
func (b *Brokers) View(ctx context.Context, broker int) (state.BrokerView, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// No topic is named: naming one that there is not would create it.
	response, err := kmsg.NewPtrMetadataRequest().RequestWith(ctx, direct{brokers: b, broker: broker})
	if err != nil {
		return state.BrokerView{}, fmt.Errorf("read the metadata of broker-%d: %w", broker, err)
	}
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return state.BrokerView{}, fmt.Errorf("read the metadata of broker-%d: %w", broker, err)
	}
	view := brokerView(response)
	view.Broker, view.Source = broker, b.source(broker)
	return view, nil
}

func brokerView(response *kmsg.MetadataResponse) state.BrokerView {
	const noController = -1
	view := state.BrokerView{Controller: noController}
	if response.Version >= 1 {
		view.Controller = int(response.ControllerID)
	}
	for _, broker := range response.Brokers {
		view.Live = append(view.Live, int(broker.NodeID))
	}
	slices.Sort(view.Live)
	for _, topic := range response.Topics {
		if topic.Topic != nil {
			view.Topics = append(view.Topics, topicView(*topic.Topic, topic))
		}
	}
	slices.SortFunc(view.Topics, func(a, b state.Topic) int { return cmp.Compare(a.Name, b.Name) })
	return view
}

func topicView(name string, from kmsg.MetadataResponseTopic) state.Topic {
	topic := state.Topic{Name: name}
	if err := kerr.TypedErrorForCode(from.ErrorCode); err != nil {
		topic.Error = err.Message
	}
	for _, p := range from.Partitions {
		topic.Partitions = append(topic.Partitions, state.Partition{
			Topic: name, Partition: int(p.Partition), Leader: int(p.Leader), Replicas: ints(p.Replicas), ISR: ints(p.ISR),
		})
	}
	slices.SortFunc(topic.Partitions, func(a, b state.Partition) int { return cmp.Compare(a.Partition, b.Partition) })
	return topic
}

func ints(from []int32) []int {
	all := make([]int, len(from))
	for i, one := range from {
		all[i] = int(one)
	}
	return all
}
