package harness

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
)

func TestFindBypass(t *testing.T) {
	broker, zookeeper := topology.BrokerNode(1), topology.ZK(1)
	names := map[string]topology.Node{"172.18.0.9": broker, "172.18.0.8": zookeeper}
	socket := func(remote, state_ string) state.Socket {
		return state.Socket{Local: netip.MustParseAddrPort("172.18.0.9:9093"), Remote: netip.MustParseAddrPort(remote), State: state_}
	}
	egress := socket("172.18.0.3:2181", "ESTABLISHED")
	tests := map[string]struct {
		sockets []state.Socket
		want    string // in the error; empty for none
	}{
		"through the egress":       {[]state.Socket{egress}, ""},
		"to itself":                {[]state.Socket{egress, socket("172.18.0.9:40000", "ESTABLISHED")}, ""},
		"straight to ZooKeeper":    {[]state.Socket{egress, socket("172.18.0.8:2181", "ESTABLISHED")}, "straight to zk-1"},
		"a bypass that has closed": {[]state.Socket{egress, socket("172.18.0.8:2181", "TIME_WAIT")}, "straight to zk-1"},
		"nothing at all to judge":  {nil, "none at all"},
		"nothing that is open":     {[]state.Socket{socket("0.0.0.0:0", "LISTEN")}, "none at all"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := findBypass(broker, test.sockets, names)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if strings.Contains(test.want, "straight") && !errors.Is(err, ErrBypass) {
				t.Errorf("error %v is no ErrBypass", err)
			}
		})
	}
}
