// Package docs has no code of its own. Its tests hold README.md and these pages to
// what is there: what they quote is quoted word for word, what they command is
// run, what they link to exists.
package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = ".."

// block is a fenced block of a page.
type block struct {
	page  string
	line  int
	kind  string            // the first word after the fence
	flags map[string]string // the others: word, or key=value
	lines []string
}

// pages are README.md and everything in this folder, by path from the root.
func pages(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("*.md")
	if err != nil || len(paths) < 8 {
		t.Fatalf("found the pages %v: %v", paths, err)
	}
	all := map[string][]string{}
	for _, path := range append(paths, "../README.md", "../docker/README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Join("docs", path)] = strings.Split(string(text), "\n")
	}
	return all
}

// blocks are the fenced blocks of all pages, in order.
func blocks(t *testing.T) []block {
	t.Helper()
	var all []block
	for page, lines := range pages(t) {
		all = append(all, blocksOf(page, lines)...)
	}
	return all
}

func blocksOf(page string, lines []string) []block {
	var all []block
	var open *block
	for i, line := range lines {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{page: page, line: i + 1, flags: map[string]string{}}
			for n, word := range strings.Fields(info) {
				key, value, _ := strings.Cut(word, "=")
				if n == 0 {
					open.kind = word
				} else {
					open.flags[key] = value
				}
			}
		case fence:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	return all
}

func TestBlocksAreFound(t *testing.T) {
	page := strings.Split("text\n```sh run exit=1\nmake help\n```\n```go file=a.go\nx\n\ny\n```", "\n")
	got := blocksOf("p", page)
	if len(got) != 2 || got[0].kind != "sh" || got[0].flags["exit"] != "1" || got[1].flags["file"] != "a.go" ||
		strings.Join(got[1].lines, "|") != "x||y" || got[1].line != 5 {
		t.Errorf("found %+v", got)
	}
}
