package witness

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

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
			b.read[group] = groupRecord{generation: 99, next: 1000} // as if the log had been longer
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
	if view, err := b.Members(t.Context(), group); err != nil || view.Generation != -1 || view.State != "Stable" || len(view.Members) != 1 || view.By != "broker-2" {
		t.Errorf("members alone: read %v, %v", view, err)
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
