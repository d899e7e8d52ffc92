package workload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"kafkachaos/harness/internal/clients"
	"kafkachaos/harness/topology"
)

// Target is the cluster that the traffic is for.
type Target struct {
	// Run is the name of the run: letters, digits, - and _.
	Run string
	// Brokers are addresses to begin with, as the cluster's clients know them.
	Brokers []string
	// Dial is the way that clients take, and Witness that of the final read; Dial
	// if it is nil.
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Witness func(ctx context.Context, network, address string) (net.Conn, error)
	// Version is the release of the brokers. Those before 0.10.0.0 do not say what
	// they understand; if it is not given they count as recent.
	Version topology.Version
}

func (t *Target) check() error {
	if err := checkRun(t.Run); err != nil {
		return err
	}
	if len(t.Brokers) == 0 || t.Dial == nil {
		return errors.New("find the target: want the brokers' addresses and a way to them")
	}
	if t.Witness == nil {
		t.Witness = t.Dial
	}
	return nil
}

func (t *Target) knows(release string) bool { return t.Version.IsZero() || t.Version.AtLeast(release) }

// transactions says that there are idempotence, transactions and headers.
func (t *Target) transactions() bool { return t.knows("0.11.0.0") }

// GivesUp is how long a producer waits for the answer to a request before it sends
// it again, to a broker that was cut off without a word: what the broker may take,
// and as much on the way.
const GivesUp = 2 * answerBound

// Regroups is how long a group may take to go on once its coordinator can be
// reached: a rebalance waits for members for twice their session, and who is not
// heard of is missed after a session.
const Regroups = 3 * sessionBound

// TransactionTimeout is that of producers: a coordinator aborts what is not heard of
// for longer, when it looks next.
const TransactionTimeout = 10 * time.Second

// What clients wait for.
const (
	dialBound    = 5 * time.Second
	answerBound  = 5 * time.Second
	soonest      = 250 * time.Millisecond // between two looks for who leads
	sessionBound = 6 * time.Second        // of members of groups; brokers refuse less by default
	goodbye      = 5 * time.Second        // for what is said when a client ends
)

// options are those of every client.
func (t *Target) options(name string, dial func(ctx context.Context, network, address string) (net.Conn, error)) []kgo.Opt {
	return append(clients.Options(t.Version, dial),
		kgo.SeedBrokers(t.Brokers...),
		kgo.DialTimeout(dialBound),
		kgo.RequestTimeoutOverhead(answerBound),
		kgo.MetadataMinAge(soonest),
		kgo.ClientID(name),
		kgo.DisableClientMetrics())
}

func newClient(name string, options ...kgo.Opt) (*kgo.Client, error) {
	client, err := kgo.NewClient(options...)
	if err != nil {
		return nil, fmt.Errorf("make client %s: %w", name, err)
	}
	return client, nil
}
