package workload

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/history"
)

// worker answers orders by REST as told, and then with 201.
type worker struct {
	answers []int
	asked   []string
}

func (w *worker) RoundTrip(request *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(request.Body)
	w.asked = append(w.asked, request.Method+" "+request.URL.Path+" "+string(body))
	code := http.StatusCreated
	if len(w.answers) > 0 {
		code, w.answers = w.answers[0], w.answers[1:]
	}
	if code == 0 {
		return nil, errDown
	}
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader("told"))}, nil
}

func TestConnectorsAreMade(t *testing.T) {
	for name, test := range map[string]struct {
		answers []int
		asks    int
		outcome history.Outcome
	}{
		"at once":              {nil, 1, history.Acked},
		"after a rebalance":    {[]int{409, 500, 503}, 4, history.Acked},
		"never, for it is bad": {[]int{400}, 1, history.Refused},
		"nobody knows":         {[]int{0}, 1, history.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *bubble) {
				w := &worker{answers: test.answers}
				files := &files{}
				traffic := b.start(t, Sink{Name: "copy", Path: "/out", Tasks: 2, Files: map[string]ReadFile{"worker-1": files.read},
					Connect: &Connect{URL: "http://worker-1:8083", Client: &http.Client{Transport: w}}})
				time.Sleep(5 * time.Second)
				if _, err := traffic.Stop(t.Context()); (err != nil) != (test.outcome != history.Acked) {
					t.Errorf("error %v", err)
				}
				want := `PUT /connectors/copy/config {"connector.class":"org.apache.kafka.connect.file.FileStreamSinkConnector",` +
					`"file":"/out","name":"copy","tasks.max":"2","topics":"orders"}`
				if len(w.asked) != test.asks || w.asked[0] != want {
					t.Errorf("asked %q", w.asked)
				}
				changes := b.events(t, history.Admin)
				if len(changes) != 2 || changes[1].Outcome != test.outcome {
					t.Errorf("changes %+v", changes)
				}
			})
		})
	}
}
