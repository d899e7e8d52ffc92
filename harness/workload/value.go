package workload

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"regexp"
	"strconv"
)

// runForm is what a run may be called, for its name stands in every value.
var runForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func checkRun(run string) error {
	if !runForm.MatchString(run) {
		return fmt.Errorf("name run %q: want up to 64 letters, digits, - and _", run)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const checkLength = 8 // hexadecimal digits

// AppendValue appends what the record number seq of a client says of itself:
// run/client/seq/check, where the check is the CRC-32C of all the rest. If size
// is greater than that is long, filling makes the value so long.
func AppendValue(b []byte, run string, client int, seq int64, size int) []byte {
	start := len(b)
	b = append(append(b, run...), '/')
	b = append(strconv.AppendInt(b, int64(client), 10), '/')
	b = append(strconv.AppendInt(b, seq, 10), '/')
	head := len(b)
	b = append(b, "00000000"...)
	if missing := size - (len(b) - start); missing > 0 {
		b = append(b, '/')
		for range missing - 1 {
			b = append(b, 'x')
		}
	}
	check := checkOf(b[start:head], b[head+checkLength:])
	hex.Encode(b[head:head+checkLength], []byte{byte(check >> 24), byte(check >> 16), byte(check >> 8), byte(check)})
	return b
}

func checkOf(head, filling []byte) uint32 {
	return crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, filling)
}

// ParseValue reads which client sent a value and as which of its records. It is
// not ok for what is no value of that run, or was changed on its way. A value in
// the quotes that Connect's JSON converter puts around it is read as well.
func ParseValue(run string, value []byte) (client int, seq int64, ok bool) {
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		value = value[1 : n-1]
	}
	whole := value
	if len(value) <= len(run) || string(value[:len(run)]) != run || value[len(run)] != '/' {
		return 0, 0, false
	}
	number, value, ok := cutNumber(value[len(run)+1:])
	if !ok || number < 1 || number > 1<<31-1 {
		return 0, 0, false
	}
	seq, value, ok = cutNumber(value)
	if !ok || len(value) < checkLength {
		return 0, 0, false
	}
	head, filling := whole[:len(whole)-len(value)], value[checkLength:]
	if len(filling) > 0 && filling[0] != '/' {
		return 0, 0, false
	}
	told, err := strconv.ParseUint(string(value[:checkLength]), 16, 32)
	if err != nil || uint32(told) != checkOf(head, filling) {
		return 0, 0, false
	}
	return int(number), seq, true
}

// cutNumber reads a number up to the next slash, and returns what is behind it.
func cutNumber(text []byte) (number int64, rest []byte, ok bool) {
	digits, rest, ok := bytes.Cut(text, []byte{'/'})
	if !ok || len(digits) == 0 || len(digits) > 18 {
		return 0, nil, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, nil, false
		}
		number = number*10 + int64(d-'0')
	}
	return number, rest, true
}
