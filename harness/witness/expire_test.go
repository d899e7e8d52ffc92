package witness

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/state"
)

const victim = state.SessionID(0x14fa3fc94706a72)

// listen serves each connection with one of the scripts in turn, the last one
// for ever, and returns the way there.
func listen(t *testing.T, scripts ...func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for i := 0; ; i++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			go scripts[min(i, len(scripts)-1)](conn)
		}
	}()
	return listener.Addr().String()
}

func receive(conn net.Conn) []byte {
	var length [4]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return nil
	}
	packet := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(conn, packet); err != nil {
		return nil
	}
	return packet
}

func send(conn net.Conn, packet []byte) {
	conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(packet))), packet...))
}

// connectResponse is what a server answers to a connect request.
func connectResponse(id state.SessionID, timeout time.Duration) []byte {
	packet := binary.BigEndian.AppendUint32(nil, 0)
	packet = binary.BigEndian.AppendUint32(packet, uint32(timeout.Milliseconds()))
	packet = binary.BigEndian.AppendUint64(packet, uint64(id))
	packet = binary.BigEndian.AppendUint32(packet, state.PasswordSize)
	return append(packet, make([]byte, state.PasswordSize)...)
}

func replyHeader(code int32) []byte {
	packet := binary.BigEndian.AppendUint32(nil, 1)
	packet = binary.BigEndian.AppendUint64(packet, 77)
	return binary.BigEndian.AppendUint32(packet, uint32(code))
}

// closes is a server that hands the session over and closes it. What it was
// sent goes to requests.
func closes(requests chan<- []byte, trailing ...byte) func(net.Conn) {
	return func(conn net.Conn) {
		requests <- receive(conn)
		send(conn, append(connectResponse(victim, time.Second), trailing...))
		requests <- receive(conn)
		send(conn, replyHeader(0))
		conn.Close()
	}
}

func unknown(conn net.Conn) { receive(conn); send(conn, connectResponse(0, 0)); conn.Close() }
func hangUp(conn net.Conn)  { conn.Close() }
func takenBack(c net.Conn) {
	receive(c)
	send(c, connectResponse(victim, time.Second))
	receive(c)
	c.Close()
}
func noTimeout(c net.Conn)  { receive(c); send(c, connectResponse(victim, 0)) }
func anotherOne(c net.Conn) { receive(c); send(c, connectResponse(5, time.Second)) }
func tooShort(c net.Conn)   { receive(c); send(c, []byte{0, 0}) }
func tooLong(c net.Conn)    { receive(c); c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }
func silence(c net.Conn)    { receive(c) }
func refuses(conn net.Conn) {
	receive(conn)
	send(conn, connectResponse(victim, time.Second))
	receive(conn)
	send(conn, replyHeader(-4))
}
func shortClose(c net.Conn) {
	receive(c)
	send(c, connectResponse(victim, time.Second))
	receive(c)
	send(c, []byte{1})
}

func witnessOf(servers ...string) *ZooKeeper {
	return NewZooKeeper((&net.Dialer{}).DialContext, servers)
}

func TestExpireSpeaksZooKeeper(t *testing.T) {
	for name, trailing := range map[string][]byte{"with a read-only flag": {0}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			requests := make(chan []byte, 2)
			if err := witnessOf(listen(t, closes(requests, trailing...))).Expire(t.Context(), victim); err != nil {
				t.Fatal(err)
			}
			connect, end := <-requests, <-requests
			password := state.SessionPassword(victim)
			switch {
			case len(connect) != 45:
				t.Errorf("the connect request has %d bytes, want 45", len(connect))
			case !bytes.Equal(connect[4:12], make([]byte, 8)):
				t.Errorf("the last zxid seen is %x, want 0", connect[4:12])
			case binary.BigEndian.Uint64(connect[16:]) != uint64(victim):
				t.Errorf("the session is %x, want %v", connect[16:24], victim)
			case !bytes.Equal(connect[28:44], password[:]):
				t.Errorf("the password is %x, want %x", connect[28:44], password)
			}
			if want := []byte{0, 0, 0, 1, 0xff, 0xff, 0xff, 0xf5}; !bytes.Equal(end, want) {
				t.Errorf("the close request is %x, want %x", end, want)
			}
		})
	}
}

func TestExpireAnswers(t *testing.T) {
	for _, test := range []struct {
		name    string
		scripts []func(net.Conn)
		unknown bool   // the error is ErrSessionUnknown
		says    string // part of the error; "" for none
	}{
		{"unknown session", []func(net.Conn){unknown}, true, victim.String()},
		{"a time-out of 0", []func(net.Conn){noTimeout}, true, victim.String()},
		{"hangs up", []func(net.Conn){hangUp}, false, "take the session over"},
		{"another session", []func(net.Conn){anotherOne}, false, "got session 0x5"},
		{"a short answer", []func(net.Conn){tooShort}, false, "answer of 2 bytes"},
		{"no ZooKeeper", []func(net.Conn){tooLong}, false, "answer of 1213486160 bytes"},
		{"an error to the close", []func(net.Conn){refuses}, false, "ZooKeeper error -4"},
		{"a short answer to the close", []func(net.Conn){shortClose}, false, "answer of 1 bytes"},
		{"taken back once", []func(net.Conn){takenBack, closes(make(chan []byte, 2))}, false, ""},
		{"closed though it hung up", []func(net.Conn){takenBack, unknown}, false, ""},
		{"always taken back", []func(net.Conn){takenBack}, false, "close the session"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := witnessOf(listen(t, test.scripts...)).Expire(t.Context(), victim)
			if errors.Is(err, ErrSessionUnknown) != test.unknown {
				t.Errorf("got %v, which is ErrSessionUnknown: %v", err, !test.unknown)
			}
			if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %q in it", err, test.says)
			}
		})
	}
}

func TestExpireAsksTheNextServer(t *testing.T) {
	requests := make(chan []byte, 2)
	if err := witnessOf(listen(t, hangUp), listen(t, closes(requests))).Expire(t.Context(), victim); err != nil {
		t.Fatal(err)
	}
	if len(requests) != 2 {
		t.Error("the second server was not asked")
	}
}

func TestExpireEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := witnessOf(listen(t, silence)).Expire(ctx, victim)
	if took := time.Since(began); err == nil || took > time.Second {
		t.Errorf("got %v after %v", err, took)
	}
}

// The session 0 would make a server open a new one.
func TestExpireNeverAsksForSessionZero(t *testing.T) {
	err := witnessOf(listen(t, func(net.Conn) { t.Error("dialled") })).Expire(t.Context(), 0)
	if !errors.Is(err, ErrSessionUnknown) {
		t.Errorf("got %v", err)
	}
}
