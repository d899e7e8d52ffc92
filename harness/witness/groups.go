package witness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/state"
)

// Coordinator finds who coordinates a group, as the first broker says that
// knows. Asking makes Kafka create the topic __consumer_offsets.
func (b *Brokers) Coordinator(ctx context.Context, group string) (state.Coordinator, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var failed []error
	for _, broker := range b.IDs() {
		found, err := b.CoordinatorBy(ctx, broker, group)
		if err == nil {
			return found, nil
		}
		failed = append(failed, err)
	}
	return state.Coordinator{}, errors.Join(failed...)
}

// CoordinatorBy asks one broker who coordinates a group.
func (b *Brokers) CoordinatorBy(ctx context.Context, broker int, group string) (state.Coordinator, error) {
	// One silent broker may not use up the time of the others.
	ctx, cancel := context.WithTimeout(ctx, patience/4)
	defer cancel()
	request := kmsg.NewPtrFindCoordinatorRequest()
	request.CoordinatorKey, request.CoordinatorKeys = group, []string{group}
	response, err := request.RequestWith(ctx, direct{brokers: b, broker: broker})
	if err != nil {
		return state.Coordinator{}, fmt.Errorf("ask broker-%d for the coordinator of group %s: %w", broker, group, err)
	}
	id, code := response.NodeID, response.ErrorCode
	if len(response.Coordinators) > 0 { // from version 4 on
		id, code = response.Coordinators[0].NodeID, response.Coordinators[0].ErrorCode
	}
	if err := kerr.ErrorForCode(code); err != nil {
		return state.Coordinator{}, fmt.Errorf("ask broker-%d for the coordinator of group %s: %w", broker, group, err)
	}
	return state.Coordinator{Source: b.source(broker), Group: group, Broker: int(id)}, nil
}

// Group reads a group from its coordinator, and just before that its last
// generation. A group that there is not is Dead and has no members.
func (b *Brokers) Group(ctx context.Context, group string) (state.GroupView, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := b.Coordinator(ctx, group)
	if err != nil {
		return state.GroupView{}, err
	}
	generation, err := b.generation(ctx, found.Broker, group)
	if err != nil {
		return state.GroupView{}, fmt.Errorf("read the generation of group %s: %w", group, err)
	}
	view, err := b.describe(ctx, found.Broker, group)
	if err == nil {
		view.Generation = generation
	}
	return view, err
}

// Members is Group without the generation: two requests instead of four, and never
// a client of its own that reads what the coordinator has written.
func (b *Brokers) Members(ctx context.Context, group string) (state.GroupView, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := b.Coordinator(ctx, group)
	if err != nil {
		return state.GroupView{}, err
	}
	return b.describe(ctx, found.Broker, group)
}

// describe reads a group, but for its generation, from the broker that coordinates it.
func (b *Brokers) describe(ctx context.Context, coordinator int, group string) (state.GroupView, error) {
	request := kmsg.NewPtrDescribeGroupsRequest()
	request.Groups = []string{group}
	response, err := request.RequestWith(ctx, direct{brokers: b, broker: coordinator})
	if err == nil && len(response.Groups) != 1 {
		err = fmt.Errorf("%d groups in the answer", len(response.Groups))
	}
	if err == nil {
		err = kerr.ErrorForCode(response.Groups[0].ErrorCode)
	}
	if err != nil {
		return state.GroupView{}, fmt.Errorf("ask broker-%d to describe group %s: %w", coordinator, group, err)
	}
	view, err := groupView(response.Groups[0])
	if err != nil {
		return state.GroupView{}, fmt.Errorf("read group %s at broker-%d: %w", group, coordinator, err)
	}
	view.Source, view.Coordinator, view.Generation = b.source(coordinator), coordinator, noGeneration
	return view, nil
}

func groupView(from kmsg.DescribeGroupsResponseGroup) (state.GroupView, error) {
	view := state.GroupView{Group: from.Group, State: from.State, ProtocolType: from.ProtocolType, Protocol: from.Protocol}
	for _, m := range from.Members {
		member := state.Member{ID: m.MemberID, ClientID: m.ClientID, Host: m.ClientHost}
		if from.ProtocolType == connectProtocol {
			// Not by kmsg or kadm: they take a task's number for 16 bits wide.
			if err := member.DecodeWorker(m.ProtocolMetadata, m.MemberAssignment); err != nil {
				return state.GroupView{}, fmt.Errorf("decode member %s: %w", m.MemberID, err)
			}
		}
		view.Members = append(view.Members, member)
	}
	slices.SortFunc(view.Members, func(a, b state.Member) int { return cmp.Compare(a.ID, b.ID) })
	return view, nil
}

// connectProtocol is the protocol type of the groups of Connect workers.
const connectProtocol = "connect"

// Groups lists the groups that the brokers coordinate, in order. All brokers
// must answer.
func (b *Brokers) Groups(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var all []string
	for _, broker := range b.IDs() {
		response, err := kmsg.NewPtrListGroupsRequest().RequestWith(ctx, direct{brokers: b, broker: broker})
		if err == nil {
			err = kerr.ErrorForCode(response.ErrorCode)
		}
		if err != nil {
			return nil, fmt.Errorf("ask broker-%d for its groups: %w", broker, err)
		}
		for _, group := range response.Groups {
			all = append(all, group.Group)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Leave takes a member out of its group from outside, as if it had left: the
// member learns it from its next heartbeat. kerr.UnknownMemberID is among the
// errors if the group has no such member.
func (b *Brokers) Leave(ctx context.Context, group, member string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := b.Coordinator(ctx, group)
	if err != nil {
		return err
	}
	request := kmsg.NewPtrLeaveGroupRequest()
	request.Group, request.MemberID = group, member
	leaving := kmsg.NewLeaveGroupRequestMember()
	leaving.MemberID = member
	request.Members = append(request.Members, leaving) // from version 3 on
	response, err := request.RequestWith(ctx, direct{brokers: b, broker: found.Broker, once: true})
	if err == nil {
		err = kerr.ErrorForCode(response.ErrorCode)
	}
	if err == nil && len(response.Members) > 0 {
		err = kerr.ErrorForCode(response.Members[0].ErrorCode)
	}
	if err != nil {
		return fmt.Errorf("take member %s out of group %s at broker-%d: %w", member, group, found.Broker, err)
	}
	return nil
}
