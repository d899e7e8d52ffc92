package egress

import (
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/Shopify/toxiproxy/v2"
)

// pipeEnd is a pipe that tells of each write when it is asked for.
type pipeEnd struct {
	net.Conn
	asked chan string
}

func (p *pipeEnd) Write(data []byte) (int, error) {
	p.asked <- string(data)
	return p.Conn.Write(data)
}

func (p *pipeEnd) CloseWrite() error   { return p.Close() }
func (p *pipeEnd) SetLinger(int) error { return nil }

// TestBytesDoNotOvertakeThoseBeingWritten makes the writer hang with the last of
// the queue in its hands, just when there are no rules any more.
func TestBytesDoNotOvertakeThoseBeingWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := record(t)
		client, clientEnd := net.Pipe()
		server, serverEnd := net.Pipe()
		asked := make(chan string, 10)
		c := p.connect(&pipeEnd{clientEnd, asked}, &pipeEnd{serverEnd, asked}, 1)
		c.gone = func() {}
		p.rules[0].Store(&rules{hold: true})
		c.start()
		client.Write([]byte("first"))
		synctest.Wait()
		p.rules[0].Store(&rules{none: true})
		c.changed()
		synctest.Wait()
		client.Write([]byte("second"))
		synctest.Wait()
		if len(asked) != 1 {
			t.Errorf("%d writes are under way, want 1", len(asked))
		}
		got := make([]byte, 5)
		for _, want := range []string{"first", "secon", "d"} {
			n, _ := server.Read(got)
			if string(got[:n]) != want {
				t.Errorf("read %q, want %q", got[:n], want)
			}
		}
		c.close()
		client.Close()
		server.Close()
	})
}

func record(t *testing.T) *proxy {
	t.Helper()
	s := New()
	p, err := s.create("p", "127.0.0.1:0", "127.0.0.1:1", false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNothingIsPassedBehindAGap(t *testing.T) {
	p := record(t)
	c := p.connect(nil, nil, 1)
	c.up.progress.gap = true
	if rest := c.up.pass([]byte("more"), began); len(rest) != 4 {
		t.Error("bytes were passed behind a gap")
	}
}

// TestAConnectionBeingDialledDoesNotEscapeAReset is about a reset that comes and
// goes before the connection is there.
func TestAConnectionBeingDialledDoesNotEscapeAReset(t *testing.T) {
	s := New()
	p, err := s.create("p", "127.0.0.1:0", "127.0.0.1:1", false)
	if err != nil {
		t.Fatal(err)
	}
	before := s.ages.Add(1)
	if p.dooms(before) {
		t.Error("doomed without a reset")
	}
	if _, err := s.add(p, []byte(`{"name":"r","type":"reset","stream":"upstream"}`)); err != nil {
		t.Fatal(err)
	}
	if during := s.ages.Add(1); !p.dooms(during) {
		t.Error("a new connection escapes a reset that is on")
	}
	if err := s.remove(p, "r"); err != nil {
		t.Fatal(err)
	}
	if after := s.ages.Add(1); !p.dooms(before) || p.dooms(after) {
		t.Errorf("after the reset: the older is doomed %v, the younger %v", p.dooms(before), p.dooms(after))
	}
}

func TestErrorsKeepTheirStatus(t *testing.T) {
	err := about("p", toxiproxy.ErrToxicNotFound)
	if statusOf(err) != 404 || !strings.HasPrefix(err.Error(), "p: ") {
		t.Errorf("status %d of %v", statusOf(err), err)
	}
}
