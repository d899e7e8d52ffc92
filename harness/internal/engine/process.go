package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// dockerProcess is a container of ours.
type dockerProcess struct {
	name   string // of the program
	id     string
	client *client.Client
	mu     sync.Mutex
	shell  *shell // the last one that was opened, if any
}

var _ Process = (*dockerProcess)(nil)

func (p *dockerProcess) Start(ctx context.Context) error {
	p.closeShell() // it ended with the process, but that may not be known yet
	if _, err := p.client.ContainerStart(ctx, p.id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("start %s: %w", p.name, explain(err))
	}
	return nil
}

func (p *dockerProcess) Signal(ctx context.Context, signal string) error {
	_, err := p.client.ContainerKill(ctx, p.id, client.ContainerKillOptions{Signal: signal})
	if err != nil {
		return fmt.Errorf("send %s to %s: %w", signal, p.name, err)
	}
	return nil
}

func (p *dockerProcess) SetPaused(ctx context.Context, paused bool) error {
	state, err := p.State(ctx)
	switch {
	case err != nil:
		return err
	case state.Paused == paused:
		return nil
	case paused:
		err = freeze(ctx, func() error {
			_, err := p.client.ContainerPause(ctx, p.id, client.ContainerPauseOptions{})
			return err
		})
		p.closeShell() // it freezes, too
	default:
		_, err = p.client.ContainerUnpause(ctx, p.id, client.ContainerUnpauseOptions{})
	}
	if err != nil {
		return fmt.Errorf("set %s paused=%t: %w", p.name, paused, err)
	}
	return nil
}

// freezing is how long a process is tried to be frozen.
const freezing = 5 * time.Second

// freeze asks for a freeze again as long as that does not succeed. With cgroups v1 a
// kernel may not freeze a busy process in the time that runc gives it, which then
// thaws what it has frozen of it (runc 1.1.5, libcontainer/cgroups/fs/freezer.go;
// seen on two cores).
func freeze(ctx context.Context, ask func() error) error {
	for begun := time.Now(); ; {
		err := ask()
		if err == nil || !strings.Contains(err.Error(), "unable to freeze") || time.Since(begun) > freezing {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (p *dockerProcess) LimitCPU(ctx context.Context, processors float64) error {
	const period = 100_000 // microseconds, the kernel's default
	quota := int64(-1)
	if processors > 0 {
		quota = int64(processors * period)
	}
	_, err := p.client.ContainerUpdate(ctx, p.id, client.ContainerUpdateOptions{
		Resources: &container.Resources{CPUPeriod: period, CPUQuota: quota}})
	if err != nil {
		return fmt.Errorf("limit %s to %g processors: %w", p.name, processors, err)
	}
	return nil
}

func (p *dockerProcess) State(ctx context.Context) (State, error) {
	seen, err := p.client.ContainerInspect(ctx, p.id, client.ContainerInspectOptions{})
	if err != nil {
		return State{}, fmt.Errorf("inspect %s: %w", p.name, err)
	}
	s := seen.Container.State
	state := State{Running: s.Running, Paused: s.Paused, ExitCode: s.ExitCode, OutOfMem: s.OOMKilled, Pid: s.Pid,
		Raw: string(seen.Raw)}
	state.StartedAt, _ = time.Parse(time.RFC3339Nano, s.StartedAt)
	state.EndedAt, _ = time.Parse(time.RFC3339Nano, s.FinishedAt)
	if host := seen.Container.HostConfig; host != nil && host.CPUQuota > 0 && host.CPUPeriod > 0 {
		state.Processors = float64(host.CPUQuota) / float64(host.CPUPeriod)
	}
	return state, nil
}

// lately is how many lines at the end of a log are looked at for those since some
// time: several thread dumps. Without it the engine reads the log from its
// beginning, which takes it 4.5 s of 127 MB, instead of 0.2 s.
const lately = "20000"

func (p *dockerProcess) Logs(ctx context.Context, since time.Time, to io.Writer) error {
	var options client.ContainerLogsOptions
	if !since.IsZero() {
		options.Since, options.Tail = since.Format(time.RFC3339Nano), lately
	}
	return p.printed(ctx, options, to)
}

func (p *dockerProcess) Tail(ctx context.Context, lines int) (string, error) {
	var log bytes.Buffer
	err := p.printed(ctx, client.ContainerLogsOptions{Tail: strconv.Itoa(lines)}, &log)
	return strings.TrimRight(log.String(), "\n"), err
}

func (p *dockerProcess) printed(ctx context.Context, options client.ContainerLogsOptions, to io.Writer) error {
	options.ShowStdout, options.ShowStderr = true, true
	stream, err := p.client.ContainerLogs(ctx, p.id, options)
	if err != nil {
		return fmt.Errorf("read the log of %s: %w", p.name, err)
	}
	defer stream.Close()
	if _, err := stdcopy.StdCopy(to, to, stream); err != nil {
		return fmt.Errorf("read the log of %s: %w", p.name, err)
	}
	return nil
}

// copyIn puts a folder of this machine at a path inside.
func (p *dockerProcess) copyIn(ctx context.Context, folder, inside string) error {
	var archive bytes.Buffer
	if err := tarFolder(&archive, os.DirFS(folder), strings.TrimPrefix(inside, "/")); err != nil {
		return err
	}
	_, err := p.client.CopyToContainer(ctx, p.id, client.CopyToContainerOptions{DestinationPath: "/", Content: &archive})
	return err
}

// tarFolder archives the files and folders of from below the path. Links to
// files are followed; one to a folder is refused, for its files would be missed.
func tarFolder(to io.Writer, from fs.FS, below string) error {
	archive := tar.NewWriter(to)
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := fs.Stat(from, name)
		if err != nil {
			return err
		}
		if info.IsDir() && !entry.IsDir() {
			return fmt.Errorf("%s is a link to a folder: put the folder itself there", name)
		}
		header, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return err
		}
		header.Name = path.Join(below, name)
		if info.IsDir() {
			header.Name += "/"
		}
		if err := archive.WriteHeader(header); err != nil || info.IsDir() {
			return err
		}
		file, err := from.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(archive, file)
		return err
	})
	return errors.Join(err, archive.Close())
}

// LastLines returns the end of what the process printed, for an error.
func LastLines(ctx context.Context, p Insight, n int) string {
	text, err := p.Tail(ctx, n)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return text
}

func gone(err error) bool { return errdefs.IsNotFound(err) }

// explain adds the way out to the engine errors that have one.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "no space left on device"):
		return fmt.Errorf("the disk is full; free some space (`make clean` removes what killed runs left): %w", err)
	case strings.Contains(err.Error(), "port is already allocated"),
		strings.Contains(err.Error(), "address already in use"):
		return fmt.Errorf("a port that was free a moment ago is taken; run again, or choose another range by "+
			"KAFKACHAOS_PORTS: %w", err)
	}
	return err
}
