package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
)

// subnets is the part of an engine that makes networks: one for each subnet.
type subnets struct {
	used  map[string]bool // by subnet
	asked int             // for a network
}

func (s *subnets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, format string, args ...any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, format, args...)
	}
	switch r.Method {
	case http.MethodPost:
		s.asked++
		var wanted network.CreateRequest
		if json.NewDecoder(r.Body).Decode(&wanted) != nil || wanted.IPAM == nil {
			s.used["free"] = true
			answer(http.StatusCreated, `{"Id":"free"}`)
			return
		}
		subnet := wanted.IPAM.Config[0].Subnet.String()
		if s.used[subnet] {
			answer(http.StatusForbidden, `{"message":"Pool overlaps with other one on this address space"}`)
			return
		}
		s.used[subnet] = true
		answer(http.StatusCreated, `{"Id":"kept"}`)
	case http.MethodGet: // what is free
		next := "172.18.0.0/16"
		if s.used[next] {
			next = "172.19.0.0/16"
		}
		answer(http.StatusOK, `{"Id":"free","IPAM":{"Config":[{"Subnet":"fd00::/64"},{"Subnet":%q}]}}`, next)
	case http.MethodDelete:
		delete(s.used, "free")
		w.WriteHeader(http.StatusNoContent)
	}
}

func TestANetworkIsMadeAtOnceWhereTheLastOneWas(t *testing.T) {
	lastSubnet.Store(nil)
	engine := &subnets{used: map[string]bool{}}
	server := httptest.NewServer(engine)
	defer server.Close()
	cli, err := client.New(client.WithHost("tcp://"+server.Listener.Addr().String()), client.WithAPIVersion("1.41"))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		about  string
		frees  string
		asked  int
		subnet string
	}{
		{"the first, of which Docker tells what is free", "", 2, "172.18.0.0/16"},
		{"one beside it", "", 3, "172.19.0.0/16"},
		{"one after it", "172.19.0.0/16", 1, "172.19.0.0/16"},
	} {
		delete(engine.used, step.frees)
		engine.asked = 0
		d := &Docker{client: cli, network: "kafkachaos-x"}
		if err := d.createNetwork(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.about, err)
		}
		if d.subnet.String() != step.subnet || engine.asked != step.asked || engine.used["free"] {
			t.Errorf("%s: at %v after asking %d times, want %s after %d", step.about, d.subnet, engine.asked, step.subnet, step.asked)
		}
	}
}

func TestReserveHandsOutEachAddressOnce(t *testing.T) {
	d := &Docker{subnet: netip.MustParsePrefix("172.30.0.0/28"), addresses: map[string]netip.Addr{}}
	seen := map[string]string{}
	for _, name := range []string{"broker-1", "broker-2", "egress-broker-1", "broker-1"} {
		address, err := d.Reserve(name)
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[address]; taken && other != name {
			t.Errorf("%s and %s both get %s", name, other, address)
		}
		seen[address] = name
	}
	if len(seen) != 3 || seen["172.30.0.10"] != "broker-1" {
		t.Errorf("reserved %v", seen)
	}
	for _, name := range []string{"a", "b"} { // .13 and .14, .15 is for broadcasts
		if _, err := d.Reserve(name); err != nil {
			t.Error(err)
		}
	}
	if address, err := d.Reserve("c"); err == nil {
		t.Errorf("the full network has room at %s", address)
	}
}
