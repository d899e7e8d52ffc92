package egress_test

import (
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"kafkachaos/docker/toxiproxy/egress"
)

func TestBadToxicsAreRefusedAndNamed(t *testing.T) {
	r := start(t)
	for _, one := range []struct {
		kind, stream string
		more         map[string]any
		want         string
	}{
		{"blizzard", "upstream", nil, `type "blizzard" is unknown`},
		{"slow_close", "upstream", nil, `type "slow_close" is not carried here`},
		{"hold", "sideways", nil, "stream was invalid"},
		{"hold", "upstream", map[string]any{"attributes": map[string]any{"latency": 1}}, `unknown field "latency"`},
		{"hold", "upstream", map[string]any{"toxicity": 0.5}, "toxicity 0.5"},
		{"latency", "upstream", map[string]any{"attributes": map[string]any{"latency": -1}}, "0 ms or more"},
		{"latency", "upstream", map[string]any{"attributes": map[string]any{"latency": 5, "jitter": 1}}, "no jitter"},
		{"latency", "upstream", map[string]any{"attributes": map[string]any{"latency": "5"}}, "attributes of latency"},
		{"bandwidth", "upstream", nil, "a rate of 1"},
		{"slicer", "upstream", map[string]any{"attributes": map[string]any{"average_size": 9, "size_variation": 1}}, "no size_variation"},
		{"limit_data", "upstream", nil, "bytes of 1"},
		{"timeout", "upstream", map[string]any{"attributes": map[string]any{"timeout": 5}}, "a timeout of 0"},
		{"swallow_first", "downstream", map[string]any{"attributes": map[string]any{"bytes": 5, "framed": true}}, "one of bytes, framed and quiet"},
	} {
		toxic := map[string]any{"name": "bad", "type": one.kind, "stream": one.stream}
		for key, value := range one.more {
			toxic[key] = value
		}
		status, text := r.ask("POST", "/proxies/p/toxics", toxic, nil)
		if status != http.StatusBadRequest || !strings.Contains(text, one.want) {
			t.Errorf("%v: %d %q, want %q in it", toxic, status, text, one.want)
		}
	}
	if text := left(r); text != "[]" {
		t.Errorf("refused toxics left %s", text)
	}
}

func left(r *rig) string {
	r.Helper()
	response, err := http.Get(r.api + "/proxies/p/toxics")
	if err != nil {
		r.Fatal(err)
	}
	defer response.Body.Close()
	text := make([]byte, 10_000)
	n, _ := response.Body.Read(text)
	return string(text[:n])
}

func TestABadUpdateLeavesTheToxicAsItWas(t *testing.T) {
	r := start(t)
	r.add("latency", "upstream", map[string]any{"latency": 5})
	before := left(r)
	for _, attributes := range []any{map[string]any{"latency": 7, "jitter": 3}, map[string]any{"latency": -7}, "seven"} {
		status, text := r.ask("POST", "/proxies/p/toxics/latency", map[string]any{"attributes": attributes}, nil)
		if status != http.StatusBadRequest || text == "" {
			t.Errorf("update with %v: %d %q", attributes, status, text)
		}
	}
	if after := left(r); after != before {
		t.Errorf("refused updates left %s, want %s", after, before)
	}
}

func TestRequestsForWhatIsNotThere(t *testing.T) {
	r := start(t)
	for _, one := range []struct {
		method, path string
		body         any
		status       int
		want         string
	}{
		{"GET", "/proxies/q", nil, 404, "q: proxy not found"},
		{"POST", "/proxies/q/toxics", map[string]any{}, 404, "q: proxy not found"},
		{"DELETE", "/proxies/p/toxics/t", nil, 404, "p: t: toxic not found"},
		{"POST", "/proxies/p/toxics/t", map[string]any{}, 404, "p: t: toxic not found"},
		{"POST", "/proxies", map[string]any{"name": "p", "upstream": "x:1"}, 409, "p: proxy already exists"},
		{"POST", "/proxies", map[string]any{"name": "q"}, 400, "missing required field"},
		{"POST", "/proxies", "no object", 400, "bad request body"},
		{"POST", "/populate", []any{map[string]any{"name": "q", "listen": "nowhere:x", "upstream": "x:1"}}, 409, "enable q"},
		{"POST", "/batch", "no list", 400, "bad request body"},
		{"POST", "/probe", map[string]any{"proxy": "q", "want": "reply"}, 404, "q: proxy not found"},
		{"POST", "/probe", map[string]any{"proxy": "p", "want": "money"}, 400, `want is "money"`},
	} {
		status, text := r.ask(one.method, one.path, one.body, nil)
		if status != one.status || !strings.Contains(text, one.want) {
			t.Errorf("%s %s: %d %q, want %d %q", one.method, one.path, status, text, one.status, one.want)
		}
	}
}

func TestPopulateLeavesEqualProxiesAndReplacesOthers(t *testing.T) {
	r := start(t)
	open := r.connect()
	upstream := open.server.LocalAddr().String()
	same := []any{map[string]any{"name": "p", "listen": r.address, "upstream": upstream}}
	r.must("POST", "/populate", same)
	r.send(open.client, "goes on")
	r.receive(open.server, "goes on")
	r.must("POST", "/populate", []any{map[string]any{"name": "p", "listen": r.address, "upstream": "127.0.0.1:1"}})
	r.ends(open.client, false)
	r.must("DELETE", "/proxies/p", nil)
	if conn, err := net.Dial("tcp", r.address); err == nil {
		conn.Close()
		t.Error("a deleted proxy accepted a connection")
	}
}

func TestABatchIsCarriedOutInOrderWhateverBecomesOfOne(t *testing.T) {
	r := start(t)
	toxic := map[string]any{"name": "t", "type": "latency", "stream": "upstream", "attributes": map[string]any{"latency": 5}}
	var outcomes []egress.Outcome
	r.ask("POST", "/batch", []any{
		map[string]any{"do": "add", "proxy": "p", "toxic": toxic},
		map[string]any{"do": "add", "proxy": "p", "toxic": toxic},
		map[string]any{"do": "update", "proxy": "p", "name": "t", "toxic": map[string]any{"attributes": map[string]any{"latency": 6}}},
		map[string]any{"do": "disable", "proxy": "p"},
		map[string]any{"do": "explode", "proxy": "p"},
		map[string]any{"do": "enable", "proxy": "q"},
		map[string]any{"do": "enable", "proxy": "p"},
		map[string]any{"do": "remove", "proxy": "p", "name": "t"},
		map[string]any{"do": "remove", "proxy": "p", "name": "t"},
	}, &outcomes)
	want := []int{200, 409, 200, 200, 400, 404, 200, 200, 404}
	for i, outcome := range outcomes {
		if outcome.Status != want[i] || (outcome.Error == "") != (want[i] == 200) {
			t.Errorf("outcome %d: %+v, want %d", i, outcome, want[i])
		}
	}
	if len(outcomes) != len(want) {
		t.Errorf("%d outcomes, want %d", len(outcomes), len(want))
	}
	conn := r.connect()
	r.send(conn.client, "enabled")
	r.receive(conn.server, "enabled")
}

// TestToxiproxysOwnClientWorks says that the API is still Toxiproxy's.
func TestToxiproxysOwnClientWorks(t *testing.T) {
	r := start(t)
	client := toxiproxy.NewClient(r.api)
	all, err := client.Proxies()
	if err != nil || len(all) != 1 || all["p"].Listen != r.address || !all["p"].Enabled {
		t.Fatalf("proxies %+v, %v", all, err)
	}
	p := all["p"]
	if _, err := p.AddToxic("", "latency", "downstream", 1, toxiproxy.Attributes{"latency": 5}); err != nil {
		t.Error(err)
	}
	if _, err := p.UpdateToxic("latency_downstream", -1, toxiproxy.Attributes{"latency": 6}); err != nil {
		t.Error(err)
	}
	toxics, err := p.Toxics()
	if err != nil || len(toxics) != 1 || toxics[0].Attributes["latency"] != 6.0 {
		t.Errorf("toxics %+v, %v", toxics, err)
	}
	if err := p.Disable(); err != nil {
		t.Error(err)
	}
	if err := client.ResetState(); err != nil {
		t.Error(err)
	}
	if after, err := client.Proxy("p"); err != nil || !after.Enabled || len(after.ActiveToxics) > 0 {
		t.Errorf("after the reset %+v, %v", after, err)
	}
	made, err := client.CreateProxy("q", "127.0.0.1:0", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Delete(); err != nil {
		t.Error(err)
	}
}

func TestAProbeTellsWhatBecameOfIt(t *testing.T) {
	question := func(want, send string, enough int) egress.Question {
		return egress.Question{Proxy: "p", Send: []byte(send), Patience: 20 * silence.Milliseconds(), Want: want, Enough: enough}
	}
	for name, one := range map[string]struct {
		ask    egress.Question
		answer string // of the upstream, which closes then if it is told to
		closes bool
		want   egress.Answer
	}{
		"reply":        {question("reply", "ping", 4), "pong", false, egress.Answer{Answered: true, Bytes: 4}},
		"half a reply": {question("reply", "ping", 4), "po", false, egress.Answer{Bytes: 2}},
		"cut off":      {question("reply", "ping", 4), "po", true, egress.Answer{Bytes: 2, Closed: true}},
		"no reply":     {question("reply", "ping", 0), "", false, egress.Answer{}},
		"frame":        {question("frame", "ping", 0), "\x00\x00\x00\x02ab", false, egress.Answer{Answered: true, Bytes: 6}},
		"half a frame": {question("frame", "ping", 0), "\x00\x00\x00\x02a", false, egress.Answer{Bytes: 5}},
		"http":         {question("http", "ping", 0), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", false, egress.Answer{Answered: true, Bytes: 40}},
		"half of http": {question("http", "ping", 0), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", true, egress.Answer{Bytes: 39, Closed: true}},
		"close":        {question("close", "ping", 0), "bye", true, egress.Answer{Answered: true, Bytes: 3}},
		"no close":     {question("close", "ping", 0), "bye", false, egress.Answer{Bytes: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for silence, for long enough that a busy machine answers before
			r := start(t)
			go func() {
				server := <-r.accepted
				server.Read(make([]byte, 4))
				server.Write([]byte(one.answer))
				if one.closes {
					server.CloseWrite()
				}
			}()
			if one.want.Answered || one.want.Closed {
				one.ask.Patience = patience.Milliseconds()
			}
			var got egress.Answer
			r.ask("POST", "/probe", one.ask, &got)
			if took := time.Duration(got.Took) * time.Microsecond; took <= 0 || took > patience {
				t.Errorf("took %v", took)
			}
			if got.Took = 0; !got.Connected {
				t.Error("not connected")
			}
			if got.Connected = false; got != one.want {
				t.Errorf("got %+v, want %+v", got, one.want)
			}
		})
	}
}
