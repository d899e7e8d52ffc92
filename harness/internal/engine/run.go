package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"
)

func (p *dockerProcess) Run(ctx context.Context, command ...string) (string, error) {
	out, code, err := p.execute(ctx, command)
	if err != nil {
		return "", fmt.Errorf("run %s in %s: %w", command[0], p.name, err)
	}
	if code != 0 {
		return out, fmt.Errorf("run %s in %s: exit code %d: %s", command[0], p.name, code, strings.TrimSpace(out))
	}
	return out, nil
}

// execute runs a command in the process's shell, or beside it while that is busy.
func (p *dockerProcess) execute(ctx context.Context, command []string) (out string, code int, err error) {
	if err := ctx.Err(); err != nil {
		return "", 0, err // and leave the shell alone
	}
	s, err := p.take(ctx)
	switch {
	case err != nil:
		return "", 0, err
	case s == nil:
		return p.exec(ctx, command)
	}
	defer func() { <-s.busy }()
	return s.run(ctx, command)
}

func (p *dockerProcess) exec(ctx context.Context, command []string) (printed string, code int, err error) {
	made, err := p.client.ExecCreate(ctx, p.id, client.ExecCreateOptions{
		Cmd: command, AttachStdout: true, AttachStderr: true})
	if err != nil {
		return "", 0, err
	}
	attached, err := p.client.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return "", 0, err
	}
	defer attached.Close()
	stop := context.AfterFunc(ctx, attached.Close) // the stream itself hears no context
	defer stop()
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, attached.Reader); err != nil {
		return "", 0, errors.Join(err, ctx.Err())
	}
	end, err := p.client.ExecInspect(ctx, made.ID, client.ExecInspectOptions{})
	return out.String(), end.ExitCode, err
}

// take is the process's shell, for one command, unless that runs another: then nil.
// It is a new one where there is none that lives.
func (p *dockerProcess) take(ctx context.Context) (*shell, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shell == nil || p.shell.dead.Load() {
		opened, err := p.open(ctx)
		if err != nil {
			return nil, err
		}
		p.shell = opened
	}
	select {
	case p.shell.busy <- struct{}{}:
		return p.shell, nil
	default:
		return nil, nil
	}
}

// open starts a shell beside the process. It ends with the process. What it says
// itself comes in order with what commands print, not with the next command.
func (p *dockerProcess) open(ctx context.Context) (*shell, error) {
	made, err := p.client.ExecCreate(ctx, p.id, client.ExecCreateOptions{
		Cmd: []string{"sh", "-c", "exec sh 2>&1"}, AttachStdin: true, AttachStdout: true, AttachStderr: true})
	if err != nil {
		return nil, err
	}
	attached, err := p.client.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	s := newShell(attachment{attached.HijackedResponse, reader}, reader, "end-of-"+made.ID)
	go func() {
		_, err := stdcopy.StdCopy(writer, writer, attached.Reader)
		s.dead.Store(true)
		writer.CloseWithError(err) // EOF for nil
	}()
	return s, nil
}

// attachment is a shell's input, which takes its output along when it is closed.
type attachment struct {
	client.HijackedResponse
	output *io.PipeReader
}

func (a attachment) Write(text []byte) (int, error) { return a.Conn.Write(text) }

func (a attachment) Close() error {
	a.HijackedResponse.Close()
	return a.output.Close()
}

// closeShell ends the shell, if there is one.
func (p *dockerProcess) closeShell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shell != nil {
		p.shell.close()
		p.shell = nil
	}
}
