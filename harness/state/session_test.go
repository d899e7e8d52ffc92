package state

import (
	"encoding/hex"
	"encoding/json"
	"testing"
)

// The vectors are what java.util.Random gives; the ids of a server whose
// number is 128 or more are negative.
func TestSessionPassword(t *testing.T) {
	for _, test := range []struct{ id, want string }{
		{"0x10000a2b3c40001", "11348a7653c704c4018c84e688b3df1c"},
		{"0x14fa3fc94706a72", "016b7e2be991ee57b0d56c210f8adefc"},
		{"0x300007c1d2e0004", "5c28efe7dd9a0cc14389c6a2bda7b778"},
		{"0xfa3fc94706a72001", "d01d3f410fbebaee40e51d53573d195d"},
		{"0xffffffffffffffff", "20f62cb5648dc2d771471c8a2486a9ee"},
		{"0x8000000000000000", "f22acd4a97e69d6d20a49bb638eadb38"},
		{"0x1", "054cc74a37327db215e702e20c73f005"},
	} {
		id, err := ParseSessionID(test.id)
		if err != nil {
			t.Fatal(err)
		}
		if id.String() != test.id {
			t.Errorf("session %s prints as %v", test.id, id)
		}
		password := SessionPassword(id)
		if got := hex.EncodeToString(password[:]); got != test.want {
			t.Errorf("password of %v is %s, want %s", id, got, test.want)
		}
	}
}

func TestParseSessionIDRefuses(t *testing.T) {
	for _, text := range []string{"", "0x", "1", "10000a2b3c40001", "0xg", "0x10000000000000000", "-0x1", "0x-1"} {
		if id, err := ParseSessionID(text); err == nil {
			t.Errorf("%q was read as session %v", text, id)
		}
	}
}

func TestSessionIDSurvivesJSON(t *testing.T) {
	for _, id := range []SessionID{0, 1, -1, 0x14fa3fc94706a72} {
		data, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		var back SessionID
		if err := json.Unmarshal(data, &back); err != nil || back != id {
			t.Errorf("%v came back as %v from %s (%v)", id, back, data, err)
		}
	}
}
