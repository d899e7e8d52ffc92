package state

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Mode is the part that a ZooKeeper server plays in its ensemble, in the words
// of its "srvr" answer.
type Mode string

// The modes of a server. ModeNotServing is one that has lost its quorum or is still
// looking for it.
const (
	ModeLeader     Mode = "leader"
	ModeFollower   Mode = "follower"
	ModeObserver   Mode = "observer"
	ModeStandalone Mode = "standalone"
	ModeReadOnly   Mode = "read-only"
	ModeNotServing Mode = "not serving"
)

// ServerView is what a ZooKeeper server says of itself.
type ServerView struct {
	Source
	Mode        Mode
	Version     string // such as 3.8.4
	Zxid        int64  // the last transaction that it has applied
	Connections int    // clients connected to it, the asker included
}

func (s ServerView) String() string {
	return fmt.Sprintf("%s is %s, zxid 0x%x, %d connections, version %s (read at %s)",
		s.By, s.Mode, uint64(s.Zxid), s.Connections, s.Version, clock(s.At))
}

// notServing is the answer of a server without a quorum to nearly every word.
const notServing = "This ZooKeeper instance is not currently serving requests"

// ParseServer reads the answer to the four-letter word "srvr".
func ParseServer(text string) (ServerView, error) {
	if strings.HasPrefix(text, notServing) {
		return ServerView{Mode: ModeNotServing}, nil
	}
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), ": "); found {
			fields[key] = value
		}
	}
	view := ServerView{Mode: Mode(fields["Mode"])}
	switch view.Mode {
	case ModeLeader, ModeFollower, ModeObserver, ModeStandalone, ModeReadOnly:
	default:
		return ServerView{}, fmt.Errorf("parse answer to srvr %q: no known mode", text)
	}
	view.Version, _, _ = strings.Cut(fields["Zookeeper version"], "-")
	zxid, err := ParseSessionID(fields["Zxid"]) // the same form
	if err != nil {
		return ServerView{}, fmt.Errorf("parse answer to srvr %q: zxid %q", text, fields["Zxid"])
	}
	view.Zxid = int64(zxid)
	if view.Connections, err = strconv.Atoi(fields["Connections"]); err != nil {
		return ServerView{}, fmt.Errorf("parse answer to srvr %q: connections %q", text, fields["Connections"])
	}
	return view, nil
}

// Connection is one client connection as the ZooKeeper server sees it.
type Connection struct {
	Remote      netip.AddrPort // who dialled: the client, or the proxy between
	Session     SessionID      // 0 when the client has asked for none
	Timeout     time.Duration  // of the session
	Established time.Time      // by the clock of the server
}

func (c Connection) String() string {
	return fmt.Sprintf("%v with session %v, time-out %v, since %s", c.Remote, c.Session, c.Timeout, clock(c.Established))
}

// Connections are the client connections of one ZooKeeper server.
type Connections struct {
	Source
	All []Connection
}

// Sessions are the sessions that have a connection, each once, in order of
// connection.
func (c Connections) Sessions() []SessionID {
	var ids []SessionID
	for _, one := range c.All {
		if one.Session != 0 && !slices.Contains(ids, one.Session) {
			ids = append(ids, one.Session)
		}
	}
	return ids
}

func (c Connections) String() string {
	return fmt.Sprintf("%d connections with sessions %v (read %v)", len(c.All), c.Sessions(), c.Source)
}

// connectionForm is a line of the answer to "cons":
// " /10.0.0.5:40122[1](queued=0,recved=9,sent=9,sid=0x1000…,…)".
var connectionForm = regexp.MustCompile(`^/(\S+)\[\d+\]\((.*)\)$`)

// ParseConnections reads the answer to the four-letter word "cons".
func ParseConnections(text string) ([]Connection, error) {
	var all []Connection
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		one, err := parseConnection(line)
		if err != nil {
			return nil, fmt.Errorf("parse answer to cons: line %q: %w", line, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func parseConnection(line string) (c Connection, err error) {
	parts := connectionForm.FindStringSubmatch(line)
	if parts == nil {
		return c, fmt.Errorf("want /address:port[n](key=value,…)")
	}
	if c.Remote, err = parseJavaAddress(parts[1]); err != nil {
		return c, err
	}
	for field := range strings.SplitSeq(parts[2], ",") {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "sid":
			c.Session, err = ParseSessionID(value)
		case "to":
			c.Timeout, err = milliseconds(value)
		case "est":
			var since time.Duration
			since, err = milliseconds(value)
			c.Established = time.UnixMilli(since.Milliseconds())
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

// parseJavaAddress reads an address as java.net.InetSocketAddress prints it:
// IPv6 without brackets, with a zone perhaps.
func parseJavaAddress(text string) (netip.AddrPort, error) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return netip.AddrPort{}, fmt.Errorf("no port in %q", text)
	}
	addr, err := netip.ParseAddr(strings.Trim(text[:colon], "[]"))
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := strconv.ParseUint(text[colon+1:], 10, 16)
	return netip.AddrPortFrom(addr.Unmap().WithZone(""), uint16(port)), err
}

func milliseconds(text string) (time.Duration, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Duration(n) * time.Millisecond, err
}
