package witness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/topology"
)

// fakeBrokers are the brokers 0, 1 and 2, of which the witness knows 1 and 2.
func fakeBrokers(t *testing.T, version string, options ...kfake.Opt) (*kfake.Cluster, *Brokers) {
	t.Helper()
	cluster, err := kfake.NewCluster(append(options, kfake.NumBrokers(3))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	addresses := cluster.ListenAddrs()
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		var id int
		if _, err := fmt.Sscanf(address, "broker-%d:909", &id); err == nil {
			address = addresses[id]
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	b := NewBrokers(dial, []string{"broker-1:9093", "broker-2:9094"}, topology.MustVersion(version))
	t.Cleanup(b.Close)
	return cluster, b
}

// answer makes one broker's answers to one kind of request; the fake makes all
// others.
func answer[T kmsg.Request](cluster *kfake.Cluster, with func(T) kmsg.Response) {
	var key T
	cluster.ControlKey(key.Key(), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return with(request.(T)), nil, true
	})
}

func TestViewIsTheBrokersOwn(t *testing.T) {
	_, b := fakeBrokers(t, "3.9.2", kfake.SeedTopics(4, "t"))
	for _, id := range b.IDs() {
		view, err := b.View(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		topic, found := view.Topic("t")
		if view.Broker != id || view.By != fmt.Sprintf("broker-%d", id) || !slices.Equal(view.Live, []int{0, 1, 2}) || view.Controller < 0 {
			t.Errorf("read %v", view)
		}
		if !found || len(topic.Partitions) != 4 || topic.Partitions[3].Partition != 3 || len(topic.Partitions[0].Replicas) == 0 {
			t.Errorf("read %+v", topic)
		}
	}
	if _, err := b.View(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "broker-3") {
		t.Errorf("got %v of a broker that there is not", err)
	}
}

func TestViewOfMetadata(t *testing.T) {
	name := "t"
	response := &kmsg.MetadataResponse{Version: 1, ControllerID: 2,
		Brokers: []kmsg.MetadataResponseBroker{{NodeID: 2}, {NodeID: 1}},
		Topics: []kmsg.MetadataResponseTopic{{Topic: &name, ErrorCode: kerr.LeaderNotAvailable.Code, Partitions: []kmsg.MetadataResponseTopicPartition{
			{Partition: 1, Leader: -1, Replicas: []int32{3, 1}, ISR: []int32{3}},
			{Partition: 0, Leader: 1, Replicas: []int32{1, 2}, ISR: []int32{2, 1}}}}}}
	view := brokerView(response)
	topic, _ := view.Topic("t")
	if view.Controller != 2 || !slices.Equal(view.Live, []int{1, 2}) || topic.Error != "LEADER_NOT_AVAILABLE" || topic.Partitions[0].Partition != 0 {
		t.Errorf("read %+v", view)
	}
	if under := view.UnderReplicated(); len(under) != 1 || under[0].Partition != 1 || under[0].Leader != -1 {
		t.Errorf("under-replicated are %v", under)
	}
	response.Version = 0
	if old := brokerView(response); old.Controller != -1 {
		t.Errorf("version 0 names no controller, read %v", old)
	}
}

func TestOldBrokersAreAskedInTheirWay(t *testing.T) {
	cluster, b := fakeBrokers(t, "0.9.0.1")
	answer(cluster, func(request *kmsg.MetadataRequest) kmsg.Response {
		if request.Version != 0 || len(request.Topics) != 0 {
			t.Errorf("was asked for %v in version %d", request.Topics, request.Version)
		}
		return request.ResponseKind()
	})
	answer(cluster, func(request *kmsg.ApiVersionsRequest) kmsg.Response {
		t.Error("was asked for its versions, which it does not know")
		return request.ResponseKind()
	})
	if _, err := b.View(t.Context(), 1); err != nil {
		t.Error(err)
	}
}

// Brokers of old blame a partition for a replica that is away, when it has a leader.
func TestLeadersOfOldBrokersAreFound(t *testing.T) {
	cluster, b := fakeBrokers(t, "0.9.0.1")
	name := "t"
	answer(cluster, func(request *kmsg.MetadataRequest) kmsg.Response {
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		response.Brokers = []kmsg.MetadataResponseBroker{{NodeID: 2, Host: "broker-2", Port: 9094}}
		response.Topics = []kmsg.MetadataResponseTopic{{Topic: &name, Partitions: []kmsg.MetadataResponseTopicPartition{
			{Leader: 2, ErrorCode: kerr.ReplicaNotAvailable.Code}, {Partition: 1, Leader: -1, ErrorCode: kerr.ReplicaNotAvailable.Code}}}}
		return response
	})
	client, err := kgo.NewClient(append(b.options("broker-1:9093"), kgo.ConsumeTopics(name))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for partition, want := range []error{nil, kerr.ReplicaNotAvailable} {
		leader, _, err := client.PartitionLeader(name, int32(partition))
		for tries := 0; leader == -1 && err == nil && tries < 100; tries++ { // it has yet to ask
			time.Sleep(20 * time.Millisecond)
			leader, _, err = client.PartitionLeader(name, int32(partition))
		}
		if !errors.Is(err, want) || want == nil && leader != 2 {
			t.Errorf("the leader of %d is %d, %v, want %v", partition, leader, err, want)
		}
	}
}

func TestASilentBrokerIsAnError(t *testing.T) {
	address := listen(t, func(conn net.Conn) { receive(conn) })
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	b := NewBrokers(dial, []string{"broker-1:9093"}, topology.DefaultVersion)
	defer b.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := b.Coordinator(ctx, "g")
	if err == nil || !strings.Contains(err.Error(), "broker-1") || time.Since(began) > time.Second {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
}

func TestEndOffsets(t *testing.T) {
	cluster, b := fakeBrokers(t, "3.9.2", kfake.SeedTopics(2, "t"))
	produce(t, cluster, &kgo.Record{Topic: "t", Partition: 1, Value: []byte("x")}, &kgo.Record{Topic: "t", Partition: 1, Value: []byte("y")})
	// The leader of a partition may be broker 0, which the witness cannot ask.
	for partition := range int32(2) {
		if err := cluster.MoveTopicPartition("t", partition, 1+partition); err != nil {
			t.Fatal(err)
		}
	}
	ends, err := b.EndOffsets(t.Context(), "t")
	if err != nil || len(ends) != 2 || ends[0] != 0 || ends[1] != 2 {
		t.Errorf("read %v, %v", ends, err)
	}
	if _, err := b.EndOffsets(t.Context(), "nothing"); !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Errorf("got %v", err)
	}
}

// Before 0.10.1.0 a broker answers with a list.
func TestEndOffsetsOfOldBrokers(t *testing.T) {
	cluster, b := fakeBrokers(t, "0.9.0.1")
	name := "t"
	answer(cluster, func(request *kmsg.MetadataRequest) kmsg.Response {
		response := request.ResponseKind().(*kmsg.MetadataResponse)
		response.Topics = []kmsg.MetadataResponseTopic{{Topic: &name, Partitions: []kmsg.MetadataResponseTopicPartition{{Leader: 2}}}}
		return response
	})
	offsets := []int64{42}
	answer(cluster, func(request *kmsg.ListOffsetsRequest) kmsg.Response {
		if request.Version != 0 || request.Topics[0].Partitions[0].MaxNumOffsets != 1 {
			t.Errorf("was asked %+v", request)
		}
		response := request.ResponseKind().(*kmsg.ListOffsetsResponse)
		response.Topics = []kmsg.ListOffsetsResponseTopic{{Topic: name, Partitions: []kmsg.ListOffsetsResponseTopicPartition{{OldStyleOffsets: offsets}}}}
		return response
	})
	if ends, err := b.EndOffsets(t.Context(), name); err != nil || ends[0] != 42 {
		t.Errorf("read %v, %v", ends, err)
	}
	offsets = nil
	if ends, err := b.EndOffsets(t.Context(), name); err == nil {
		t.Errorf("read %v", ends)
	}
}

func produce(t *testing.T, cluster *kfake.Cluster, records ...*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}
