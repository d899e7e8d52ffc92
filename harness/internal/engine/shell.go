package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
)

// shell runs commands one after another in a shell that stays: to start one costs the
// engine a tenth of a second of a processor, and a command in it next to nothing.
type shell struct {
	to   io.WriteCloser
	from *bufio.Reader
	busy chan struct{} // holds a token while a command runs
	mark string        // begins the line after each command's output
	dead atomic.Bool
}

// newShell is a shell that reads commands from to and prints to from. Nobody else
// knows the mark.
func newShell(to io.WriteCloser, from io.Reader, mark string) *shell {
	return &shell{to: to, from: bufio.NewReader(from), busy: make(chan struct{}, 1), mark: mark}
}

// errShellEnded says that a shell ended before its command did.
var errShellEnded = errors.New("the shell ended")

// run runs a command without input, and returns its exit code and what it prints to
// either stream. It must be the only one. When ctx ends, so does the shell.
func (s *shell) run(ctx context.Context, command []string) (out string, code int, err error) {
	stop := context.AfterFunc(ctx, s.close)
	defer func() {
		if err != nil {
			err = errors.Join(err, ctx.Err())
		}
		if !stop() || err != nil { // it closes, or is about to, and must not do so under the next command
			s.close()
		}
	}()
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	if _, err := fmt.Fprintf(s.to, "( exec %s ) </dev/null 2>&1; printf '\\n%%s %%d\\n' %s $?\n", strings.Join(words, " "), s.mark); err != nil {
		return "", 0, fmt.Errorf("%w: %w", errShellEnded, err)
	}
	var printed strings.Builder
	for {
		line, err := s.from.ReadString('\n')
		if err != nil { // what the engine has to say against it comes as output
			return "", 0, fmt.Errorf("%w: %w: %s", errShellEnded, err, tail(printed.String()+line, 3))
		}
		if status, over := strings.CutPrefix(line, s.mark+" "); over {
			code, err := strconv.Atoi(strings.TrimSpace(status))
			return strings.TrimSuffix(printed.String(), "\n"), code, err
		}
		printed.WriteString(line)
	}
}

func (s *shell) close() {
	s.dead.Store(true)
	_ = s.to.Close()
}
