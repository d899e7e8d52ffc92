package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/internal/engine"
	"kafkachaos/harness/state"
	"kafkachaos/harness/topology"
	"kafkachaos/harness/witness"
)

func TestAFailingCollectorHidesNothing(t *testing.T) {
	folder := t.TempDir()
	pieces := []piece{
		{"half.txt", "half of it", func(context.Context) (string, error) { return "half", errors.New("torn") }},
		{"whole.txt", "all of it", func(context.Context) (string, error) { return "whole", nil }},
	}
	var errs []error
	for _, piece := range pieces {
		errs = append(errs, piece.write(t.Context(), folder))
	}
	for file, want := range map[string]string{"half.txt": "half", "whole.txt": "whole"} {
		if text, err := os.ReadFile(filepath.Join(folder, file)); err != nil || string(text) != want {
			t.Errorf("%s has %q, %v", file, text, err)
		}
	}
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "collect half.txt: torn") || errs[1] != nil {
		t.Errorf("errors %v", errs)
	}
	told := index(folder, pieces, errs)
	for _, part := range []string{"half.txt ", "half of it", "not in full: collect half.txt: torn", "whole.txt ", "all of it"} {
		if !strings.Contains(told, part) {
			t.Errorf("the index has no %q:\n%s", part, told)
		}
	}
}

func TestACollectorThatIsSilentIsGivenUp(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		silent := piece{"silent.txt", "", func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }}
		if err := silent.write(t.Context(), folder); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != collectBound {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

func TestEvidenceHasTheDumpsOfTheSymptoms(t *testing.T) {
	c := scriptedCluster(t, &scripted{state: engine.State{Running: true, Raw: `{"Pid":7}`}, log: "some words\n"})
	dumps := state.ParseThreadDumps(topology.WorkerNode(1), strings.Repeat(dumpOfOne, 3))
	folder := filepath.Join(t.TempDir(), "made")
	err := c.Evidence(t.Context(), folder, state.Symptoms{Nodes: []state.NodeSymptoms{{Node: topology.WorkerNode(1), Dumps: dumps}}})
	if err != nil {
		t.Fatal(err)
	}
	for file, parts := range map[string][]string{
		"worker-1.log":         {"some words"},
		"containers.json":      {`"worker-1": {`, `"Pid": 7`},
		"worker-1.threads.txt": {"3 dumps", "task-thread-sink-0 waits for a latch", "\tat org.example.Sink.put(Sink.java:12)"},
		"versions.txt":         {"Kafka of each broker: 3.9.2", "Java of worker-1: OpenJDK"},
		"topology.txt":         {"broker-1"},
		IndexName:              {"worker-1.threads.txt", "3 dumps", "broker-1.properties"},
	} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		for _, part := range parts {
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s has no %q: %v\n%s", file, part, err, text)
			}
		}
	}
}

// fakeTree is a tree of ZooKeeper, by path.
type fakeTree map[string]state.ZNode

func (f fakeTree) Get(_ context.Context, at string) (state.ZNode, error) {
	node, found := f[at]
	node.Path, node.Exists = at, found
	return node, nil
}

func (f fakeTree) Children(_ context.Context, at string) (names []string, err error) {
	if _, found := f[at]; !found {
		return nil, fmt.Errorf("list: %w", witness.ErrNoNode)
	}
	for name := range f {
		if path.Dir(name) == at {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func TestTheTreeIsToldWithDataAndOwners(t *testing.T) {
	w := treeWalk{zookeeper: fakeTree{"/brokers": {}, "/brokers/ids": {}, "/brokers/ids/1": {Owner: 0xabc, Data: []byte(`{"host":"broker-1"}`)}}}
	for _, root := range []string{"/brokers", "/admin"} {
		if err := w.walk(t.Context(), root); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for line := range strings.Lines(w.text.String()) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	want := []string{"/brokers exists", "/brokers/ids exists", "/brokers/ids/1 exists, owned by session 0xabc", `    {"host":"broker-1"}`, "/admin is absent"}
	if len(lines) != len(want) {
		t.Fatalf("told %q", lines)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want[i])
		}
	}

	endless := treeWalk{zookeeper: w.zookeeper, count: treeBound}
	if err := endless.walk(t.Context(), "/brokers"); err == nil {
		t.Error("a tree without end is read")
	}
}

func TestTheMiddleOfALongLogIsLeftOut(t *testing.T) {
	for _, test := range []struct {
		parts []string
		want  string
	}{
		{nil, ""},
		{[]string{"abcd"}, "abcd"},
		{[]string{"abcdefgh"}, "abcdefgh"},
		{[]string{"abcdefghi"}, "abcd\n[1 bytes are left out here]\nfghi"},
		{[]string{"ab", "cdefg", "hi", "jklmnopqrstuvwxyz", "0"}, "abcd\n[19 bytes are left out here]\nxyz0"},
	} {
		log := middleCut{limit: 8}
		for _, part := range test.parts {
			if n, err := log.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("wrote %d of %q, %v", n, part, err)
			}
		}
		for range 2 {
			if got := log.String(); got != test.want {
				t.Errorf("%q are kept as %q, want %q", test.parts, got, test.want)
			}
		}
	}
}

func TestIndentedTouchesJSONOnly(t *testing.T) {
	for text, want := range map[string]string{`{"a":1}`: "{\n  \"a\": 1\n}", "<html>": "<html>"} {
		if got := indented(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
