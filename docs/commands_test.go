package docs

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestCommandsAreRun: each command of a block "sh run" is run here, ends as the
// page says (exit=1), and prints what the page shows in a block "output" behind
// it. Any other command is one of make whose target CI runs, or of tests that
// make test runs.
func TestCommandsAreRun(t *testing.T) {
	ci := targets(t)
	all, ran := blocks(t), 0
	for i, b := range all {
		if b.kind != "sh" {
			continue
		}
		if _, run := b.flags["run"]; !run {
			for _, line := range b.lines {
				if err := check(t, ci, line); err != nil {
					t.Errorf("%s:%d: %q: %v", b.page, b.line, line, err)
				}
			}
			continue
		}
		ran++
		said := runIn(t, b)
		if i+1 < len(all) && all[i+1].page == b.page && all[i+1].kind == "output" {
			if err := quotes(all[i+1].lines, said); err != nil {
				t.Errorf("%s:%d: %v\nall it says:\n%s", b.page, b.line, err, strings.Join(said, "\n"))
			}
		}
	}
	if ran < 3 {
		t.Errorf("ran %d blocks only", ran)
	}
}

// runIn runs a block as a whole and returns the lines that it prints.
func runIn(t *testing.T, b block) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", strings.Join(b.lines, "\n"))
	command.Dir = root
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") })
	output, err := command.CombinedOutput()
	want, _ := strconv.Atoi(b.flags["exit"])
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == want {
		err = nil
	}
	if err != nil {
		t.Errorf("%s:%d: %v, want exit code %d\n%s", b.page, b.line, err, want, output)
	}
	return strings.Split(string(output), "\n")
}

var target = regexp.MustCompile(`\bmake ((?:-s )?)([a-z-]+)`)

// targets are those of make that CI runs, here or in the workflows.
func targets(t *testing.T) map[string]bool {
	t.Helper()
	scripts, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("found the workflows %v: %v", scripts, err)
	}
	found := map[string]bool{}
	for _, script := range append(scripts, filepath.Join(root, ".ci/run")) {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(string(text), -1) {
			found[m[2]] = true
		}
	}
	return found
}

// variable is an assignment on a command line.
var variable = regexp.MustCompile(`\b([A-Z_]+)=('[^']*'|\S*)`)

// tests is a command that runs some tests of a package.
var tests = regexp.MustCompile(`^go test -run '?([A-Za-z|]+)'? \./([a-z/]+)$`)

// check says what is wrong with a command that is run elsewhere.
func check(t *testing.T, ci map[string]bool, line string) error {
	t.Helper()
	command, _, _ := strings.Cut(line, "  #")
	command = strings.TrimSpace(command)
	if some := tests.FindStringSubmatch(command); some != nil {
		return checkTests(some[1], some[2])
	}
	at := target.FindStringSubmatch(command)
	switch {
	case command == "":
		return nil
	case at == nil || !ci[at[2]]:
		return errors.New("CI does not run it: say sh run, or let it")
	}
	return checkVariables(t, command)
}

// checkTests looks for the tests in the package.
func checkTests(names, folder string) error {
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		return err
	}
	var sources strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		sources.Write(text)
	}
	for name := range strings.SplitSeq(names, "|") {
		if !strings.Contains(sources.String(), "\nfunc "+name+"(") {
			return fmt.Errorf("%s has no test %s", folder, name)
		}
	}
	return nil
}

// checkVariables looks for the variables in the Makefile, and for scenarios of
// the title that is asked for.
func checkVariables(t *testing.T, command string) error {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return err
	}
	for _, v := range variable.FindAllStringSubmatch(command, -1) {
		if !regexp.MustCompile(`(?m)^` + v[1] + ` *\?=|\(` + v[1] + `[),]`).Match(makefile) {
			return fmt.Errorf("make uses no variable %s", v[1])
		}
		if v[1] == "FOCUS" && !slices.ContainsFunc(titles(t), regexp.MustCompile(strings.Trim(v[2], "'")).MatchString) {
			return errors.New("no scenario has such a title")
		}
	}
	return nil
}

func TestWrongCommandsAreCaught(t *testing.T) {
	ci := map[string]bool{"chaos": true}
	for command, right := range map[string]bool{
		"make chaos FOCUS='black hole' SEED=7  # said why": true,
		"go test -run TestWrongCommandsAreCaught ./docs":   true,
		"make bench-boot":                false,
		"make chaos FOCUS='black whole'": false,
		"make chaos SEEDS=7":             false,
		"go test -run 'TestBlocksAreFound|TestOfNothing' ./docs": false,
		"rm -rf out": false,
	} {
		if err := check(t, ci, command); (err == nil) != right {
			t.Errorf("%q: %v", command, err)
		}
	}
}

// titles are those of all scenarios, as far as they are literals.
func titles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "scenarios/*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found the scenarios %v: %v", files, err)
	}
	var all []string
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, titlesIn(tree, "")...)
	}
	return all
}

func titlesIn(node ast.Node, outer string) (all []string) {
	ast.Inspect(node, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		name, _ := call.Fun.(*ast.Ident)
		literal, _ := call.Args[0].(*ast.BasicLit)
		if name == nil || literal == nil || !slices.Contains([]string{"Describe", "Context", "It"}, name.Name) {
			return true
		}
		text, _ := strconv.Unquote(literal.Value)
		title := strings.TrimSpace(outer + " " + text)
		if name.Name == "It" {
			all = append(all, title)
			return false
		}
		for _, arg := range call.Args[1:] {
			all = append(all, titlesIn(arg, title)...)
		}
		return false
	})
	return all
}
