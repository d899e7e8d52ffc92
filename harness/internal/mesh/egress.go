package mesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"kafkachaos/harness/topology"
)

// callBound ends a call to an egress whose caller set no earlier end.
const callBound = 10 * time.Second

// egress is the API of one node's proxy server.
type egress struct {
	node   topology.Node
	base   string
	client *http.Client
}

// call sends in as JSON (unless nil) and decodes the answer into out (unless
// nil).
func (e *egress) call(ctx context.Context, method, path string, in, out any) error {
	return e.callWithin(ctx, callBound, method, path, in, out)
}

func (e *egress) callWithin(ctx context.Context, bound time.Duration, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	answer, err := e.exchange(ctx, method, path, in)
	if err == nil && out != nil {
		err = json.Unmarshal(answer, out)
	}
	if err != nil {
		return fmt.Errorf("ask egress of %s: %w", e.node, err)
	}
	return nil
}

func (e *egress) exchange(ctx context.Context, method, path string, in any) ([]byte, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, e.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := e.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = refusal(response.Status, answer)
	}
	return answer, err
}

// refused is the answer of an egress that will not do what it was asked to.
type refused struct{ text string }

func (r refused) Error() string { return r.text }

func isRefused(err error) bool { return errors.As(err, new(refused)) }

func refusal(status string, answer []byte) error {
	var told struct{ Error string }
	if json.Unmarshal(answer, &told) != nil || told.Error == "" {
		return refused{status}
	}
	return refused{told.Error}
}

type proxyJSON struct {
	Name     string `json:"name"`
	Listen   string `json:"listen"`
	Upstream string `json:"upstream"`
}

// populate makes the proxies, and keeps asking while the egress is not up.
func (e *egress) populate(ctx context.Context, proxies []Proxy) error {
	list := make([]proxyJSON, len(proxies))
	for i, proxy := range proxies {
		list[i] = proxyJSON(proxy)
	}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := e.call(ctx, http.MethodPost, "/populate", list, nil)
		if err == nil || isRefused(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, last: %w", context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}
