package engine

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// shellHere is a shell on this machine.
func shellHere(t *testing.T) *shell {
	t.Helper()
	command := exec.Command("sh")
	to, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	s := newShell(to, from, "the-end")
	t.Cleanup(func() { s.close(); _ = command.Wait() })
	return s
}

func TestAShellRunsOneCommandAfterAnother(t *testing.T) {
	s := shellHere(t)
	long := strings.Repeat("0123456789\n", 50_000)
	for _, c := range []struct {
		command []string
		out     string
		code    int
	}{
		{[]string{"printf", "no end of line"}, "no end of line", 0},
		{[]string{"printf", "two\nlines\n"}, "two\nlines\n", 0},
		{[]string{"true"}, "", 0},
		{[]string{"sh", "-c", "echo told >&2; exit 3"}, "told\n", 3},
		{[]string{"printf", "%s|%s", `it's "$HOME" \ *`, ""}, `it's "$HOME" \ *|`, 0},
		{[]string{"printf", `\000\377\n\n`}, "\x00\xff\n\n", 0},
		{[]string{"cat"}, "", 0}, // there is nothing to read, and the next command is no input
		{[]string{"printf", "%s", long[:100_000]}, long[:100_000], 0},
	} {
		out, code, err := s.run(t.Context(), c.command)
		if err != nil || code != c.code || out != c.out {
			t.Errorf("%.80q: printed %.80q, code %d, %v; want %.80q, code %d", c.command, out, code, err, c.out, c.code)
		}
	}
}

func TestAShellThatIsGoneSaysSo(t *testing.T) {
	s := shellHere(t)
	if _, _, err := s.run(t.Context(), []string{"sh", "-c", "kill -9 $PPID; sleep 0.1"}); !errors.Is(err, errShellEnded) {
		t.Errorf("of a shell that was killed: %v", err)
	}
	if !s.dead.Load() {
		t.Error("the shell is not taken for dead")
	}
}

func TestAShellEndsWithItsContext(t *testing.T) {
	s := shellHere(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := s.run(ctx, []string{"sleep", "0.2"})
	if !s.dead.Load() {
		t.Errorf("it lives on after %v", err)
	}
}
