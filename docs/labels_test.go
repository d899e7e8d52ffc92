package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// What scenarios are labelled with, for LABELS to choose by.
var (
	areas = []string{"zookeeper", "controller", "replication", "clients", "connect", "plan"}
	kinds = []string{"administration", "bandwidth", "blackhole", "block", "close", "cpu", "crashloop", "cut", "delay", "drawn", "election", "evict", "expire",
		"fail", "file", "flap", "hold", "kill", "operator", "pause", "phantom", "reassign", "reset", "restart", "swallow", "terminate"}
	roles = []string{"broker", "clients", "controller", "coordinator", "follower", "group", "leader", "worker", "zookeeper", "plan"}
	links = []string{"broker-broker", "broker-zookeeper", "client-broker", "worker-broker", "zookeeper-zookeeper"}
	// ofLinks are the kinds of faults that links alone have.
	ofLinks = []string{"bandwidth", "blackhole", "close", "cut", "delay", "flap", "hold", "reset", "swallow"}
)

// TestObligationsAreLabelled: each scenario of the catalogue by its area, the kinds of
// its faults, whom they befall, and the links if they are of links.
func TestObligationsAreLabelled(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "scenarios", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		eachScenario(file, nil, func(title string, labels []string) {
			if has(labels, []string{"harness", "faults"}) {
				return
			}
			found++
			for what, known := range map[string][]string{"area": areas, "kind of fault": kinds, "role": roles} {
				if !has(labels, known) {
					t.Errorf("%s: %q has no label of its %s: it has %v", filepath.Base(path), title, what, labels)
				}
			}
			if has(labels, ofLinks) && !has(labels, links) {
				t.Errorf("%s: %q has no label of its links: it has %v", filepath.Base(path), title, labels)
			}
		})
	}
	if found < 90 {
		t.Errorf("there are %d scenarios", found)
	}
}

func has(labels, any []string) bool {
	return slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(any, l) })
}

// eachScenario finds the scenarios below a node, with the labels that they are given
// or inherit.
func eachScenario(below ast.Node, inherited []string, found func(title string, labels []string)) {
	ast.Inspect(below, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is {
			return true
		}
		name, is := call.Fun.(*ast.Ident)
		if !is || !slices.Contains([]string{"Describe", "DescribeTable", "It", "Entry"}, name.Name) {
			return true
		}
		title, labels := "", slices.Clone(inherited)
		for i, arg := range call.Args {
			if text, is := arg.(*ast.BasicLit); is && i == 0 {
				title, _ = strconv.Unquote(text.Value)
			}
			if label, is := arg.(*ast.CallExpr); is {
				if name, is := label.Fun.(*ast.Ident); is && name.Name == "Label" {
					labels = append(labels, literals(label.Args)...)
				}
			}
		}
		if name.Name == "It" || name.Name == "Entry" {
			found(title, labels)
			return false
		}
		for _, arg := range call.Args {
			eachScenario(arg, labels, found)
		}
		return false
	})
}

func literals(args []ast.Expr) (all []string) {
	for _, arg := range args {
		if text, is := arg.(*ast.BasicLit); is {
			value, _ := strconv.Unquote(text.Value)
			all = append(all, value)
		}
	}
	return all
}
