package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestQuotesAreVerbatim: code in a page says which file it is from, and stands
// there, but for its indentation. A line of … leaves something out.
func TestQuotesAreVerbatim(t *testing.T) {
	count := 0
	for _, b := range blocks(t) {
		file, quoted := b.flags["file"]
		if !quoted {
			if slices.Contains([]string{"go", "java", "yaml"}, b.kind) {
				t.Errorf("%s:%d: code of no file: want file=", b.page, b.line)
			}
			continue
		}
		count++
		text, err := os.ReadFile(filepath.Join(root, file))
		if err == nil {
			err = quotes(b.lines, strings.Split(string(text), "\n"))
		}
		if err != nil {
			t.Errorf("%s:%d: %s: %v", b.page, b.line, file, err)
		}
	}
	if count < 5 {
		t.Errorf("looked at %d quotes only", count)
	}
}

// quotes says where a quote leaves the text.
func quotes(quote, text []string) error {
	at := 0
	for part := range split(quote) {
		next := find(part, text[at:])
		if next < 0 {
			return fmt.Errorf("these lines are not there, or not in this order:\n%s", strings.Join(part, "\n"))
		}
		at += next + len(part)
	}
	return nil
}

// split yields the parts between lines of ….
func split(lines []string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		start := 0
		for i := 0; i <= len(lines); i++ {
			if i < len(lines) && strings.TrimSpace(lines[i]) != "…" {
				continue
			}
			if i > start && !yield(lines[start:i]) {
				return
			}
			start = i + 1
		}
	}
}

// find is where the part stands in the text, each line indented by the same more
// than in the part; -1 if nowhere.
func find(part, text []string) int {
	for at := 0; at+len(part) <= len(text); at++ {
		indent, found := strings.CutSuffix(text[at], part[0])
		if !found || strings.Trim(indent, "\t ") != "" {
			continue
		}
		i := 1
		for i < len(part) && (text[at+i] == part[i] || text[at+i] == indent+part[i]) {
			i++
		}
		if i == len(part) {
			return at
		}
	}
	return -1
}

func TestWrongQuotesAreCaught(t *testing.T) {
	text := []string{"func f() {", "\tif a {", "\t\tb()", "\t}", "}"}
	for quote, right := range map[string]bool{
		"if a {\n\tb()\n}":        true,
		"func f() {\n…\n}":        true,
		"if a {\n\tc()\n}":        false,
		"}\n…\nfunc f() {":        false,
		"if a {\nb()\n}":          false,
		"func f() {\n\tb()\n…\n}": false,
	} {
		if err := quotes(strings.Split(quote, "\n"), text); (err == nil) != right {
			t.Errorf("%q: %v", quote, err)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// TestLinksLeadSomewhere looks at links within the repository.
func TestLinksLeadSomewhere(t *testing.T) {
	for page, lines := range pages(t) {
		for i, line := range lines {
			for _, found := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), found[1])); err != nil {
					t.Errorf("%s:%d: %v", page, i+1, err)
				}
			}
		}
	}
}
