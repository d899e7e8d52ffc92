package engine

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// here is the end of a shell on this machine, which takes its output along when it
// is closed, as that of a container does.
type here struct {
	io.WriteCloser
	output *io.PipeReader
}

func (h here) Close() error { return errors.Join(h.WriteCloser.Close(), h.output.Close()) }

func shellHere(t *testing.T) *shell {
	t.Helper()
	command := exec.Command("sh", "-c", "exec sh 2>&1")
	to, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	command.Stdout = writer
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = command.Wait() // also for what it has started
		_ = writer.Close()
	}()
	s := newShell(here{to, reader}, reader, "the-end")
	t.Cleanup(func() { s.close(); <-ended })
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
		{[]string{"sh", "-c", "kill -9 $$"}, "Killed\n", 137},
		{[]string{"echo", "next"}, "next\n", 0}, // and no word of who was killed
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
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := s.run(ctx, []string{"sleep", "2"})
	if !errors.Is(err, errShellEnded) || !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	if !s.dead.Load() {
		t.Error("it lives on")
	}
}

// A context that ends as the command does must not end the next one.
func TestAContextThatEndsLateEndsNoOtherCommand(t *testing.T) {
	for range 50 {
		s := shellHere(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { time.Sleep(time.Millisecond); cancel() }()
		_, _, _ = s.run(ctx, []string{"sleep", "0.001"})
		if s.dead.Load() {
			continue // and another one is opened
		}
		if out, _, err := s.run(t.Context(), []string{"echo", "next"}); err != nil || out != "next\n" {
			t.Fatalf("printed %q, %v", out, err)
		}
	}
}
