package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const losses = "../../invariant/testdata/losses"

// TestReplayPrintsTheVerdictOfTheRun, byte for byte, and writes nothing: not
// even where it could.
func TestReplayPrintsTheVerdictOfTheRun(t *testing.T) {
	before := folder(t)
	want, err := os.ReadFile(filepath.Join(losses, "verdict.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out, diagnostics bytes.Buffer
	if code := run([]string{losses}, &out, &diagnostics); code != failed || out.String() != string(want) || diagnostics.Len() > 0 {
		t.Errorf("ended with %d, %s\n%s\nwant\n%s", code, &diagnostics, &out, want)
	}
	if after := folder(t); after != before {
		t.Errorf("the folder has now\n%s\nand had\n%s", after, before)
	}
}

// folder lists what is in the recorded run.
func folder(t *testing.T) (list string) {
	entries, err := os.ReadDir(losses)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintln(info.Name(), info.Size(), info.ModTime())
	}
	return list
}

func TestReplayTellsHowItEnded(t *testing.T) {
	recorded, err := os.ReadFile(filepath.Join(losses, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(recorded), "\n")
	recording := func(text, verdict string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"history.jsonl": text, "verdict.txt": verdict} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); text != "" && err != nil {
				t.Fatal(err)
			}
		}
		if verdict == "" {
			_ = os.Remove(filepath.Join(dir, "verdict.txt"))
		}
		return dir
	}
	tests := map[string]struct {
		dirs []string
		code int
		say  string
	}{
		"fails":                 {[]string{losses}, failed, ""},
		"inconclusive":          {[]string{recording(strings.Join(lines[:6], ""), "")}, inconclusive, ""},
		"not there":             {[]string{t.TempDir()}, unjudged, "no such file"},
		"empty":                 {[]string{recording("", "")}, unjudged, "empty"},
		"in the middle broken":  {[]string{recording(lines[0]+"oops\n"+lines[1], "")}, unjudged, "line 2"},
		"contradicts itself":    {[]string{recording(lines[0]+lines[len(lines)-5], "")}, unjudged, "contradicts"},
		"judged otherwise then": {[]string{recording(strings.Join(lines[:6], ""), "run if7agi: pass\n")}, failed, "another one"},
		"no folder":             {nil, unjudged, "usage"},
		"the worst of two":      {[]string{losses, t.TempDir()}, unjudged, "no such file"},
		"failed is worse":       {[]string{recording(strings.Join(lines[:6], ""), ""), losses}, failed, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out, diagnostics bytes.Buffer
			code := run(test.dirs, &out, &diagnostics)
			if code != test.code || !strings.Contains(diagnostics.String(), test.say) || (test.say == "") != (diagnostics.Len() == 0) {
				t.Errorf("ended with %d, want %d: %s\n%s", code, test.code, &diagnostics, &out)
			}
		})
	}
}
