package egress

import (
	"net"
	"net/netip"
	"testing"
)

func TestAServerListensAndDialsAtItsOwnAddress(t *testing.T) {
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer upstream.Close()
	s := New()
	defer s.Close()
	s.Address = netip.MustParseAddr("127.0.0.2")
	p, err := s.create("p", "0.0.0.0:0", upstream.Addr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	if host, _, _ := net.SplitHostPort(p.record.Listen); host != "127.0.0.2" {
		t.Errorf("it listens at %s", p.record.Listen)
	}
	client, err := net.Dial("tcp", p.record.Listen)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := upstream.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if host, _, _ := net.SplitHostPort(server.RemoteAddr().String()); host != "127.0.0.2" {
		t.Errorf("it dials from %v", server.RemoteAddr())
	}
	if other := s.at("127.0.0.3:1"); other != "127.0.0.3:1" {
		t.Errorf("an address that is named becomes %s", other)
	}
}
