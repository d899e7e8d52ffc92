package rig

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

const missed = `{"error_code":404,"message":"Connector no-such-connector not found"}`

// workers are pretended ones; each is asked by its handler. The herder of each
// answers by itself.
func workers(t *testing.T, handlers ...http.HandlerFunc) Connect {
	t.Helper()
	bases := map[topology.Node]string{}
	var names []topology.Node
	for i, handler := range handlers {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		names = append(names, topology.WorkerNode(i+1))
		bases[names[i]] = server.URL
	}
	base := func(worker topology.Node) (string, error) { return bases[worker], nil }
	return Connect{Witness: witness.NewConnect(&http.Client{}, base, topology.MustVersion("3.9.2")), Workers: names}
}

// living answers for the herder, and hands on everything else.
func living(orders http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "no-such-connector") {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(missed))
			return
		}
		orders(w, r)
	}
}

func hanging(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// answers sends one status after the other, the last one for ever, and counts.
func answers(codes ...int) (orders http.HandlerFunc, count func() int) {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			w.WriteHeader(codes[min(n, len(codes)-1)])
			_, _ = w.Write([]byte(`{"topics":"t","message":"because"}`))
			n++
		}, func() int {
			mu.Lock()
			defer mu.Unlock()
			return n
		}
}

func TestAnOrderGoesToAWorkerThatAnswers(t *testing.T) {
	orders, count := answers(200)
	connect := workers(t, hanging, living(orders))
	began := time.Now()
	config, err := connect.Config(t.Context(), "sink")
	if err != nil || count() != 1 {
		t.Fatalf("got %v, %v after %d orders", config, err, count())
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the worker that hangs was waited for: %v", took)
	}
}

func TestAnOrderIsGivenAgainWhileTheWorkersSettle(t *testing.T) {
	for name, order := range map[string]func(context.Context, Connect) error{
		"configure": func(ctx context.Context, c Connect) error { return c.SetConfig(ctx, "sink", nil) },
		"restart":   func(ctx context.Context, c Connect) error { return c.Restart(ctx, "sink", -1) },
		"task":      func(ctx context.Context, c Connect) error { return c.Restart(ctx, "sink", 0) },
	} {
		orders, count := answers(409, 500, 200)
		if err := order(t.Context(), workers(t, living(orders))); err != nil || count() != 3 {
			t.Errorf("%s: %v after %d orders", name, err, count())
		}
	}
}

func TestARefusalIsFinalAndTheContextEndsTheRest(t *testing.T) {
	orders, count := answers(400)
	if err := workers(t, living(orders)).SetConfig(t.Context(), "sink", nil); !errors.Is(err, witness.ErrRefused) || count() != 1 {
		t.Errorf("refused: %v after %d orders", err, count())
	}
	orders, count = answers(409)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := workers(t, living(orders)).SetConfig(ctx, "sink", nil); err == nil || count() < 2 {
		t.Errorf("rebalancing for ever: %v after %d orders", err, count())
	}
	if err := workers(t).SetConfig(ctx, "sink", nil); !errors.Is(err, faults.ErrUnsupported) {
		t.Errorf("no workers: %v", err)
	}
}
