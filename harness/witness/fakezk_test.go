package witness

import (
	"encoding/binary"
	"net"
	"path"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeZK is as much of a ZooKeeper server as the witness speaks to: a flat tree
// of persistent nodes with one-shot watches of existence.
type fakeZK struct {
	mu      sync.Mutex
	zxid    int64
	nodes   map[string]fakeNode
	watches map[string][]net.Conn
	conns   []net.Conn
	session uint64
	deaf    bool // reads requests and answers none
	refuse  bool // hangs up on whoever connects
}

type fakeNode struct {
	data         []byte
	czxid, mzxid int64
	owner        int64
}

func startFakeZK(t *testing.T) (*fakeZK, string) {
	z := &fakeZK{nodes: map[string]fakeNode{}, watches: map[string][]net.Conn{}}
	return z, listen(t, z.serve)
}

const (
	opCreate, opDelete, opExists, opGet, opSet, opPing, opChildren, opSetWatches, opClose = 1, 2, 3, 4, 5, 11, 12, 101, -11

	errNoNode, errExists = -101, -110
)

func (z *fakeZK) serve(conn net.Conn) {
	defer conn.Close()
	request := receive(conn)
	z.mu.Lock()
	if z.refuse || request == nil {
		z.mu.Unlock()
		return
	}
	id := binary.BigEndian.Uint64(request[16:])
	if id == 0 {
		z.session++
		id = z.session
	} else if id > z.session { // of before all sessions were dropped
		id = 0
	}
	z.conns = append(z.conns, conn)
	z.mu.Unlock()
	send(conn, append(connectResponse(0, 4*time.Second)[:8], append(binary.BigEndian.AppendUint64(nil, id), connectResponse(0, 0)[16:]...)...))
	for request := receive(conn); request != nil; request = receive(conn) {
		z.mu.Lock()
		if !z.deaf {
			z.answer(conn, request)
		}
		z.mu.Unlock()
	}
}

func (z *fakeZK) answer(conn net.Conn, request []byte) {
	xid, opcode, body := request[:4], int32(binary.BigEndian.Uint32(request[4:])), request[8:]
	code, reply := int32(0), []byte(nil)
	switch name, rest := takeString(body); opcode {
	case opExists, opGet:
		node, ok := z.nodes[name]
		if opcode == opExists && rest[0] == 1 {
			z.watches[name] = append(z.watches[name], conn)
		}
		if code = errNoNode; ok {
			code = 0
			if opcode == opGet {
				reply = appendBytes(reply, node.data)
			}
			reply = append(reply, node.stat()...)
		}
	case opCreate:
		if code = z.put(name, rest, true); code == 0 {
			reply = appendBytes(nil, []byte(name))
		}
	case opSet:
		code = z.put(name, rest, false)
		reply = z.nodes[name].stat()
	case opDelete:
		if code = errNoNode; z.remove(name) {
			code = 0
		}
	case opChildren:
		reply = z.children(name)
	case opSetWatches:
		defer z.setWatches(conn, body)
	}
	header := binary.BigEndian.AppendUint64(append([]byte(nil), xid...), uint64(z.zxid))
	header = binary.BigEndian.AppendUint32(header, uint32(code))
	if code != 0 {
		reply = nil
	}
	send(conn, append(header, reply...))
}

func (z *fakeZK) put(name string, rest []byte, create bool) int32 {
	data, _ := takeString(rest)
	node, exists := z.nodes[name]
	switch {
	case create && exists && !strings.HasSuffix(name, "_"): // those are sequential, and keep their last number
		return errExists
	case !create && !exists:
		return errNoNode
	}
	z.zxid++
	if node.mzxid, node.data = z.zxid, []byte(data); create {
		node.czxid = z.zxid
	}
	z.nodes[name] = node
	if create {
		z.fire(name, 1)
	} else {
		z.fire(name, 3)
	}
	return 0
}

func (z *fakeZK) remove(name string) bool {
	if _, exists := z.nodes[name]; !exists {
		return false
	}
	z.zxid++
	delete(z.nodes, name)
	z.fire(name, 2)
	return true
}

// setWatches sets a client's watches again after it reconnected, or fires them
// at once for what it missed.
func (z *fakeZK) setWatches(conn net.Conn, body []byte) {
	seen := int64(binary.BigEndian.Uint64(body))
	body = body[8:]
	for _, wantExists := range []bool{true, false} { // data watches, watches of absence
		count := binary.BigEndian.Uint32(body)
		body = body[4:]
		for range count {
			var name string
			name, body = takeString(body)
			z.watches[name] = append(z.watches[name], conn)
			switch node, exists := z.nodes[name]; {
			case wantExists && !exists:
				z.fire(name, 2)
			case wantExists && node.mzxid > seen:
				z.fire(name, 3)
			case !wantExists && exists:
				z.fire(name, 1)
			}
		}
	}
}

func (z *fakeZK) fire(name string, event uint32) {
	for _, conn := range z.watches[name] {
		packet := binary.BigEndian.AppendUint32(nil, 0xffffffff) // xid -1
		packet = append(packet, make([]byte, 12)...)
		packet = binary.BigEndian.AppendUint32(packet, event)
		packet = binary.BigEndian.AppendUint32(packet, 3) // connected
		send(conn, appendBytes(packet, []byte(name)))
	}
	delete(z.watches, name)
}

func (z *fakeZK) children(parent string) []byte {
	var names []byte
	count := uint32(0)
	for name := range z.nodes {
		if path.Dir(name) == parent {
			names = appendBytes(names, []byte(path.Base(name)))
			count++
		}
	}
	return append(append(binary.BigEndian.AppendUint32(nil, count), names...), fakeNode{}.stat()...)
}

// do changes the tree as another client would.
func (z *fakeZK) do(changes ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, change := range changes {
		verb, name, _ := strings.Cut(change, " ")
		switch verb {
		case "create", "set":
			z.put(name, appendBytes(nil, []byte("data")), verb == "create")
		case "delete":
			z.remove(name)
		}
	}
}

// restart closes all connections and forgets the watches; sessions go too, if
// the server forgets them.
func (z *fakeZK) restart(forgetSessions bool, changes ...string) {
	z.mu.Lock()
	z.watches = map[string][]net.Conn{}
	for _, conn := range z.conns {
		conn.Close()
	}
	z.conns = nil
	if forgetSessions {
		z.session = 0
	}
	z.mu.Unlock()
	z.do(changes...)
}

func (n fakeNode) stat() []byte {
	stat := binary.BigEndian.AppendUint64(nil, uint64(n.czxid))
	stat = binary.BigEndian.AppendUint64(stat, uint64(n.mzxid))
	stat = binary.BigEndian.AppendUint64(stat, uint64(time.UnixMilli(1000).UnixMilli()))
	stat = append(stat, make([]byte, 8+4+4+4)...)
	stat = binary.BigEndian.AppendUint64(stat, uint64(n.owner))
	return append(stat, make([]byte, 4+4+8)...)
}

func takeString(body []byte) (string, []byte) {
	if len(body) < 4 {
		return "", body
	}
	length := int(int32(binary.BigEndian.Uint32(body)))
	if length < 0 || len(body) < 4+length {
		return "", body[4:]
	}
	return string(body[4 : 4+length]), body[4+length:]
}

func appendBytes(to, data []byte) []byte {
	return append(binary.BigEndian.AppendUint32(to, uint32(len(data))), data...)
}
