package state

import (
	"net/netip"
	"reflect"
	"testing"
	"time"
)

const (
	srvr346 = `Zookeeper version: 3.4.6-1569965, built on 02/20/2014 09:09 GMT
Latency min/avg/max: 0/1/31
Received: 152
Sent: 151
Connections: 4
Outstanding: 0
Zxid: 0x3b
Mode: standalone
Node count: 62
`
	srvr384 = `Zookeeper version: 3.8.4-9316c2a7a97e1666d8f4593f34dd6fc36ecc436c, built on 2024-02-12 22:16 UTC
Latency min/avg/max: 0/1.2/31
Received: 152
Sent: 151
Connections: 2
Outstanding: 0
Zxid: 0x100000031
Mode: follower
Node count: 62
`
)

func TestParseServer(t *testing.T) {
	for _, test := range []struct {
		text string
		want ServerView
	}{
		{srvr346, ServerView{Mode: ModeStandalone, Version: "3.4.6", Zxid: 0x3b, Connections: 4}},
		{srvr384, ServerView{Mode: ModeFollower, Version: "3.8.4", Zxid: 0x100000031, Connections: 2}},
		{"This ZooKeeper instance is not currently serving requests\n", ServerView{Mode: ModeNotServing}},
	} {
		if got, err := ParseServer(test.text); err != nil || got != test.want {
			t.Errorf("read %+v (%v), want %+v", got, err, test.want)
		}
	}
	for _, text := range []string{"", "Mode: tired\n", "imok", "Mode: leader\nZxid: 12\nConnections: 1\n",
		"Mode: leader\nZxid: 0x1\nConnections: few\n", "Mode: leader"} {
		if got, err := ParseServer(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestParseConnections(t *testing.T) {
	text := ` /172.18.0.5:45678[1](queued=0,recved=12,sent=12,sid=0x100000f92fc0001,lop=PING,est=1796000000123,to=6000,lcxid=0x9,lzxid=0x31,lresp=1,llat=0,minlat=0,avglat=0,maxlat=7)
 /172.18.0.6:45679[1](queued=0,recved=2,sent=2,sid=0x100000f92fc0001,lop=PING,est=1796000000123,to=6000)
 /0:0:0:0:0:0:0:1:43210[0](queued=0,recved=1,sent=0)

`
	got, err := ParseConnections(text)
	if err != nil {
		t.Fatal(err)
	}
	since := time.UnixMilli(1796000000123)
	want := []Connection{
		{netip.MustParseAddrPort("172.18.0.5:45678"), 0x100000f92fc0001, 6 * time.Second, since},
		{netip.MustParseAddrPort("172.18.0.6:45679"), 0x100000f92fc0001, 6 * time.Second, since},
		{Remote: netip.MustParseAddrPort("[::1]:43210")},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	if ids := (Connections{All: got}).Sessions(); !reflect.DeepEqual(ids, []SessionID{0x100000f92fc0001}) {
		t.Errorf("the sessions are %v", ids)
	}
	for _, text := range []string{
		"This ZooKeeper instance is not currently serving requests",
		" /172.18.0.5[1](queued=0)",
		" /172.18.0.5:x[1](queued=0)",
		" 172.18.0.5:45678[1](queued=0)",
		" /172.18.0.5:45678[1](sid=100)",
		" /172.18.0.5:45678[1](to=soon)",
		" /172.18.0.5:45678[1](est=1",
	} {
		if got, err := ParseConnections(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestZNodePrintsInOneLine(t *testing.T) {
	node := ZNode{Source: byZK, Path: "/a", Exists: true, Owner: 1, Czxid: 2}
	absent := ZNode{Source: byZK, Path: "/a"}
	for got, want := range map[string]string{
		node.String():                              "/a exists, owned by session 0x1, czxid 0x2, version 0 (read by zk-1 at 03:04:05.678)",
		absent.String():                            "/a is absent (read by zk-1 at 03:04:05.678)",
		ZNodeChange{ZNodeFound, absent}.String():   "found that /a is absent (read by zk-1 at 03:04:05.678)",
		ZNodeChange{ZNodeDeleted, absent}.String(): "/a deleted (seen by zk-1 at 03:04:05.678)",
	} {
		if got != want {
			t.Errorf("prints as %q, want %q", got, want)
		}
	}
}
