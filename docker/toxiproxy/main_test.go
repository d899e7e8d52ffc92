package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"kafkachaos/docker/toxiproxy/egress"
)

func TestServeAnswersUntilItIsToldToStop(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener, map[string]*egress.Server{"broker-1": egress.New()}) }()
	response, err := http.Post("http://"+listener.Addr().String()+"/broker-1/proxies", "",
		strings.NewReader(`{"name":"p","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var made struct{ Listen string }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || made.Listen == "" {
		t.Fatalf("made %+v, %v", made, err)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it did not stop")
	}
	if conn, err := net.Dial("tcp", made.Listen); err == nil {
		conn.Close()
		t.Error("a proxy outlived its server")
	}
}

func TestATakenAddressIsAnError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := run(t.Context(), listener.Addr().String(), nil); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("error %v", err)
	}
}

func TestParse(t *testing.T) {
	node, server, err := parse("zk-1=172.18.0.10,2s")
	if err != nil || node != "zk-1" || server.Address.String() != "172.18.0.10" || server.Insist != 2*time.Second {
		t.Errorf("read %q, %+v, %v", node, server, err)
	}
	if _, server, err := parse("broker-1=172.18.0.11"); err != nil || server.Insist != 0 {
		t.Errorf("read %+v, %v", server, err)
	}
	for _, wrong := range []string{"", "broker-1", "=172.18.0.11", "broker-1=", "broker-1=here", "broker-1=172.18.0.11,", "broker-1=172.18.0.11,soon"} {
		if _, _, err := parse(wrong); err == nil || !strings.Contains(err.Error(), "want NODE=ADDRESS") {
			t.Errorf("%q: error %v", wrong, err)
		}
	}
}

func TestAnAddressThatIsOwnIsNotAdded(t *testing.T) {
	if err := own(netip.MustParseAddr("127.0.0.1")); err != nil {
		t.Error(err)
	}
}

func TestAnAddressOfNoSubnetIsRefused(t *testing.T) {
	if err := own(netip.MustParseAddr("240.0.0.1")); err == nil || !strings.Contains(err.Error(), "no interface is in its subnet") {
		t.Errorf("error %v", err)
	}
}
