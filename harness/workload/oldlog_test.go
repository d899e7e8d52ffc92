package workload

import (
	"encoding/binary"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"kafkachaos/assertions/invariant"
	"kafkachaos/harness/history"
	"kafkachaos/harness/topology"
)

// oldLog takes over what the fake cluster does not know: to produce and to fetch
// before 0.11.0.0, in message sets. A message is its offset (8 bytes), the length
// of the rest (4 bytes), and the rest.
type oldLog struct {
	mu       sync.Mutex
	messages map[int32][][]byte // by partition, without the offset
}

// serve does so. Old releases bound a rebalance by the session's time-out, the
// fake by 0 then; and it tells what it knows itself.
func (l *oldLog) serve(cluster *kfake.Cluster, release *kversion.Versions) {
	l.messages = map[int32][][]byte{}
	cluster.ControlKey(int16(kmsg.ApiVersions), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		response := request.ResponseKind().(*kmsg.ApiVersionsResponse)
		release.EachMaxKeyVersion(func(key, newest int16) {
			response.ApiKeys = append(response.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: key, MaxVersion: newest})
		})
		return response, nil, true
	})
	cluster.ControlKey(int16(kmsg.JoinGroup), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if join := request.(*kmsg.JoinGroupRequest); join.Version == 0 {
			join.RebalanceTimeoutMillis = join.SessionTimeoutMillis
		}
		return nil, nil, false
	})
	cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return l.produce(request.(*kmsg.ProduceRequest)), nil, true
	})
	cluster.ControlKey(int16(kmsg.Fetch), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		time.Sleep(5 * time.Millisecond) // or the bubble's clock would stand still
		return l.fetch(request.(*kmsg.FetchRequest)), nil, true
	})
}

func (l *oldLog) produce(request *kmsg.ProduceRequest) *kmsg.ProduceResponse {
	l.mu.Lock()
	defer l.mu.Unlock()
	response := request.ResponseKind().(*kmsg.ProduceResponse)
	for _, topic := range request.Topics {
		told := kmsg.NewProduceResponseTopic()
		told.Topic = topic.Topic
		for _, p := range topic.Partitions {
			one := kmsg.NewProduceResponseTopicPartition()
			one.Partition, one.BaseOffset = p.Partition, int64(len(l.messages[p.Partition]))
			for set := p.Records; len(set) > 12; {
				end := 12 + binary.BigEndian.Uint32(set[8:])
				l.messages[p.Partition] = append(l.messages[p.Partition], append([]byte(nil), set[8:end]...))
				set = set[end:]
			}
			told.Partitions = append(told.Partitions, one)
		}
		response.Topics = append(response.Topics, told)
	}
	return response
}

func (l *oldLog) fetch(request *kmsg.FetchRequest) *kmsg.FetchResponse {
	l.mu.Lock()
	defer l.mu.Unlock()
	response := request.ResponseKind().(*kmsg.FetchResponse)
	for _, topic := range request.Topics {
		told := kmsg.NewFetchResponseTopic()
		told.Topic = topic.Topic
		for _, p := range topic.Partitions {
			one := kmsg.NewFetchResponseTopicPartition()
			one.Partition, one.HighWatermark = p.Partition, int64(len(l.messages[p.Partition]))
			for offset := p.FetchOffset; offset < one.HighWatermark; offset++ {
				one.RecordBatches = binary.BigEndian.AppendUint64(one.RecordBatches, uint64(offset))
				one.RecordBatches = append(one.RecordBatches, l.messages[p.Partition][offset]...)
			}
			told.Partitions = append(told.Partitions, one)
		}
		response.Topics = append(response.Topics, told)
	}
	return response
}

// lose has a broker say of each partition, as those before 0.10.0.0 did while the
// broker of a replica is away, that this is so.
func lose(cluster *kfake.Cluster, topic string, partitions int32) {
	cluster.ControlKey(int16(kmsg.Metadata), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		for id, address := range cluster.ListenAddrs() {
			host, port, _ := net.SplitHostPort(address)
			number, _ := strconv.ParseInt(port, 10, 32)
			response.Brokers = append(response.Brokers, kmsg.MetadataResponseBroker{NodeID: int32(id), Host: host, Port: int32(number)})
		}
		told := kmsg.MetadataResponseTopic{Topic: &topic}
		for id := range partitions {
			leader := cluster.LeaderFor(topic, id)
			told.Partitions = append(told.Partitions, kmsg.MetadataResponseTopicPartition{Partition: id, Leader: leader,
				ErrorCode: kerr.ReplicaNotAvailable.Code, Replicas: []int32{leader}, ISR: []int32{leader}})
		}
		response.Topics = append(response.Topics, told)
		return response, nil, true
	})
}

// TestOldReleases: what a release does not know is left out, and said.
func TestOldReleases(t *testing.T) {
	for release, versions := range map[string]*kversion.Versions{"0.9.0.0": kversion.V0_9_0(), "0.10.2.0": kversion.V0_10_2()} {
		t.Run(release, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				b.target.Version = topology.MustVersion(release)
				new(oldLog).serve(b.Cluster, versions)
				traffic := b.start(t, Producer{Rate: 20}, Producer{Kind: Transactional, Rate: 20}, Consumer{Committed: true}, Consumer{Group: "g"})
				time.Sleep(5 * time.Second)
				summary := stop(t, traffic)
				if summary.Acked < 150 || summary.Acked != summary.Sent || !summary.Final.Complete || summary.Stores == 0 {
					t.Errorf("summary %v", summary)
				}
				said := 0
				for _, e := range b.events(t, history.ReadingMark) {
					if e.Reading.By == "workload" {
						said++
					}
				}
				if said != 3 {
					t.Errorf("it said %d things", said)
				}
				for _, e := range b.events(t, history.ClientMark) {
					if e.Config.Idempotent || e.Config.Transactional || e.Config.Committed {
						t.Errorf("client %+v", e.Config)
					}
				}
				if report := b.judge(t); report.Verdict != invariant.Pass {
					t.Errorf("%v", report)
				}
			}, kfake.MaxVersions(versions))
		})
	}
}

// TestAReplicaIsAway: of brokers of old all clients find the leaders all the same.
func TestAReplicaIsAway(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.target.Version = topology.MustVersion("0.9.0.0")
		new(oldLog).serve(b.Cluster, kversion.V0_9_0())
		lose(b.Cluster, orders.Name, int32(orders.Partitions))
		traffic := b.start(t, Producer{Rate: 20}, Consumer{})
		time.Sleep(5 * time.Second)
		summary := stop(t, traffic)
		if summary.Acked < 75 || summary.Acked != summary.Sent || !summary.Final.Complete || summary.Read < summary.Acked {
			t.Errorf("summary %v", summary)
		}
	}, kfake.MaxVersions(kversion.V0_9_0()))
}
