package state

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Socket is one TCP socket of a node's network, as its kernel lists it.
type Socket struct {
	Local, Remote netip.AddrPort // IPv4 as such, also where the socket is an IPv6 one
	State         string         // such as ESTABLISHED; the kernel's number if it has no name here
}

func (s Socket) String() string {
	return fmt.Sprintf("a socket %v→%v in %s", s.Local, s.Remote, s.State)
}

// Established says that the socket is an open connection.
func (s Socket) Established() bool { return s.State == "ESTABLISHED" }

// Listening says that the socket waits for connections.
func (s Socket) Listening() bool { return s.State == "LISTEN" }

// socketStates are the states of include/net/tcp_states.h.
var socketStates = map[string]string{
	"01": "ESTABLISHED", "02": "SYN_SENT", "03": "SYN_RECV", "04": "FIN_WAIT1", "05": "FIN_WAIT2", "06": "TIME_WAIT",
	"07": "CLOSE", "08": "CLOSE_WAIT", "09": "LAST_ACK", "0A": "LISTEN", "0B": "CLOSING", "0C": "NEW_SYN_RECV",
}

// ParseSockets reads /proc/net/tcp or /proc/net/tcp6, or one behind the other,
// of a little-endian machine. Text without the kernel's heading is refused: it
// is not a node without sockets.
func ParseSockets(text string) ([]Socket, error) {
	var all []Socket
	headed := false
	number := 0
	for line := range strings.Lines(text) {
		number++
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
			continue
		case fields[0] == "sl":
			headed = true
			continue
		case !headed:
			return nil, fmt.Errorf("parse sockets: line %d %q: no heading before it", number, strings.TrimSpace(line))
		}
		socket, err := parseSocket(fields)
		if err != nil {
			return nil, fmt.Errorf("parse sockets: line %d %q: %w", number, strings.TrimSpace(line), err)
		}
		all = append(all, socket)
	}
	if !headed {
		return nil, errors.New("parse sockets: no heading")
	}
	return all, nil
}

func parseSocket(fields []string) (s Socket, err error) {
	const needed = 4 // number, local, remote, state; the rest is not read
	if len(fields) < needed || !strings.HasSuffix(fields[0], ":") {
		return s, errors.New("want NUMBER: LOCAL REMOTE STATE …")
	}
	if s.Local, err = parseKernelAddress(fields[1]); err != nil {
		return s, err
	}
	if s.Remote, err = parseKernelAddress(fields[2]); err != nil {
		return s, err
	}
	if len(fields[3]) != 2 {
		return s, fmt.Errorf("state %q has not two digits", fields[3])
	}
	if s.State = socketStates[fields[3]]; s.State == "" {
		s.State = fields[3]
	}
	return s, nil
}

// parseKernelAddress reads the address as the kernel writes it: words of 32 bits
// in the byte order of the machine, in hexadecimal, and the port.
func parseKernelAddress(text string) (netip.AddrPort, error) {
	digits, port, _ := strings.Cut(text, ":")
	words, err := hex.DecodeString(digits)
	if err != nil || len(words) != 4 && len(words) != 16 {
		return netip.AddrPort{}, fmt.Errorf("address %q has not 8 or 32 hexadecimal digits", text)
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil || len(port) != 4 {
		return netip.AddrPort{}, fmt.Errorf("address %q has no port of 4 hexadecimal digits", text)
	}
	for i := 0; i < len(words); i += 4 {
		binary.BigEndian.PutUint32(words[i:], binary.LittleEndian.Uint32(words[i:]))
	}
	addr, _ := netip.AddrFromSlice(words)
	return netip.AddrPortFrom(addr.Unmap(), uint16(number)), nil
}
