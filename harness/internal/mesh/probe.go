package mesh

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// question is what a probe asks a node.
type question struct {
	Proxy    string `json:"proxy"`
	Send     []byte `json:"send"`
	Patience int64  `json:"patience_ms"`
	Want     string `json:"want"`
	Enough   int    `json:"enough,omitempty"`
}

type echo struct {
	Connected, Answered, Closed bool
	Bytes                       int
	Took                        int64 `json:"took_us"`
}

// Probe asks the far node of the link one question through the link, from
// beside its proxy (see ask for the questions). The answer says what the link
// did to it; an error says that the egress could not be asked. patience is
// rounded up to milliseconds and at most a minute.
func (m *Mesh) Probe(ctx context.Context, link topology.Link, patience time.Duration) (faults.Echo, error) {
	proxies, err := m.find(link)
	if err != nil {
		return faults.Echo{}, fmt.Errorf("probe: %w", err)
	}
	q, err := ask(link, proxies)
	if err != nil {
		return faults.Echo{}, err
	}
	q.Patience = max(1, (patience + time.Millisecond - 1).Milliseconds())
	var answer echo
	if err := m.egresses[link.From].callWithin(ctx, patience+5*time.Second, http.MethodPost, "/probe", q, &answer); err != nil {
		return faults.Echo{}, fmt.Errorf("probe %s: %w", link, err)
	}
	return faults.Echo{
		Connected: answer.Connected, Answered: answer.Answered, Bytes: answer.Bytes,
		Closed: answer.Closed, Took: time.Duration(answer.Took) * time.Microsecond,
	}, nil
}

// ask chooses a question that any release answers and that changes nothing.
//
//   - To a ZooKeeper server: "ruok", answered even outside a quorum, since the
//     probe is about the link.
//   - Between ZooKeeper servers, who never dial each other's client port: on the
//     election port, half of a greeting and the end of the stream. The server
//     gives up reading and closes the connection (QuorumCnxManager, 3.4.6 to
//     3.8). A whole greeting would not do: it may replace the true connection,
//     and a malformed one ends the listener's thread in 3.4. The quorum port
//     will not do: only the leader listens there.
//   - To a broker: ListGroups version 0, which every release from 0.9.0.0
//     knows and which names no topic (Metadata may create one, ApiVersions
//     makes 0.9 close).
//   - To a worker: GET /, which needs no herder.
//
// The answer has to be whole: one that is cut off is none.
func ask(link topology.Link, proxies []Proxy) (question, error) {
	q := question{Proxy: proxies[0].Name}
	switch link.To.Role {
	case topology.ZooKeeper:
		if link.From.Role != topology.ZooKeeper {
			q.Send, q.Want, q.Enough = []byte("ruok"), "reply", len("imok")
			return q, nil
		}
		for _, proxy := range proxies {
			if strings.HasSuffix(proxy.Name, ".election") {
				q.Proxy = proxy.Name
			}
		}
		q.Send, q.Want = []byte{0, 0, 0, 0}, "close"
	case topology.Broker:
		q.Send, q.Want = listGroups(), "frame"
	case topology.Worker:
		q.Send, q.Want = []byte("GET / HTTP/1.1\r\nHost: "+link.To.Address()+"\r\n\r\n"), "http"
	default:
		return q, fmt.Errorf("probe %s: nobody listens on a %s", link, link.To.Role)
	}
	return q, nil
}

// listGroups is a ListGroups request, version 0: key 16, correlation 1, a
// client id, no body.
func listGroups() []byte {
	const client = "kafkachaos-probe"
	request := binary.BigEndian.AppendUint32(nil, uint32(2+2+4+2+len(client)))
	request = binary.BigEndian.AppendUint16(request, 16)
	request = binary.BigEndian.AppendUint16(request, 0)
	request = binary.BigEndian.AppendUint32(request, 1)
	request = binary.BigEndian.AppendUint16(request, uint16(len(client)))
	return append(request, client...)
}
