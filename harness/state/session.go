package state

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// SessionID is the id of a ZooKeeper session. The zero SessionID is no session.
type SessionID int64

// String writes the id as ZooKeeper logs it, unsigned and in hexadecimal.
func (id SessionID) String() string { return fmt.Sprintf("0x%x", uint64(id)) }

// ParseSessionID reads what SessionID.String writes.
func ParseSessionID(text string) (SessionID, error) {
	digits, found := strings.CutPrefix(text, "0x")
	id, err := strconv.ParseUint(digits, 16, 64)
	if !found || err != nil {
		return 0, fmt.Errorf("parse session id %q: want 0x and up to 16 hexadecimal digits", text)
	}
	return SessionID(id), nil
}

// MarshalText writes the id as String does, since its 64 bits do not survive
// as a JSON number.
func (id SessionID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (id *SessionID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseSessionID(string(text))
	return err
}

// PasswordSize is the length of a session's password in bytes.
const PasswordSize = 16

// superSecret is what a ZooKeeper server mixes into a session's id for the seed
// of its password (ZooKeeperServer.superSecret).
const superSecret = 0xB3415C00

// SessionPassword computes the password of a session from its id, as every
// ZooKeeper server from 3.4 to 3.8 does: the first bytes of
// java.util.Random(id XOR secret) (ZooKeeperServer.generatePasswd).
func SessionPassword(id SessionID) [PasswordSize]byte {
	const (
		multiplier = 0x5DEECE66D
		increment  = 0xB
		mask       = 1<<48 - 1
	)
	var password [PasswordSize]byte
	random := (uint64(id) ^ superSecret ^ multiplier) & mask
	for i := 0; i < PasswordSize; i += 4 {
		random = (random*multiplier + increment) & mask
		binary.LittleEndian.PutUint32(password[i:], uint32(random>>16))
	}
	return password
}
