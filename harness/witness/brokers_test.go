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

	"kafkachaos/harness/state"
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

func TestGroup(t *testing.T) {
	const group = "connect-cluster"
	cluster, b := fakeBrokers(t, "3.9.2", kfake.SeedTopics(5, offsetsTopic))
	partition := int32(state.GroupPartition(group, 5))
	if err := cluster.MoveTopicPartition(offsetsTopic, partition, 2); err != nil {
		t.Fatal(err)
	}
	coordinatedBy(cluster, 2)
	described := kmsg.DescribeGroupsResponseGroup{Group: group, State: "Stable", ProtocolType: "connect", Protocol: "default",
		Members: []kmsg.DescribeGroupsResponseGroupMember{{MemberID: "m", ClientHost: "/10.0.0.7",
			ProtocolMetadata: []byte("\x00\x00\x00\x14http://worker-1:8084\x00\x00\x00\x00\x00\x00\x00\x01")}}}
	answer(cluster, func(request *kmsg.DescribeGroupsRequest) kmsg.Response {
		response := request.ResponseKind().(*kmsg.DescribeGroupsResponse)
		response.Groups = append(response.Groups, described)
		return response
	})

	for round, want := range []int{-1, 4, 5, 5, -1} {
		switch round {
		case 1:
			produce(t, cluster, groupMetadata(group, partition, 3), groupMetadata(group, partition, 4), groupMetadata("other", partition, 9))
		case 2:
			produce(t, cluster, groupMetadata(group, partition, 5))
		case 4:
			gone := groupMetadata(group, partition, 0)
			gone.Value = nil
			produce(t, cluster, gone)
		}
		view, err := b.Group(t.Context(), group)
		if err != nil {
			t.Fatal(err)
		}
		if view.Generation != want || view.Coordinator != 2 || view.By != "broker-2" || view.State != "Stable" {
			t.Errorf("round %d: read %v, want generation %d", round, view, want)
		}
		if node, ok := view.Members[0].Node(); !ok || node != topology.WorkerNode(1) {
			t.Errorf("round %d: read member %+v", round, view.Members[0])
		}
	}
	described.Members[0].ProtocolMetadata = []byte("\x00\x01nonsense")
	if view, err := b.Group(t.Context(), group); err == nil || !strings.Contains(err.Error(), "member m") {
		t.Errorf("read %v, %v", view, err)
	}
	described.ErrorCode = kerr.NotCoordinator.Code
	if view, err := b.Group(t.Context(), group); !errors.Is(err, kerr.NotCoordinator) {
		t.Errorf("read %v, %v", view, err)
	}
}

func coordinatedBy(cluster *kfake.Cluster, id int32) {
	answer(cluster, func(request *kmsg.FindCoordinatorRequest) kmsg.Response {
		response := request.ResponseKind().(*kmsg.FindCoordinatorResponse)
		response.NodeID = id
		response.Coordinators = append(response.Coordinators, kmsg.FindCoordinatorResponseCoordinator{NodeID: id})
		return response
	})
}

func groupMetadata(group string, partition, generation int32) *kgo.Record {
	key := kmsg.GroupMetadataKey{Version: 2, Group: group}
	value := kmsg.GroupMetadataValue{Version: 3, ProtocolType: "connect", Generation: generation}
	return &kgo.Record{Topic: offsetsTopic, Partition: partition, Key: key.AppendTo(nil), Value: value.AppendTo(nil)}
}

func TestLeave(t *testing.T) {
	cluster, b := fakeBrokers(t, "3.9.2")
	coordinatedBy(cluster, 1)
	answer(cluster, func(request *kmsg.LeaveGroupRequest) kmsg.Response {
		response := request.ResponseKind().(*kmsg.LeaveGroupResponse)
		leaving := kmsg.LeaveGroupResponseMember{MemberID: request.Members[0].MemberID}
		if leaving.MemberID != "m" {
			leaving.ErrorCode = kerr.UnknownMemberID.Code
		}
		response.Members = append(response.Members, leaving)
		return response
	})
	if err := b.Leave(t.Context(), "g", "m"); err != nil {
		t.Error(err)
	}
	if err := b.Leave(t.Context(), "g", "nobody"); !errors.Is(err, kerr.UnknownMemberID) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("got %v", err)
	}
}
