package rig

import (
	"context"
	"errors"
	"fmt"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

// Sessions reads and ends the ZooKeeper sessions of brokers.
type Sessions struct {
	ZooKeeper *witness.ZooKeeper
	// Egress is the address from which ZooKeeper sees a broker come.
	Egress func(broker topology.Node) (string, error)
}

var _ faults.Sessions = Sessions{}

// Owner reads the session that owns the broker's registration.
func (s Sessions) Owner(ctx context.Context, broker topology.Node) (faults.SessionID, error) {
	registration, err := s.ZooKeeper.Registration(ctx, broker.ID)
	return faults.SessionID(registration.Session), err
}

// Open lists the sessions of the connections that come from the broker's egress.
func (s Sessions) Open(ctx context.Context, broker topology.Node) ([]faults.SessionID, error) {
	egress, err := s.Egress(broker)
	if err != nil {
		return nil, fmt.Errorf("find the sessions of %s: %w", broker, err)
	}
	var open []faults.SessionID
	for _, server := range s.ZooKeeper.Servers() {
		view, err := s.ZooKeeper.Connections(ctx, server)
		if err != nil {
			return nil, err
		}
		for _, connection := range view.All {
			if connection.Session != 0 && connection.Remote.Addr().String() == egress {
				open = append(open, faults.SessionID(connection.Session))
			}
		}
	}
	return open, nil
}

// Expire ends the session. That it was over already is what was wanted.
func (s Sessions) Expire(ctx context.Context, session faults.SessionID) error {
	err := s.ZooKeeper.Expire(ctx, state.SessionID(session))
	if errors.Is(err, witness.ErrSessionUnknown) {
		return nil
	}
	return err
}
