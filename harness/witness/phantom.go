package witness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/state"
)

// Phantom is a member of a group with nothing behind it. Work that the group
// gives to it is done by nobody.
type Phantom struct {
	brokers      *Brokers // its own: a join holds up whatever shares its connection
	group        string
	protocolType string
	obedient     bool // syncs, and joins again when the group rebalances
	end          context.CancelFunc
	ended        chan struct{}

	mu         sync.Mutex
	member     string
	generation int32
}

// ErrAlone says that a group has no member but the phantom, which will not lead
// it.
var ErrAlone = errors.New("the group has no other member")

const (
	phantomSession   = 10 * time.Second // within the bounds of every release's brokers
	phantomRebalance = time.Minute      // how long a group waits for it
	phantomHeartbeat = 300 * time.Millisecond
)

// Join makes a phantom join a group of that protocol type ("connect" or
// "consumer"), and returns when the rebalance that this takes has let it in. It
// lives until it leaves or the witness is closed.
//
// If obey is set it takes part in rebalances as it should. Otherwise it never
// syncs and never joins again, but keeps up its heartbeat: the next rebalance
// waits for it until its time-out of a minute (10 s before 0.10.1.0) is over.
// It never leads: made the leader, it leaves and joins anew, and with nobody
// else there it gives up with ErrAlone.
func (b *Brokers) Join(ctx context.Context, group, protocolType string, obey bool) (*Phantom, error) {
	p := &Phantom{group: group, protocolType: protocolType, obedient: obey, ended: make(chan struct{}),
		brokers: b.clone()}
	if err := p.join(ctx); err != nil {
		p.brokers.Close()
		return nil, fmt.Errorf("join group %s as a phantom: %w", group, err)
	}
	life, end := context.WithCancel(b.life)
	p.end = end
	go p.live(life) //nolint:contextcheck // it outlives this call
	return p, nil
}

// Member is its member id; it changes when the group threw it out and it joined
// anew.
func (p *Phantom) Member() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.member
}

func (p *Phantom) identity() (member string, generation int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.member, p.generation
}

func (p *Phantom) become(member string, generation int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.member, p.generation = member, generation
}

// Leave takes the phantom out of its group. It may be repeated; that the group
// has no such member any more is no error.
func (p *Phantom) Leave(ctx context.Context) error {
	if p == nil {
		return nil
	}
	p.end()
	<-p.ended
	return p.leave(ctx)
}

func (p *Phantom) leave(ctx context.Context) error {
	member := p.Member()
	if member == "" {
		return nil
	}
	if err := p.brokers.Leave(ctx, p.group, member); !errors.Is(err, kerr.UnknownMemberID) {
		return err
	}
	return nil
}

// live keeps the phantom in its group until the context ends.
func (p *Phantom) live(ctx context.Context) {
	defer close(p.ended)
	ticker := time.NewTicker(phantomHeartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		switch err := p.heartbeat(ctx); {
		case err == nil || !p.obedient:
		case errors.Is(err, kerr.UnknownMemberID):
			p.become("", 0)
			_ = p.join(ctx) // what fails is tried at the next beat
		case errors.Is(err, kerr.RebalanceInProgress), errors.Is(err, kerr.IllegalGeneration):
			_ = p.join(ctx)
		}
	}
}

func (p *Phantom) heartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request := kmsg.NewPtrHeartbeatRequest()
	request.Group = p.group
	request.MemberID, request.Generation = p.identity()
	to, err := p.coordinator(ctx)
	if err != nil {
		return err
	}
	response, err := request.RequestWith(ctx, to)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(response.ErrorCode)
}

func (p *Phantom) coordinator(ctx context.Context) (direct, error) {
	found, err := p.brokers.Coordinator(ctx, p.group)
	return direct{brokers: p.brokers, broker: found.Broker, once: true}, err
}

// join goes through JoinGroup and SyncGroup until the phantom is a member that
// does not lead.
func (p *Phantom) join(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, phantomRebalance+patience)
	defer cancel()
	for {
		response, err := p.askToJoin(ctx)
		switch {
		case err != nil:
			return err
		case response.LeaderID != response.MemberID:
			if !p.obedient {
				return nil
			}
			return p.sync(ctx, response)
		}
		if err := p.leave(ctx); err != nil {
			return err
		}
		p.become("", 0) // to join as a new member
		if len(response.Members) < 2 {
			return ErrAlone
		}
	}
}

func (p *Phantom) askToJoin(ctx context.Context) (*kmsg.JoinGroupResponse, error) {
	to, err := p.coordinator(ctx)
	if err != nil {
		return nil, err
	}
	request := kmsg.NewPtrJoinGroupRequest()
	request.Group, request.ProtocolType, request.Protocols = p.group, p.protocolType, protocolsOf(p.protocolType)
	request.SessionTimeoutMillis = int32(phantomSession.Milliseconds())
	request.RebalanceTimeoutMillis = int32(phantomRebalance.Milliseconds())
	for {
		request.MemberID, _ = p.identity()
		response, err := request.RequestWith(ctx, to)
		if err != nil {
			return nil, err
		}
		if err = kerr.ErrorForCode(response.ErrorCode); err == nil || errors.Is(err, kerr.MemberIDRequired) {
			p.become(response.MemberID, response.Generation)
		}
		if !errors.Is(err, kerr.MemberIDRequired) { // the first answer since 2.2.0: come back with this id
			return response, err
		}
	}
}

func (p *Phantom) sync(ctx context.Context, joined *kmsg.JoinGroupResponse) error {
	to, err := p.coordinator(ctx)
	if err != nil {
		return err
	}
	request := kmsg.NewPtrSyncGroupRequest()
	request.Group, request.Generation, request.MemberID = p.group, joined.Generation, joined.MemberID
	request.ProtocolType, request.Protocol = &p.protocolType, joined.Protocol
	response, err := request.RequestWith(ctx, to)
	if err != nil {
		return err
	}
	if err := kerr.ErrorForCode(response.ErrorCode); !errors.Is(err, kerr.RebalanceInProgress) {
		return err
	}
	return nil // it is a member all the same; the next heartbeat will say so, too
}

// protocolsOf offers all protocols that others in the group may offer, since
// they need one in common.
func protocolsOf(protocolType string) []kmsg.JoinGroupRequestProtocol {
	var offers []kmsg.JoinGroupRequestProtocol
	offer := func(name string, metadata []byte) {
		protocol := kmsg.NewJoinGroupRequestProtocol()
		protocol.Name, protocol.Metadata = name, metadata
		offers = append(offers, protocol)
	}
	if protocolType == connectProtocol {
		const url = "http://phantom:8083/"
		offer("sessioned", state.EncodeWorker(2, url))
		offer("compatible", state.EncodeWorker(1, url))
		offer("default", state.EncodeWorker(0, url))
		return offers
	}
	subscription := kmsg.NewConsumerMemberMetadata() // to no topic
	for _, name := range []string{"range", "cooperative-sticky", "sticky", "roundrobin"} {
		offer(name, subscription.AppendTo(nil))
	}
	return offers
}
