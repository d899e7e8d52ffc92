package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestEveryLineIsInTheFileAtOnce: what another process would read after a crash.
func TestEveryLineIsInTheFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", FileName)
	h, err := Create(path, Header{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, length := range []int{10, 4000, 100_000, windowSize - 60, 2*windowSize + 1, 1, 3 * windowSize, 7} {
		h.Reading(Reading{Of: "a line", Text: strings.Repeat("x", length)})
		want++
		if count, whole := readFile(t, path); count != want || whole {
			t.Fatalf("after %d characters: %d lines, want %d; whole: %t", length, count, want, whole)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if count, whole := readFile(t, path); count != want || !whole {
		t.Errorf("after all %d lines, want %d; whole: %t", count, want, whole)
	}
}

// readFile counts the events in a file, and says whether it ends with a line.
func readFile(t *testing.T, path string) (count int, whole bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	return count, !r.Torn()
}

// TestLinesMeetTheEndsOfWindows: some end with a window, before it and behind it.
func TestLinesMeetTheEndsOfWindows(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	m := &mapped{file: file}
	var want []byte
	for i, length := range []int{windowSize, 1, windowSize - 1, windowSize - 1, 2, windowSize - 2, windowSize, 3*windowSize + 1, 7} {
		line := bytes.Repeat([]byte{'a' + byte(i)}, length)
		want = append(want, line...)
		if n, err := m.Write(line); n != length || err != nil {
			t.Fatalf("wrote %d of %d: %v", n, length, err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(got, want) || len(bytes.Trim(got[len(want):], "\x00")) > 0 {
			t.Fatalf("after line %d the file has %d characters and not what was written: %v", i, len(got), err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("it has %d characters, want %d: %v", len(got), len(want), err)
	}
}

// TestAFileThatCannotBeWrittenIsAnError: not at all, or not through memory; and it
// is closed all the same.
func TestAFileThatCannotBeWrittenIsAnError(t *testing.T) {
	for how, want := range map[int]error{os.O_RDONLY: syscall.EBADF, os.O_RDWR: syscall.ENODEV} {
		file, err := os.OpenFile(os.DevNull, how, 0)
		if err != nil {
			t.Fatal(err)
		}
		h := New(&mapped{file: file}, Header{})
		if err := h.Err(); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		if err := h.Close(); !errors.Is(err, want) {
			t.Errorf("close: %v, want %v", err, want)
		}
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("the file was left open: %v", err)
		}
	}
}
