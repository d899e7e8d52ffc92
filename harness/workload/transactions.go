package workload

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/history"
)

// TransactionalID is what the transactions of that producer in that run go by, for
// whoever looks for their coordinator.
func TransactionalID(run, producer string) string { return run + "-" + producer }

// transact sends in transactions until ctx ends. A client whose transaction came
// to an open end is given up: the next one, of the same transactional id, fences
// it off and has the coordinator settle the matter.
func (t *Traffic) transact(ctx, life context.Context, p Producer) error {
	draw := rand.New(rand.NewPCG(p.Seed, 0))
	pace := newPace(p.Rate)
	for ctx.Err() == nil {
		s, err := t.newSender(p, pace, kgo.TransactionalID(TransactionalID(t.target.Run, p.Name)))
		if err != nil {
			return err
		}
		for err == nil && ctx.Err() == nil {
			err = s.transaction(ctx, life, 1+draw.IntN(p.Most), draw.Float64() < p.Aborts)
		}
		s.close(err == nil)
		if err != nil {
			t.count.restarts.Add(1)
			pause(ctx, time.Second)
		}
	}
	return nil
}

func (s *sender) close(clean bool) {
	s.client.Close()
	s.window.drain()
	s.actor.Stopped(clean)
}

// transaction sends so many records and ends their transaction. An error says
// that the client is of no more use.
func (s *sender) transaction(ctx, life context.Context, records int, abort bool) error {
	if err := s.client.BeginTransaction(); err != nil {
		return fmt.Errorf("begin a transaction of %s: %w", s.Name, err)
	}
	txn := s.actor.Begin()
	failed := s.failed.Load()
	for range records {
		if !s.pace.wait(ctx) {
			break
		}
		partition, ok := s.window.take(ctx)
		if !ok {
			break
		}
		s.send(partition, txn.Send) //nolint:contextcheck // the transaction is settled, though ctx has ended
	}
	err := s.client.Flush(life)
	if err != nil || abort || s.failed.Load() != failed {
		return errors.Join(err, s.settle(life, txn.Abort(), kgo.TryAbort))
	}
	err = s.settle(life, txn.Commit(), kgo.TryCommit)
	if matches(err, notEnded) {
		return s.settle(life, txn.Abort(), kgo.TryAbort)
	}
	return err
}

// settle ends the transaction and records what came of it.
func (s *sender) settle(life context.Context, end history.Operation, how kgo.TransactionEndTry) error {
	err := s.client.EndTransaction(life, how)
	switch {
	case err == nil:
		s.traffic.count.ended(how)
		end.Returned(history.Acked, nil)
		return nil
	case matches(err, notEnded):
		end.Returned(history.Refused, err)
	default:
		end.Returned(history.Unknown, err)
	}
	return fmt.Errorf("end a transaction of %s: %w", s.Name, err)
}

// notEnded are those that leave a transaction as it is.
var notEnded = []error{kerr.OperationNotAttempted, kerr.TransactionAbortable}
