package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kafkachaos/harness/topology"
)

var needSessions = need("Sessions", func(r *Rig) bool { return r.Sessions != nil })

// expiry is one use of a fault that ends sessions of one broker.
type expiry struct {
	rig    *Rig
	broker topology.Node
	over   []SessionID // expired, oldest first
}

// expiring makes a fault that ends sessions; it cannot be healed, the broker has
// to come back by itself.
func expiring(spec Spec, target Target, inject func(context.Context, *expiry) error) leaf {
	f := leaf{spec: spec, once: true, check: all(needSessions, checkTarget(target, topology.Broker))}
	if node, ok := known(target); ok {
		f.claims = []Claim{{Node: node, Thing: ThingSession}}
	}
	f.make = func(rig *Rig, a *actions) {
		e := &expiry{rig: rig}
		a.inject = func(ctx context.Context) (err error) {
			if e.broker, err = target.Resolve(ctx, rig); err != nil {
				return err
			}
			if err := a.claim(Claim{Node: e.broker, Thing: ThingSession}); err != nil {
				return err
			}
			return inject(ctx, e)
		}
		a.prove = e.seen
	}
	return f
}

// Expire ends the broker's ZooKeeper session from outside. It is proved by the
// registration, which is gone or has another owner. A broker that is not
// registered at the moment is waited for, for a while.
func Expire(target Target) Fault {
	return expiring(Spec{"expire", node(target)}, target, owned)
}

// comeBack is how long a fault waits for what it acts on to be there, such as a
// broker that has not registered since the fault before, or a worker that was
// away from one rebalance of its group: twice the time-outs that this takes in
// the fast profile, 6 s and 10 s.
const comeBack = 20 * time.Second

// again tries until it succeeds, for as long as that. A try that is under way by then
// is not cut short: to join a group is to wait for all of its members.
func again(ctx context.Context, try func(context.Context) error) error {
	for began := time.Now(); ; pause(ctx, pollEvery) {
		if err := try(ctx); err == nil || ctx.Err() != nil || time.Since(began) >= comeBack {
			return err
		}
	}
}

// owned expires the session that owns the registration.
func owned(ctx context.Context, e *expiry) error {
	var session SessionID
	err := again(ctx, func(ctx context.Context) (err error) {
		session, err = e.rig.Sessions.Owner(ctx, e.broker)
		if err == nil && session == 0 {
			err = errors.New("it is not registered")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read owner of %v: %w", e.broker, err)
	}
	return e.expire(ctx, session)
}

func (e *expiry) expire(ctx context.Context, session SessionID) error {
	if err := e.rig.Sessions.Expire(ctx, session); err != nil {
		return fmt.Errorf("expire session %v of %v: %w", session, e.broker, err)
	}
	e.over = append(e.over, session)
	return nil
}

// seen waits until none of the expired sessions owns the registration.
func (e *expiry) seen(ctx context.Context) error {
	return until(ctx, func(ctx context.Context) error {
		owner, err := e.rig.Sessions.Owner(ctx, e.broker)
		if err == nil && slices.Contains(e.over, owner) {
			err = fmt.Errorf("session %v, expired, owns the registration of %v", owner, e.broker)
		}
		return err
	})
}

// ExpireRepeatedly ends the broker's session, and then each new one, a gap after
// ZooKeeper opened it and before the broker can register by it, until so many
// are expired. A broker that was faster makes it inconclusive: slow its link to
// ZooKeeper down, or shorten the gap.
func ExpireRepeatedly(target Target, times int, gap time.Duration) Fault {
	args := node(target)
	args["times"], args["gap"] = strconv.Itoa(times), gap.String()
	f := expiring(Spec{"expire-repeatedly", args}, target, func(ctx context.Context, e *expiry) error {
		if err := owned(ctx, e); err != nil {
			return err
		}
		for len(e.over) < times {
			if err := e.next(ctx, gap); err != nil {
				return err
			}
		}
		return nil
	})
	f.check = all(f.check, refuse(times < 2, "times=%d: want 2 or more", times), refuse(gap < 0, "gap=%v: want 0 or more", gap))
	return f
}

// next expires the session that the broker opens next.
func (e *expiry) next(ctx context.Context, gap time.Duration) error {
	var session SessionID
	err := until(ctx, func(ctx context.Context) error {
		open, err := e.rig.Sessions.Open(ctx, e.broker)
		fresh := slices.IndexFunc(open, func(s SessionID) bool { return !slices.Contains(e.over, s) })
		if err == nil && fresh < 0 {
			return fmt.Errorf("wait for the next session of %v: none is open", e.broker)
		}
		if err == nil {
			session = open[fresh]
		}
		return err
	})
	if err != nil {
		return err
	}
	pause(ctx, gap)
	owner, err := e.rig.Sessions.Owner(ctx, e.broker)
	switch {
	case err != nil:
		return fmt.Errorf("read owner of %v: %w", e.broker, err)
	case owner == session:
		return fmt.Errorf("%w: %v registered by session %v before it was expired", ErrInconclusive, e.broker, session)
	}
	return e.expire(ctx, session)
}

// ExpireAll ends the sessions of all brokers, one right after the other.
func ExpireAll() Fault {
	return built{Spec{"expire-all", nil}, func(layout Layout) Fault {
		var faults []Fault
		for _, broker := range layout.Of(topology.Broker) {
			faults = append(faults, Expire(Node(broker)))
		}
		return Together(faults...)
	}}
}

// ExpireWhileBlackholed black-holes the broker's links to ZooKeeper and ends its
// session there: it cannot learn of that before the heal.
func ExpireWhileBlackholed(target Target) Fault {
	return built{Spec{"expire-while-blackholed", node(target)}, func(Layout) Fault {
		broker := &same{Target: target}
		return Together(Blackhole().On(Towards(broker, topology.ZooKeeper)), Expire(broker))
	}}
}

// Starve black-holes the broker's links to ZooKeeper until its session expires
// by itself. It is proved by the registration, which is gone.
func Starve(target Target) Fault {
	return built{Spec{"starve", node(target)}, func(Layout) Fault {
		broker := &same{Target: target}
		hole := Blackhole().On(Towards(broker, topology.ZooKeeper))
		return witnessed{hole.spec(), hole, needSessions, func(rig *Rig) (before, after func(context.Context) error) {
			owner := func(ctx context.Context) (topology.Node, SessionID, error) {
				node, err := broker.Resolve(ctx, rig)
				if err != nil {
					return node, 0, err
				}
				session, err := rig.Sessions.Owner(ctx, node)
				return node, session, named(fmt.Sprintf("read owner of %v", node), err)
			}
			before = func(ctx context.Context) error {
				node, session, err := owner(ctx)
				if err == nil && session == 0 {
					err = fmt.Errorf("starve %v: it is not registered", node)
				}
				return err
			}
			gone := func(ctx context.Context) error {
				node, session, err := owner(ctx)
				if err == nil && session != 0 {
					err = fmt.Errorf("session %v still owns the registration of %v", session, node)
				}
				return err
			}
			return before, func(ctx context.Context) error { return until(ctx, gone) }
		}}
	}}
}
