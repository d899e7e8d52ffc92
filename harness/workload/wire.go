package workload

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafkachaos/harness/history"
)

// wire counts what a client writes and is answered, since its library retries in
// silence and fails all records of a partition with the error of one. It stands
// in the way of the client's connections and is one of its hooks.
type wire struct {
	produced atomic.Int64 // requests to produce that were begun to be written
	answered atomic.Int64 // those of them that were answered
	lost     atomic.Int64 // requests of any kind that were written and not answered

	unsure *atomic.Int64 // counts those to produce among them; may be nil
}

// dialer is that way, past the counter.
func (w *wire) dialer(dial func(ctx context.Context, network, address string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &counted{conn, w}, nil
	}
}

type counted struct {
	net.Conn
	wire *wire
}

// Write counts before it writes: a part of a request may be with the broker
// while it is being written. kgo writes each request as a whole, which is its
// length and then the key of its kind.
func (c *counted) Write(request []byte) (int, error) {
	if len(request) >= 6 && binary.BigEndian.Uint16(request[4:]) == uint16(kmsg.Produce) {
		c.wire.produced.Add(1)
	}
	return c.Conn.Write(request)
}

// OnBrokerE2E is kgo's hook for a request that was answered, or never will be.
func (w *wire) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e kgo.BrokerE2E) {
	switch {
	case e.Err() != nil && e.BytesWritten > 0:
		w.lost.Add(1)
		if kmsg.Key(key) == kmsg.Produce && w.unsure != nil {
			w.unsure.Add(1)
		}
	case e.Err() == nil && kmsg.Key(key) == kmsg.Produce:
		w.answered.Add(1)
	}
}

// instant is how far a wire was at one moment.
type instant struct {
	produced, lost int64
	idle           bool // every request to produce was answered
}

func (w *wire) now() instant {
	answered := w.answered.Load() // first, so that idle is never told too early
	produced := w.produced.Load()
	return instant{produced, w.lost.Load(), produced == answered}
}

// ofRecord tells what became of a record that failed, which was handed over at
// that instant. Its batch was written at most once if there was one request
// since; and nothing of its partition was under way that the library could have
// failed it for.
func (w *wire) ofRecord(handed instant, err error) history.Outcome {
	switch since := w.now().produced - handed.produced; {
	case since == 0:
		return history.Refused
	case since == 1 && handed.idle && matches(err, contentRefusals):
		return history.Refused
	}
	return history.Unknown
}

// contentRefusals are those for what a record is, given before it is written.
var contentRefusals = []error{kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.InvalidTimestamp,
	kerr.InvalidTopicException, kerr.UnsupportedForMessageFormat, kerr.UnsupportedCompressionType, kerr.PolicyViolation,
	kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed}

// ofOrder tells what became of an order that failed, such as a commit of offsets
// or a new topic, which was given at that instant. What a broker says is final
// only if no order was lost before; vague names answers that leave it open.
func (w *wire) ofOrder(given instant, err error) history.Outcome {
	var answer *kerr.Error
	switch {
	case err == nil:
		return history.Acked
	case errors.As(err, &answer) && w.lost.Load() == given.lost && !matches(err, vague):
		return history.Refused
	}
	return history.Unknown
}

var vague = []error{kerr.RequestTimedOut, kerr.UnknownServerError, kerr.KafkaStorageError, kerr.NetworkException,
	kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.NotController, errPartly}

func matches(err error, any []error) bool {
	for _, one := range any {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}
