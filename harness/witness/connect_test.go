package witness

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

var worker1 = topology.WorkerNode(1)

// restWitness answers every call with a handler of the test's.
func restWitness(t *testing.T, version string, handler http.HandlerFunc) *Connect {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	base := func(worker topology.Node) (string, error) {
		if worker != worker1 {
			return "", errors.New("no such worker")
		}
		return server.URL, nil
	}
	return NewConnect(server.Client(), base, topology.MustVersion(version))
}

func answering(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

const status = `{"name":"sink","connector":{"state":"RUNNING","worker_id":"worker-2:8085"},
	"tasks":[{"id":0,"state":"RUNNING","worker_id":"worker-2:8085"},
	{"id":1,"state":"FAILED","worker_id":"worker-1:8084","trace":"java.lang.X: no\n\tat a.B\n"}],"type":"sink"}`

func TestConnectorStatus(t *testing.T) {
	c := restWitness(t, "3.9.2", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.EscapedPath() != "/connectors/sink/status" {
			t.Errorf("was asked %s %s", r.Method, r.URL)
		}
		io.WriteString(w, status)
	})
	view, err := c.Connector(t.Context(), worker1, "sink")
	if err != nil {
		t.Fatal(err)
	}
	task, found := view.Task(1)
	if !view.Present || view.State != "RUNNING" || view.Kind != "sink" || len(view.Tasks) != 2 || view.By != "worker-1" {
		t.Errorf("read %+v", view)
	}
	if !found || task.State != "FAILED" || task.ID != (state.TaskID{Connector: "sink", Task: 1}) {
		t.Errorf("read task %+v", task)
	}
	if line := view.String(); !strings.Contains(line, "task 1 FAILED on worker-1:8084: java.lang.X: no (read") {
		t.Errorf("prints as %q", line)
	}
}

func TestAnAbsentConnectorIsAValue(t *testing.T) {
	c := restWitness(t, "3.9.2", answering(404, `{"error_code":404,"message":"No status found for connector sink"}`))
	if view, err := c.Connector(t.Context(), worker1, "sink"); err != nil || view.Present || view.Name != "sink" {
		t.Errorf("read %v, %v", view, err)
	}
}

func TestAnotherAnswerIsNoStatus(t *testing.T) {
	for _, body := range []string{`{}`, `[]`, ``, `<html>`, `{"name":"other","connector":{"state":"RUNNING"}}`, `{"name":"sink"}`} {
		c := restWitness(t, "3.9.2", answering(200, body))
		if view, err := c.Connector(t.Context(), worker1, "sink"); err == nil || !strings.Contains(err.Error(), "worker-1") {
			t.Errorf("%q was read as %v (%v)", body, view, err)
		}
	}
}

func TestOldWorkersDoNotTellTheStatus(t *testing.T) {
	c := restWitness(t, "0.9.0.1", func(http.ResponseWriter, *http.Request) { t.Error("was asked") })
	_, status := c.Connector(t.Context(), worker1, "sink")
	for name, err := range map[string]error{
		"status":       status,
		"restart":      c.Restart(t.Context(), worker1, "sink"),
		"restart task": c.RestartTask(t.Context(), worker1, state.TaskID{Connector: "sink"}),
	} {
		if !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestConnectTellsErrorsApart(t *testing.T) {
	all := []error{ErrRebalancing, ErrServer, ErrUnreachable, ErrNotFound, ErrRefused}
	for code, want := range map[int]error{409: ErrRebalancing, 500: ErrServer, 503: ErrServer, 404: ErrNotFound, 400: ErrRefused, 405: ErrRefused} {
		c := restWitness(t, "3.9.2", answering(code, `{"error_code":1,"message":"because"}`))
		err := c.SetConfig(t.Context(), worker1, "sink", map[string]string{})
		for _, class := range all {
			if errors.Is(err, class) != errors.Is(want, class) {
				t.Errorf("%d: got %v, which is %v: %v", code, err, class, errors.Is(err, class))
			}
		}
		if !strings.Contains(err.Error(), "because") || !strings.Contains(err.Error(), "worker-1") || !strings.Contains(err.Error(), "sink") {
			t.Errorf("%d: %q does not tell all", code, err)
		}
	}
}

func TestASilentWorkerIsUnreachable(t *testing.T) {
	c := restWitness(t, "3.9.2", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Worker(ctx, worker1); !errors.Is(err, ErrUnreachable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Worker(ctx, topology.WorkerNode(9)); err == nil || !strings.Contains(err.Error(), "worker-9") {
		t.Errorf("got %v", err)
	}
}

// As workers of 0.9.0.0 do for as long as nothing makes them rebalance.
func TestAHerderThatIsBehindAnswers(t *testing.T) {
	c := restWitness(t, "0.9.0.0", answering(500, `{"error_code":500,"message":"Cannot get config data because this is the leader node, but it does not have the most up to date configs"}`))
	if err := c.AskHerder(t.Context(), worker1); err != nil {
		t.Error(err)
	}
	if names, err := c.Connectors(t.Context(), worker1); !errors.Is(err, ErrRebalancing) {
		t.Errorf("it told %v, %v", names, err)
	}
}

func TestAskHerder(t *testing.T) {
	for code, alive := range map[int]bool{404: true, 409: true, 500: false, 200: true} {
		c := restWitness(t, "3.9.2", answering(code, `{"error_code":404,"message":"Connector no-such-connector not found"}`))
		if err := c.AskHerder(t.Context(), worker1); (err == nil) != alive {
			t.Errorf("%d: got %v", code, err)
		}
	}
}

// As 3.9.2 answers while its REST server is up and its herder is not.
func TestAWorkerThatStartsMissesNothingYet(t *testing.T) {
	for _, body := range []string{`{"error_code":404,"message":"Not Found"}`, `<html>Error 404 Not Found</html>`, ``} {
		c := restWitness(t, "3.9.2", answering(404, body))
		if err := c.AskHerder(t.Context(), worker1); !errors.Is(err, ErrServer) {
			t.Errorf("%q: the herder answered: %v", body, err)
		}
		if view, err := c.Connector(t.Context(), worker1, "sink"); !errors.Is(err, ErrServer) {
			t.Errorf("%q: read %v, %v", body, view, err)
		}
	}
}

// restCall is a request as a worker sees it.
type restCall struct{ method, path, body string }

func TestConnectOrders(t *testing.T) {
	var calls []restCall
	c := restWitness(t, "3.9.2", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls = append(calls, restCall{r.Method, r.URL.EscapedPath(), string(body)})
		w.WriteHeader(http.StatusNoContent)
	})
	ctx := t.Context()
	for _, err := range []error{
		c.SetConfig(ctx, worker1, "a/b", map[string]string{"topics": "t"}),
		c.Delete(ctx, worker1, "sink"),
		c.Restart(ctx, worker1, "sink"),
		c.RestartTask(ctx, worker1, state.TaskID{Connector: "sink", Task: 3}),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	want := []restCall{
		{"PUT", "/connectors/a%2Fb/config", `{"topics":"t"}`},
		{"DELETE", "/connectors/sink", ""},
		{"POST", "/connectors/sink/restart", ""},
		{"POST", "/connectors/sink/tasks/3/restart", ""},
	}
	if !slices.Equal(calls, want) {
		t.Errorf("the worker was asked %v, want %v", calls, want)
	}
}

func TestConnectReads(t *testing.T) {
	answers := map[string]any{
		"/":                        map[string]string{"version": "3.9.2", "commit": "abc", "kafka_cluster_id": "id"},
		"/connectors":              []string{"sink", "a"},
		"/connectors/sink":         map[string]any{"name": "sink", "tasks": []map[string]any{{"connector": "sink", "task": 0}, {"connector": "sink", "task": 1}}},
		"/connectors/sink/config":  map[string]string{"topics": "t"},
		"/connectors/other/config": "no map",
	}
	c := restWitness(t, "0.9.0.0", func(w http.ResponseWriter, r *http.Request) { json.NewEncoder(w).Encode(answers[r.URL.Path]) })
	ctx := t.Context()
	if view, err := c.Worker(ctx, worker1); err != nil || view.Version != "3.9.2" || view.ClusterID != "id" || view.Worker != worker1 {
		t.Errorf("read %+v, %v", view, err)
	}
	if names, err := c.Connectors(ctx, worker1); err != nil || !slices.Equal(names, []string{"a", "sink"}) {
		t.Errorf("read %v, %v", names, err)
	}
	want := []state.TaskID{{Connector: "sink", Task: 0}, {Connector: "sink", Task: 1}}
	if tasks, err := c.Tasks(ctx, worker1, "sink"); err != nil || !slices.Equal(tasks, want) {
		t.Errorf("read %v, %v", tasks, err)
	}
	if config, err := c.Config(ctx, worker1, "sink"); err != nil || !maps.Equal(config, map[string]string{"topics": "t"}) {
		t.Errorf("read %v, %v", config, err)
	}
	if config, err := c.Config(ctx, worker1, "other"); err == nil {
		t.Errorf("read %v", config)
	}
}

func TestRawIsWhateverIsAnswered(t *testing.T) {
	for code, body := range map[int]string{200: `{"a":1}`, 409: `{"message":"rebalance"}`, 500: "<html>"} {
		c := restWitness(t, "3.9.2", answering(code, body))
		if gotCode, got, err := c.Raw(t.Context(), worker1, "/connectors"); gotCode != code || got != body || err != nil {
			t.Errorf("read %d %q, %v", gotCode, got, err)
		}
		if _, _, err := c.Raw(t.Context(), topology.WorkerNode(2), "/"); err == nil || !strings.Contains(err.Error(), "GET / at worker-2") {
			t.Errorf("error %v", err)
		}
	}
}
