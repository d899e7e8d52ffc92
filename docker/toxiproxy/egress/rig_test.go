package egress_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"kafkachaos/docker/toxiproxy/egress"
)

// silence is how long a test waits for what should not come; patience for what
// should; busy is what other work on the machine may add to a measured time.
const (
	silence  = 60 * time.Millisecond
	patience = 5 * time.Second
	busy     = 2 * time.Second
)

// rig is a server with one proxy, p, in front of an upstream that hands its
// connections to the test.
type rig struct {
	*testing.T
	api      string
	address  string // of the proxy
	accepted chan *net.TCPConn
	opened   int64
}

func start(t *testing.T) *rig {
	t.Helper()
	server := egress.New()
	api := httptest.NewServer(server.Handler())
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, api: api.URL, accepted: make(chan *net.TCPConn, 100)}
	t.Cleanup(func() {
		server.Close()
		api.Close()
		upstream.Close()
	})
	go func() {
		for {
			conn, err := upstream.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			r.accepted <- conn.(*net.TCPConn)
		}
	}()
	var made struct{ Listen string }
	r.ask("POST", "/proxies", map[string]any{"name": "p", "listen": "127.0.0.1:0", "upstream": upstream.Addr().String()}, &made)
	r.address = made.Listen
	return r
}

// ask returns the status and the error that the API told.
func (r *rig) ask(method, path string, in, out any) (int, string) {
	r.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		r.Fatal(err)
	}
	request, err := http.NewRequest(method, r.api+path, bytes.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			r.Fatalf("%s %s: %v in %s", method, path, err, answer)
		}
	}
	var told struct{ Error string }
	json.Unmarshal(answer, &told)
	return response.StatusCode, told.Error
}

// must is ask for what has to go well.
func (r *rig) must(method, path string, in any) {
	r.Helper()
	if status, text := r.ask(method, path, in, nil); status >= 300 {
		r.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}

func (r *rig) add(kind, stream string, attributes map[string]any) {
	r.Helper()
	r.must("POST", "/proxies/p/toxics", map[string]any{"name": kind, "type": kind, "stream": stream, "attributes": attributes})
}

func (r *rig) remove(name string) {
	r.Helper()
	r.must("DELETE", "/proxies/p/toxics/"+name, nil)
}

// pair is a connection through the proxy, both ends.
type pair struct {
	client, server *net.TCPConn
}

func (r *rig) connect() pair {
	r.Helper()
	client, err := net.Dial("tcp", r.address)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { client.Close() })
	select {
	case server := <-r.accepted:
		// The upstream may be quicker than the proxy, which is still dialling then.
		r.opened++
		r.eventually("the connection's start", func() bool { return r.traffic().Opened == r.opened })
		return pair{client.(*net.TCPConn), server}
	case <-time.After(patience):
		r.Fatal("the upstream was not dialled")
		return pair{}
	}
}

func (r *rig) send(conn net.Conn, text string) {
	r.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		r.Fatalf("send %q: %v", text, err)
	}
}

// receive wants exactly this text next.
func (r *rig) receive(conn net.Conn, text string) {
	r.Helper()
	conn.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, len(text))
	n, err := io.ReadFull(conn, got)
	if err != nil || string(got) != text {
		r.Fatalf("received %q (%v), want %q", got[:n], err, text)
	}
}

// quiet wants nothing to come, not even the end.
func (r *rig) quiet(conn net.Conn) {
	r.Helper()
	conn.SetReadDeadline(time.Now().Add(silence))
	n, err := conn.Read(make([]byte, 1))
	var timeout net.Error
	if n > 0 || !errors.As(err, &timeout) || !timeout.Timeout() {
		r.Fatalf("read %d bytes, %v; want silence", n, err)
	}
}

// ends wants the connection to end next, with FIN or with RST.
func (r *rig) ends(conn net.Conn, reset bool) {
	r.Helper()
	conn.SetReadDeadline(time.Now().Add(patience))
	n, err := conn.Read(make([]byte, 1))
	want := io.EOF
	if reset {
		want = syscall.ECONNRESET
	}
	if n > 0 || !errors.Is(err, want) {
		r.Fatalf("read %d bytes, %v; want %v", n, err, want)
	}
}

// eventually wants the condition to come true.
func (r *rig) eventually(what string, condition func() bool) {
	r.Helper()
	for limit := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			r.Fatalf("%s did not come true", what)
		}
	}
}

func (r *rig) traffic() egress.Traffic {
	r.Helper()
	var all map[string]egress.Traffic
	r.ask("GET", "/connections", nil, &all)
	return all["p"]
}

// streams runs a test for either stream, with the sending end first.
func streams(t *testing.T, test func(r *rig, stream string, ends func(pair) (from, to *net.TCPConn))) {
	t.Run("upstream", func(t *testing.T) {
		test(start(t), "upstream", func(p pair) (*net.TCPConn, *net.TCPConn) { return p.client, p.server })
	})
	t.Run("downstream", func(t *testing.T) {
		test(start(t), "downstream", func(p pair) (*net.TCPConn, *net.TCPConn) { return p.server, p.client })
	})
}

func long(n int) string { return strings.Repeat("0123456789", n/10+1)[:n] }
