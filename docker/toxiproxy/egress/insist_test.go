package egress

import (
	"io"
	"net"
	"testing"
	"time"
)

// insisting makes a proxy that insists, in front of an address where nobody listens
// yet, and a client that has sent something.
func insisting(t *testing.T, insist time.Duration) (p *proxy, client net.Conn, upstream string) {
	t.Helper()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	upstream = gone.Addr().String()
	gone.Close()
	s := New()
	t.Cleanup(s.Close)
	s.Insist = insist
	if p, err = s.create("p", "127.0.0.1:0", upstream, true); err != nil {
		t.Fatal(err)
	}
	if client, err = net.Dial("tcp", p.record.Listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	client.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := client.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	return p, client, upstream
}

func TestAnUpstreamThatListensLaterIsReached(t *testing.T) {
	_, client, upstream := insisting(t, time.Minute)
	time.Sleep(5 * again)
	listener, err := net.Listen("tcp", upstream)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	said := make([]byte, 5)
	if _, err := io.ReadFull(server, said); err != nil || string(said) != "hello" {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := server.Write(said); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(client, said); err != nil {
		t.Error(err)
	}
}

// TestInsistingEnds is about an upstream that never listens.
func TestInsistingEnds(t *testing.T) {
	p, client, _ := insisting(t, 5*again)
	if n, err := client.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes from nobody", n)
	}
	if p.failed.Load() != 1 {
		t.Errorf("%d connections failed, want 1", p.failed.Load())
	}
	p, client, _ = insisting(t, time.Minute)
	p.disable()
	if n, err := client.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes from a proxy that is disabled", n)
	}
}
