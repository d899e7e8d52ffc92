package witness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

// The classes of what a Connect worker may answer, or not. None of the first
// three says anything about the connector.
var (
	ErrRebalancing = errors.New("the workers are rebalancing or reading their configuration") // 409, and see behind: ask again
	ErrServer      = errors.New("the worker failed")                                          // 5xx, also a herder that does not answer (yet)
	ErrUnreachable = errors.New("the worker is unreachable")                                  // no answer; a write may have happened
	ErrNotFound    = errors.New("not found")                                                  // 404
	ErrRefused     = errors.New("the worker refused")                                         // any other 4xx
	ErrUnsupported = errors.New("not in this release of Connect")
)

// BaseURL finds the REST address of a worker on the witness plane, such as
// "http://127.0.0.1:40083". It is asked for every call.
type BaseURL func(worker topology.Node) (string, error)

// Connect asks Connect workers by REST, each by itself. Any worker may be told
// to change things: it passes the order on to the leader of the group.
type Connect struct {
	client  *http.Client
	base    BaseURL
	version topology.Version
}

// NewConnect makes a witness of the workers of this Kafka release.
func NewConnect(client *http.Client, base BaseURL, version topology.Version) *Connect {
	return &Connect{client, base, version}
}

// changePatience bounds a call that changes something: the leader does it in
// turn, between rebalances.
const changePatience = 30 * time.Second

// call sends one request and decodes the answer into answer, if that is given.
func (c *Connect) call(ctx context.Context, worker topology.Node, method, path string, body, answer any) error {
	bound := patience
	if method != http.MethodGet {
		bound = changePatience
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	if err := c.exchange(ctx, worker, method, path, body, answer); err != nil {
		return fmt.Errorf("%s %s at %v: %w", method, path, worker, err)
	}
	return nil
}

func (c *Connect) exchange(ctx context.Context, worker topology.Node, method, path string, body, answer any) error {
	code, text, err := c.send(ctx, worker, method, path, body)
	if err != nil {
		return err
	}
	if class := classOf(code, text); class != nil {
		return fmt.Errorf("%w: %d %s", class, code, message(text))
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	return nil
}

// Raw asks a worker for a path, and returns the status code and what it answers,
// whatever that is.
func (c *Connect) Raw(ctx context.Context, worker topology.Node, path string) (code int, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	code, answer, err := c.send(ctx, worker, http.MethodGet, path, nil)
	if err != nil {
		return 0, "", fmt.Errorf("GET %s at %v: %w", path, worker, err)
	}
	return code, string(answer), nil
}

// send sends one request and reads whatever is answered.
func (c *Connect) send(ctx context.Context, worker topology.Node, method, path string, body any) (code int, answer []byte, err error) {
	base, err := c.base(worker)
	if err != nil {
		return 0, nil, err
	}
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, content)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer response.Body.Close()
	const longest = 8 << 20
	answer, err = io.ReadAll(io.LimitReader(response.Body, longest))
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return response.StatusCode, answer, nil
}

func classOf(code int, text []byte) error {
	switch {
	case code < 300:
		return nil
	case code == http.StatusConflict || behind(text):
		return ErrRebalancing
	case code == http.StatusNotFound && notYet(text):
		return ErrServer
	case code == http.StatusNotFound:
		return ErrNotFound
	case code >= 500:
		return ErrServer
	}
	return ErrRefused
}

// behind says that a herder of 0.9 has an answer, but will not give it: the leader
// has heard of a configuration that is newer than what the group last agreed on. It
// stays so until the next rebalance (DistributedHerder.checkConfigSynced; gone with
// the change of KAFKA-2370, 0.10.0.0).
func behind(text []byte) bool {
	return strings.Contains(explanation(text), "does not have the most up to date configs")
}

// notYet says that a 404 is not the herder's, who names what he misses: for a
// second after its start the server of a worker knows no path at all.
func notYet(text []byte) bool {
	own := explanation(text)
	return own == "" || own == http.StatusText(http.StatusNotFound)
}

// message is the worker's own explanation, or the start of whatever it sent.
func message(text []byte) string {
	if own := explanation(text); own != "" {
		return own
	}
	const shown = 200
	return fmt.Sprintf("%.*q", shown, text)
}

func explanation(text []byte) string {
	var told struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &told) != nil {
		return ""
	}
	return told.Message
}

func connectorPath(name string, more string) string {
	return "/connectors/" + url.PathEscape(name) + more
}

// Worker reads what a worker says of itself.
func (c *Connect) Worker(ctx context.Context, worker topology.Node) (state.WorkerView, error) {
	var told struct {
		Version   string `json:"version"`
		Commit    string `json:"commit"`
		ClusterID string `json:"kafka_cluster_id"`
	}
	if err := c.call(ctx, worker, http.MethodGet, "/", nil, &told); err != nil {
		return state.WorkerView{}, err
	}
	return state.WorkerView{Source: by(worker), Worker: worker,
		Version: told.Version, Commit: told.Commit, ClusterID: told.ClusterID}, nil
}

func by(node topology.Node) state.Source {
	return state.Source{By: node.String(), At: time.Now()}
}

// AskHerder has the worker's herder thread answer a question, and so tells a
// worker that works from one whose herder died while REST lives on. nil is an
// answer; ErrServer or ErrUnreachable is none.
func (c *Connect) AskHerder(ctx context.Context, worker topology.Node) error {
	// The herder itself looks a connector up, even one that there is not; lists
	// of connectors are answered past it in later releases.
	err := c.call(ctx, worker, http.MethodGet, connectorPath("no-such-connector", ""), nil, nil)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrRebalancing) {
		return nil
	}
	return err
}
