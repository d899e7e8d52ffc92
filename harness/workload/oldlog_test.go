package workload

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
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
