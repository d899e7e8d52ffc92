package history

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryLineIsInTheFileAtOnce: what another process would read after a crash.
func TestEveryLineIsInTheFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", FileName)
	h, err := Create(path, Header{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	// The lines of windows and pages that end with, before and behind a line.
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

func TestAFileThatCannotBeMappedIsAnError(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	h := New(&mapped{file: file}, Header{})
	if h.Err() == nil || h.Close() == nil {
		t.Errorf("error %v", h.Err())
	}
}
