package harness

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// pure names the packages that may import the standard library and each other
// only.
var pure = []string{"harness/topology", "harness/state", "harness/history", "harness/report", "faults", "assertions"}

// TestImportsFollowTheDesign holds the arrows of the design for what is built
// into users' programs; tests may import what they test.
func TestImportsFollowTheDesign(t *testing.T) {
	files := 0
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if reason := forbidden(path.Dir(name), imported); reason != "" {
				t.Errorf("%s imports %s: %s", name, imported, reason)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("looked at %d files only", files)
	}
}

func forbidden(folder, imported string) string {
	ours := strings.HasPrefix(imported, "kafkachaos/")
	switch {
	case folder == "assertions" && strings.HasPrefix(imported, "github.com/onsi/gomega/"):
		return "" // its types, so that gomega can use the matchers
	case isPure(folder) && ours && !isPure(strings.TrimPrefix(imported, "kafkachaos/")):
		return "a pure package imports the standard library and pure packages only"
	case isPure(folder) && !ours && strings.Contains(strings.Split(imported, "/")[0], "."):
		return "a pure package imports the standard library and pure packages only"
	case strings.HasPrefix(imported, "github.com/onsi/") && folder != "scenarios":
		return "ginkgo and gomega live in scenarios"
	case (strings.HasPrefix(imported, "github.com/testcontainers/") || strings.HasPrefix(imported, "github.com/moby/")) &&
		folder != "harness/internal/engine":
		return "only internal/engine runs containers"
	case strings.HasPrefix(imported, "github.com/Shopify/toxiproxy") && folder != "harness/internal/mesh" &&
		!strings.HasPrefix(folder, "docker/toxiproxy"):
		return "only internal/mesh speaks to proxies"
	}
	return ""
}

func isPure(folder string) bool {
	for _, p := range pure {
		if folder == p || strings.HasPrefix(folder, p+"/") {
			return true
		}
	}
	return false
}

func TestForbiddenImportsAreCaught(t *testing.T) {
	for _, bad := range [][2]string{
		{"faults", "kafkachaos/harness"},
		{"faults", "github.com/twmb/franz-go/pkg/kgo"},
		{"harness/state", "kafkachaos/harness/witness"},
		{"harness", "github.com/onsi/gomega"},
		{"harness", "github.com/moby/moby/client"},
		{"harness/witness", "github.com/Shopify/toxiproxy/v2/client"},
	} {
		if forbidden(bad[0], bad[1]) == "" {
			t.Errorf("%s may import %s", bad[0], bad[1])
		}
	}
}
