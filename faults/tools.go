package faults

import (
	"context"
	"time"

	"kafkachaos/harness/topology"
)

// Groups reads and disturbs the groups of consumers and Connect workers.
type Groups interface {
	// Group reads the group from its coordinator.
	Group(ctx context.Context, group string) (Group, error)
	// Leave sends LeaveGroup in the name of the member.
	Leave(ctx context.Context, group, member string) error
	// Join makes a member that is nobody's: it joins and, if sync is set, syncs and
	// keeps up its heartbeat; otherwise it keeps the group waiting for its sync.
	// With the protocol type "connect" it is a phantom worker.
	Join(ctx context.Context, group, protocolType string, sync bool) (Phantom, error)
}

// Phantom is a member of a group with nothing behind it.
type Phantom interface {
	// Member is its member id.
	Member() string
	// Leave takes it out of the group. It may be repeated.
	Leave(ctx context.Context) error
}

// Group is a reading of a group.
type Group struct {
	// Generation grows with every rebalance that was begun or completed.
	Generation int
	Members    []Member
}

// Member is one member of a group.
type Member struct {
	ID   string
	Node topology.Node // the worker behind it; zero for others
}

// Connect drives connectors through the REST interface.
type Connect interface {
	// Config reads the configuration of a connector.
	Config(ctx context.Context, connector string) (map[string]string, error)
	// SetConfig replaces it.
	SetConfig(ctx context.Context, connector string, config map[string]string) error
	// Restart restarts one task, or the connector itself if task is -1, and
	// returns when the worker answered that it was done.
	Restart(ctx context.Context, connector string, task int) error
}

// Topics administers topics.
type Topics interface {
	// Topic reads a topic; Exists is false, and the error nil, if there is none.
	Topic(ctx context.Context, name string) (Topic, error)
	// Create makes a topic with these replicas and this configuration.
	Create(ctx context.Context, topic Topic) error
	Delete(ctx context.Context, name string) error
	// SetConfig sets one key of the topic's own configuration; "" removes it.
	SetConfig(ctx context.Context, name, key, value string) error
}

// Topic is a reading of a topic, or the wish for one.
type Topic struct {
	Name       string
	Exists     bool
	Partitions []Partition
	Config     map[string]string // the keys set on the topic itself
}

// Partition is one partition of a topic. Brokers are named by broker.id.
type Partition struct {
	Leader   int
	Replicas []int // the first is the preferred leader
	InSync   []int
}

// Partitions moves replicas and leaders.
type Partitions interface {
	// Reassign asks the controller for these replicas, in this order, and returns
	// when it was asked.
	Reassign(ctx context.Context, topic string, partition int, replicas []int) error
	// ElectPreferred asks for the election of the first replica.
	ElectPreferred(ctx context.Context, topic string, partition int) error
}

// Roles finds who plays a part at this moment.
type Roles interface {
	Holder(ctx context.Context, role Role) (topology.Node, error)
}

// Watch turns conditions on the witness plane into events.
type Watch interface {
	// Arm returns once the watch stands: a change after its return is not missed,
	// a state from before does not fire. The channel delivers one event and needs
	// no reader; the watch ends with the context.
	Arm(ctx context.Context, condition Condition) (<-chan Event, error)
}

// Event says that a condition came true, or that it can no longer be watched.
type Event struct {
	At  time.Time // when the witness saw it
	Err error
}
