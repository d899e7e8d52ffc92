package engine

import (
	"net/netip"
	"testing"
)

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
