package workload

import (
	"strings"
	"testing"
)

func TestValuesSayWhatTheyAre(t *testing.T) {
	for _, size := range []int{0, 30, 500} {
		value := AppendValue(nil, "if7agi", 3, 345, size)
		if len(value) < size || size > 30 && len(value) != size {
			t.Errorf("%q is %d bytes, want %d", value, len(value), size)
		}
		for _, text := range []string{string(value), `"` + string(value) + `"`} {
			if client, seq, ok := ParseValue("if7agi", []byte(text)); client != 3 || seq != 345 || !ok {
				t.Errorf("%s: client %d, seq %d, %t", text, client, seq, ok)
			}
		}
	}
}

// TestEveryFlippedBitIsSeen: a check that could be passed by chance would hide
// corruption.
func TestEveryFlippedBitIsSeen(t *testing.T) {
	value := AppendValue(nil, "if7agi", 3, 345, 40)
	for i := range value {
		for bit := range 8 {
			bad := append([]byte(nil), value...)
			bad[i] ^= 1 << bit
			if client, seq, ok := ParseValue("if7agi", bad); ok && !strings.EqualFold(string(bad), string(value)) {
				t.Errorf("%q was read as client %d, seq %d", bad, client, seq)
			}
		}
	}
}

func TestWhatIsNoValueIsNotRead(t *testing.T) {
	good := string(AppendValue(nil, "r", 3, 345, 40))
	for _, bad := range []string{"", `""`, `"`, "probe", "r", "r/", "r/3", "r/3/345", "r/3/345/", "r/3/345/0000000", "r/0/1/00000000",
		"other" + good[1:], good[:len(good)-1], good + "x", `"` + good, "r/-3/5/00000000", "r/99999999999999999999/5/00000000"} {
		if client, seq, ok := ParseValue("r", []byte(bad)); ok {
			t.Errorf("%q was read as client %d, seq %d", bad, client, seq)
		}
	}
	if _, _, ok := ParseValue("r", []byte(good)); !ok {
		t.Errorf("%q was not read", good)
	}
}

func TestRunsHaveNamesThatFitIntoValues(t *testing.T) {
	for run, good := range map[string]bool{"if7agi": true, "a-b_C9": true, "": false, "a/b": false, "a b": false, strings.Repeat("a", 65): false} {
		if err := checkRun(run); (err == nil) != good {
			t.Errorf("%q: %v", run, err)
		}
	}
}

func FuzzParseValue(f *testing.F) {
	f.Add([]byte(`"r/3/345/1c291ca3"`))
	f.Add(AppendValue(nil, "r", 3, 345, 40))
	f.Fuzz(func(t *testing.T, text []byte) {
		client, seq, ok := ParseValue("r", text)
		if ok && (client < 1 || seq < 0) {
			t.Errorf("%q: client %d, seq %d", text, client, seq)
		}
	})
}
