package state

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

const (
	procTCP = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:B113 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 94188 2 0000 100 0 0 10 0
   1: 050012AC:A3C2 020012AC:0885 01 00000000:00000000 02:000006A1 00000000     0        0 94190 2 0000 20 4 30 10 -1
`
	procTCP6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when
   0: 0000000000000000FFFF00000100007F:520A 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000
   1: 0000000000000000FFFF0000050012AC:D3F0 0000000000000000FFFF0000020012AC:2385 06 00000000:00000000 03:00001770
   2: B80D01200000000000000000BC9A0000:0001 00000000000000000000000001000000:FFFF 0C 00000000:00000000 00:00000000
   3: 00000000000000000000000001000000:0001 00000000000000000000000001000000:FFFF 0D 00000000:00000000 00:00000000
`
)

func socket(local, remote, state string) Socket {
	return Socket{netip.MustParseAddrPort(local), netip.MustParseAddrPort(remote), state}
}

func TestParseSockets(t *testing.T) {
	got, err := ParseSockets(procTCP + procTCP6)
	if err != nil {
		t.Fatal(err)
	}
	want := []Socket{
		socket("127.0.0.1:45331", "0.0.0.0:0", "LISTEN"),
		socket("172.18.0.5:41922", "172.18.0.2:2181", "ESTABLISHED"),
		socket("127.0.0.1:21002", "[::]:0", "LISTEN"),
		socket("172.18.0.5:54256", "172.18.0.2:9093", "TIME_WAIT"),
		socket("[2001:db8::9abc]:1", "[::1]:65535", "NEW_SYN_RECV"),
		socket("[::1]:1", "[::1]:65535", "0D"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	if !got[1].Established() || got[0].Established() || !got[0].Listening() || got[1].Listening() {
		t.Errorf("%v and %v are taken for one another", got[0], got[1])
	}
	if line := got[1].String(); line != "a socket 172.18.0.5:41922→172.18.0.2:2181 in ESTABLISHED" {
		t.Errorf("prints as %q", line)
	}
}

func TestANetworkWithoutSocketsHasAHeadingOnly(t *testing.T) {
	heading, _, _ := strings.Cut(procTCP, "\n")
	if got, err := ParseSockets(heading); err != nil || len(got) != 0 {
		t.Errorf("read %v, %v", got, err)
	}
}

func TestParseSocketsRefuses(t *testing.T) {
	heading, _, _ := strings.Cut(procTCP, "\n")
	for _, line := range []string{
		"0: 0100007F:B113 00000000:0000",
		"0: 0100007F:B113 00000000:0000 ESTABLISHED",
		"0 0100007F:B113 00000000:0000 0A",
		"0: 0100007F 00000000:0000 0A",
		"0: 0100007F:B1 00000000:0000 0A",
		"0: 0100007F:B113 0000000G:0000 0A",
		"0: 0100007F:B113 0000000000:0000 0A",
		"0: 0100007F:B11X 00000000:0000 0A",
		"0: 127.0.0.1:2181 00000000:0000 0A",
	} {
		if got, err := ParseSockets(heading + "\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q was read as %v (%v)", line, got, err)
		}
	}
	for _, text := range []string{"", "\n", "cat: /proc/net/tcp: No such file or directory\n", strings.TrimPrefix(procTCP, heading)} {
		if got, err := ParseSockets(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func FuzzParseSockets(f *testing.F) {
	f.Add(procTCP)
	f.Add(procTCP6)
	f.Add("sl\n0: 0100007F:B113 00000000:0000 0A")
	f.Fuzz(func(t *testing.T, text string) {
		sockets, err := ParseSockets(text)
		for _, s := range sockets {
			if err != nil || !s.Local.IsValid() || s.Remote.Addr().Is4In6() || s.State == "" {
				t.Errorf("%q gave %+v with %v", text, s, err)
			}
		}
	})
}
