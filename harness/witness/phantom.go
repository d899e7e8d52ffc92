package witness

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A phantom's own time-outs: the group misses it for half a minute after it went
// silent, which every release allows a member (group.max.session.timeout.ms).
const (
	phantomSession   = 30 * time.Second
	phantomRebalance = 60 * time.Second
	phantomHeartbeat = 500 * time.Millisecond
)

// Phantom is a member of a group with nothing behind it: it is assigned work
// and does none.
type Phantom struct {
	brokers      *Brokers
	group        string
	protocolType string
	syncs        bool
	end          context.CancelFunc
	ended        chan struct{}

	mu         sync.Mutex
	member     string
	generation int32
}

// Join makes a phantom join a group and returns when the group has let it in,
// which takes until all other members have joined again. It offers the protocol
// that the group has chosen. If it syncs, it stays like any member, through
// rebalances, and as leader assigns nothing to anybody; if not, the group waits
// for it. Leave it.
func (b *Brokers) Join(ctx context.Context, group, protocolType string, syncs bool) (*Phantom, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &Phantom{brokers: b, group: group, protocolType: protocolType, syncs: syncs, end: end, ended: make(chan struct{})}
	err := p.join(ctx)
	if err == nil && syncs {
		err = p.sync(ctx)
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("join group %s as a phantom: %w", group, err)
	}
	go p.stay(life)
	return p, nil
}

// Member is the phantom's member id.
func (p *Phantom) Member() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.member
}

// Leave takes the phantom out of the group. It may be repeated.
func (p *Phantom) Leave(ctx context.Context) error {
	p.end()
	select {
	case <-p.ended:
	case <-ctx.Done():
		return fmt.Errorf("end the phantom in group %s: %w", p.group, ctx.Err())
	}
	err := p.brokers.Leave(ctx, p.group, p.Member())
	if errors.Is(err, kerr.UnknownMemberID) {
		return nil
	}
	return err
}

// join joins, with the member id that the coordinator gave it if it did
// (KIP-394: a first join without one is refused and told one).
func (p *Phantom) join(ctx context.Context) error {
	view, err := p.brokers.Group(ctx, p.group)
	if err != nil {
		return err
	}
	protocol := view.Protocol
	if protocol == "" {
		protocol = "default" // of a group that rebalances or is empty; workers of every release offer it
	}
	for range 2 {
		err = p.joinWith(ctx, view.Coordinator, protocol)
		if !errors.Is(err, kerr.MemberIDRequired) {
			break
		}
	}
	return err
}

func (p *Phantom) joinWith(ctx context.Context, coordinator int, protocol string) error {
	request := kmsg.NewPtrJoinGroupRequest()
	request.Group, request.ProtocolType, request.MemberID = p.group, p.protocolType, p.Member()
	request.SessionTimeoutMillis = int32(phantomSession.Milliseconds())
	request.RebalanceTimeoutMillis = int32(phantomRebalance.Milliseconds())
	offered := kmsg.NewJoinGroupRequestProtocol()
	offered.Name, offered.Metadata = protocol, workerMetadata()
	request.Protocols = append(request.Protocols, offered)
	response, err := request.RequestWith(ctx, direct{brokers: p.brokers, broker: coordinator, once: true})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if response.MemberID != "" {
		p.member = response.MemberID
	}
	p.generation = response.Generation
	return kerr.ErrorForCode(response.ErrorCode)
}

// sync takes what the leader gives, without looking at it.
func (p *Phantom) sync(ctx context.Context) error {
	found, err := p.brokers.Coordinator(ctx, p.group)
	if err != nil {
		return err
	}
	request := kmsg.NewPtrSyncGroupRequest()
	p.mu.Lock()
	request.Group, request.MemberID, request.Generation = p.group, p.member, p.generation
	p.mu.Unlock()
	response, err := request.RequestWith(ctx, direct{brokers: p.brokers, broker: found.Broker, once: true})
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(response.ErrorCode)
}

// stay keeps up the membership until the phantom leaves. What goes wrong on the
// way is tried again: a phantom is to stay, through moves of its coordinator too.
func (p *Phantom) stay(life context.Context) {
	defer close(p.ended)
	ticks := time.NewTicker(phantomHeartbeat)
	defer ticks.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-ticks.C:
		}
		err := p.heartbeat(life)
		if p.syncs && (errors.Is(err, kerr.RebalanceInProgress) || errors.Is(err, kerr.IllegalGeneration)) {
			if p.join(life) == nil {
				_ = p.sync(life) // the next heartbeat says what came of it
			}
		}
	}
}

func (p *Phantom) heartbeat(ctx context.Context) error {
	found, err := p.brokers.Coordinator(ctx, p.group)
	if err != nil {
		return err
	}
	request := kmsg.NewPtrHeartbeatRequest()
	p.mu.Lock()
	request.Group, request.MemberID, request.Generation = p.group, p.member, p.generation
	p.mu.Unlock()
	response, err := request.RequestWith(ctx, direct{brokers: p.brokers, broker: found.Broker, once: true})
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(response.ErrorCode)
}

// workerMetadata is what a Connect worker says of itself when it joins, in
// version 0, which all later ones read (ConnectProtocol.WorkerState): its URL
// and how far it has read the configuration topic.
func workerMetadata() []byte {
	const url = "http://phantom:1/"
	metadata := binary.BigEndian.AppendUint16(nil, 0)
	metadata = binary.BigEndian.AppendUint16(metadata, uint16(len(url)))
	metadata = append(metadata, url...)
	return binary.BigEndian.AppendUint64(metadata, 0)
}
