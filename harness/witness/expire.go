package witness

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"kafkachaos/harness/state"
)

// ErrSessionUnknown says that ZooKeeper has no such session: it expired or was
// closed before, or never was.
var ErrSessionUnknown = errors.New("session is unknown or already expired")

// expireAttempt bounds one server's share of an Expire, so that a silent
// server does not use up the time of the others.
const expireAttempt = 2 * time.Second

// Expire ends a session at once, as its time-out would: when it returns, the
// session's ephemeral nodes are gone, and its client learns that it expired
// when it next speaks. It takes the session over by id and password
// (state.SessionPassword) and closes it, at the first server that answers.
// It returns ErrSessionUnknown if there was no such session to end.
func (z *ZooKeeper) Expire(ctx context.Context, id state.SessionID) error {
	if id == 0 {
		return fmt.Errorf("expire session %v: %w", id, ErrSessionUnknown)
	}
	var failed []error
	taken := false // once it was ours, its absence later means that it was closed
	for _, server := range z.inOrder() {
		tookOver, err := z.expireAt(ctx, server, id)
		taken = taken || tookOver
		switch {
		case err == nil, taken && errors.Is(err, ErrSessionUnknown):
			return nil
		case errors.Is(err, ErrSessionUnknown):
			return fmt.Errorf("expire session %v at %s: %w", id, nodeOf(server), err)
		}
		failed = append(failed, fmt.Errorf("%s: %w", nodeOf(server), err))
	}
	return fmt.Errorf("expire session %v: %w", id, errors.Join(failed...))
}

// expireAt takes the session over at one server and closes it. A client that
// takes it back in between makes ZooKeeper hang up; then it is tried again.
func (z *ZooKeeper) expireAt(ctx context.Context, server string, id state.SessionID) (taken bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, expireAttempt)
	defer cancel()
	for range 5 {
		err = z.closeSession(ctx, server, id, &taken)
		if err == nil || !taken || errors.Is(err, ErrSessionUnknown) || ctx.Err() != nil {
			break
		}
	}
	return taken, err
}

func (z *ZooKeeper) closeSession(ctx context.Context, server string, id state.SessionID, taken *bool) error {
	conn, done, err := z.dial.open(ctx, server)
	if err != nil {
		return err
	}
	defer done()
	if err := takeOver(conn, id); err != nil {
		return err
	}
	*taken = true
	return sendClose(conn)
}

// sessionTimeout is what is asked for on behalf of a session that lives for
// some milliseconds more; the server forces it into its own bounds.
const sessionTimeout = 10 * time.Second

// takeOver sends ZooKeeper's connect request with an existing session and reads
// the answer (ConnectRequest and ConnectResponse in zookeeper.jute). The answer
// to an unknown session or a wrong password is the session 0.
func takeOver(conn net.Conn, id state.SessionID) error {
	password := state.SessionPassword(id)
	request := binary.BigEndian.AppendUint32(nil, 0) // protocol version
	request = binary.BigEndian.AppendUint64(request, 0)
	request = binary.BigEndian.AppendUint32(request, uint32(sessionTimeout.Milliseconds()))
	request = binary.BigEndian.AppendUint64(request, uint64(id))
	request = binary.BigEndian.AppendUint32(request, uint32(len(password)))
	request = append(request, password[:]...)
	request = append(request, 0) // not content with a read-only server
	reply, err := exchange(conn, request)
	if err != nil {
		return fmt.Errorf("take the session over: %w", err)
	}
	// protocol version, time-out, id, password; a read-only flag from 3.4 on
	const fixed = 4 + 4 + 8
	if len(reply) < fixed {
		return fmt.Errorf("take the session over: answer of %d bytes", len(reply))
	}
	got := state.SessionID(binary.BigEndian.Uint64(reply[8:]))
	switch {
	case got == 0 || binary.BigEndian.Uint32(reply[4:]) == 0:
		return ErrSessionUnknown
	case got != id:
		return fmt.Errorf("take the session over: got session %v", got)
	}
	return nil
}

// sendClose closes the session of the connection and waits for the answer,
// which comes after its ephemeral nodes went.
func sendClose(conn net.Conn) error {
	const closeSession = -11 // ZooDefs.OpCode
	request := binary.BigEndian.AppendUint32(nil, 1)
	opcode := int32(closeSession)
	request = binary.BigEndian.AppendUint32(request, uint32(opcode))
	reply, err := exchange(conn, request)
	if err != nil {
		return fmt.Errorf("close the session: %w", err)
	}
	const header = 4 + 8 + 4 // xid, zxid, error
	if len(reply) < header {
		return fmt.Errorf("close the session: answer of %d bytes", len(reply))
	}
	if code := int32(binary.BigEndian.Uint32(reply[12:])); code != 0 {
		return fmt.Errorf("close the session: ZooKeeper error %d", code)
	}
	return nil
}

// exchange sends one packet and reads one, each behind its length.
func exchange(conn net.Conn, request []byte) ([]byte, error) {
	packet := binary.BigEndian.AppendUint32(nil, uint32(len(request)))
	if _, err := conn.Write(append(packet, request...)); err != nil {
		return nil, err
	}
	var length [4]byte
	if _, err := io.ReadFull(conn, length[:]); err != nil {
		return nil, err
	}
	const longest = 1 << 10 // both answers are far shorter
	size := binary.BigEndian.Uint32(length[:])
	if size > longest {
		return nil, fmt.Errorf("answer of %d bytes", size)
	}
	reply := make([]byte, size)
	_, err := io.ReadFull(conn, reply)
	return reply, err
}
