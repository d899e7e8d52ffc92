// Package clients is what the Kafka clients of the harness have in common: they
// speak to brokers of any release, of which those before 0.10.0.0 do not say what
// they understand, and tell less of who leads than the client library expects.
package clients

import (
	"context"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"kafkachaos/harness/topology"
)

// Dial opens a connection to a broker.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Options let a client take that way to brokers of that release. If none is given
// they count as recent.
func Options(brokers topology.Version, dial Dial) []kgo.Opt {
	options := []kgo.Opt{kgo.Dialer(dialer(brokers, dial))}
	if !brokers.IsZero() && !brokers.ApiVersions() {
		options = append(options, kgo.MaxVersions(kversion.V0_9_0()))
	}
	return options
}

// dialer is the way to brokers of that release: past a corrector of their metadata
// where they need one.
func dialer(brokers topology.Version, dial Dial) Dial {
	if brokers.IsZero() || brokers.MetadataErrorsAreOfLeaders() {
		return dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &corrected{Conn: conn}, nil
	}
}
