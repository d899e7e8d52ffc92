package egress

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Question is what a probe asks through a proxy.
type Question struct {
	Proxy    string `json:"proxy"`
	Send     []byte `json:"send"`        // base64 in JSON
	Patience int64  `json:"patience_ms"` // in all
	// Want tells when the answer is whole: "reply", with Enough bytes; "frame",
	// with the bytes that its first 4 announce; "http", with a response and its
	// body; "close", when the far side ends the connection after it was told that
	// no more comes.
	Want   string `json:"want"`
	Enough int    `json:"enough,omitempty"` // 1 if 0
}

// Answer is what a probe came to.
type Answer struct {
	Connected bool  `json:"connected"` // the handshake with the proxy was made
	Answered  bool  `json:"answered"`  // the whole answer came
	Bytes     int   `json:"bytes"`     // how many bytes came
	Closed    bool  `json:"closed"`    // the connection was ended before the answer was whole
	Took      int64 `json:"took_us"`
}

// maxPatience bounds a probe whatever it asks for.
const maxPatience = time.Minute

// probe needs no lock while it waits: a probe of a black hole takes all its
// patience and must not keep the hole from being healed.
func (s *Server) probe(w http.ResponseWriter, r *http.Request) {
	var q Question
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		respond(w, 0, nil, refuse(http.StatusBadRequest, "read question: %s", err))
		return
	}
	s.mu.Lock()
	p, err := s.find(q.Proxy)
	address := ""
	if err == nil {
		address = hosted(p.record.Listen, "127.0.0.1")
	}
	s.mu.Unlock()
	if err == nil && waits[q.Want] == nil {
		err = refuse(http.StatusBadRequest, "probe %s: want is %q, not reply, frame, http or close", q.Proxy, q.Want)
	}
	if err != nil {
		respond(w, 0, nil, err)
		return
	}
	text, err := json.Marshal(q.ask(r.Context(), address))
	respond(w, http.StatusOK, text, err)
}

func (q Question) ask(ctx context.Context, address string) (a Answer) {
	start := time.Now()
	defer func() { a.Took = time.Since(start).Microseconds() }()
	patience := min(time.Duration(q.Patience)*time.Millisecond, maxPatience)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if errors.Is(err, syscall.ECONNRESET) { // so soon after the handshake that it never saw that
		return Answer{Connected: true, Closed: true}
	}
	if err != nil {
		return a
	}
	defer conn.Close()
	a.Connected = true
	conn.SetDeadline(start.Add(patience))
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	q.exchange(conn.(*net.TCPConn), &a)
	return a
}

// exchange sends the question and reads until the answer is whole, the
// connection ended, or its deadline passed. A write that fails has taken the reset
// away that a read would tell of: what that finds is an end like any other.
func (q Question) exchange(conn *net.TCPConn, a *Answer) {
	_, err := conn.Write(q.Send)
	if err == nil && q.Want == "close" {
		err = conn.CloseWrite()
	}
	if err == nil {
		err = waits[q.Want](bufio.NewReader(counted{conn, &a.Bytes}), q.Enough)
	}
	var late net.Error
	timedOut := errors.As(err, &late) && late.Timeout()
	a.Answered = err == nil
	a.Closed = err != nil && !timedOut
}

// waits read one answer each and return nil when it is whole.
var waits = map[string]func(r *bufio.Reader, enough int) error{
	"reply": func(r *bufio.Reader, enough int) error {
		_, err := r.Discard(max(1, enough))
		return err
	},
	"frame": func(r *bufio.Reader, _ int) error {
		header, err := r.Peek(4)
		if err == nil {
			_, err = io.CopyN(io.Discard, r, 4+int64(binary.BigEndian.Uint32(header)))
		}
		return err
	},
	"http": func(r *bufio.Reader, _ int) error {
		response, err := http.ReadResponse(r, nil)
		if err == nil {
			defer response.Body.Close()
			_, err = io.Copy(io.Discard, response.Body)
		}
		return err
	},
	"close": func(r *bufio.Reader, _ int) error {
		_, err := io.Copy(io.Discard, r)
		return err
	},
}

// counted counts the bytes that are read.
type counted struct {
	io.Reader
	n *int
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += n
	return n, err
}
