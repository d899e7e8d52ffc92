package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/moby/moby/client"

	"kafkachaos/docker"
)

// How long a registry may take to say that it has the base image: short where
// there is another way.
const registryBound, onlyRegistryBound = 3 * time.Second, time.Minute

// buildBase sees to the image that all others stand on: taken if the engine has
// it, pulled where a registry answers, else made from Debian's packages.
func (b *builder) buildBase(ctx context.Context) error {
	image := docker.DebianImage()
	if there, err := b.has(ctx, image); err != nil || there {
		return err
	}
	there, err := b.has(ctx, docker.Debian)
	if err != nil {
		return err
	}
	if !there {
		obstacle := cannotMakeBase()
		if err := b.pullBase(ctx, obstacle); err != nil {
			if obstacle != nil {
				return fmt.Errorf("get the base image %s: no registry answers (%w), and it cannot be made here: %w",
					docker.Debian, err, obstacle)
			}
			b.say("images: no registry answers, making the base image from Debian's packages (about 45 s)")
			return b.persist(ctx, "the base image", func() error { return b.makeBase(ctx, image) })
		}
	}
	_, err = b.client.ImageTag(ctx, client.ImageTagOptions{Source: docker.Debian, Target: image})
	if err != nil {
		return fmt.Errorf("tag the base image: %w", err)
	}
	return nil
}

// cannotMakeBase says why this host cannot make a base image by itself.
func cannotMakeBase() error {
	_, noDebootstrap := exec.LookPath("debootstrap")
	_, noApt := exec.LookPath("apt-get")
	switch {
	case noDebootstrap != nil && noApt != nil:
		return errors.New("that takes Debian or Ubuntu; pull or `docker load` the image by hand")
	case os.Getuid() != 0:
		return errors.New("that takes root; run as root once, or pull or `docker load` the image by hand")
	}
	return nil
}

// pullBase pulls the base image; the bound holds until the registry's first
// answer.
func (b *builder) pullBase(ctx context.Context, onlyWay error) error {
	bound := registryBound
	if onlyWay != nil {
		bound = onlyRegistryBound
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(bound, func() { cancel(fmt.Errorf("no answer in %s", bound)) })
	defer timer.Stop()
	messages, err := b.client.ImagePull(ctx, docker.Debian, client.ImagePullOptions{})
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	defer messages.Close()
	return follow(messages, func() {
		if timer.Stop() {
			b.say("images: pulling %s", docker.Debian)
		}
	})
}

// makeBase pipes a root file system into the engine.
func (b *builder) makeBase(ctx context.Context, image string) error {
	reader, writer := io.Pipe()
	script := exec.CommandContext(ctx, "bash", "-s", docker.Suite)
	script.Stdin = bytes.NewReader(docker.RootFS())
	script.Stdout = writer
	var progress bytes.Buffer
	script.Stderr = &progress
	// On cancellation the whole group ends, so that the script cleans up.
	script.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	script.Cancel = func() error { return syscall.Kill(-script.Process.Pid, syscall.SIGTERM) }
	script.WaitDelay = 10 * time.Second
	done := make(chan error, 1)
	go func() {
		err := script.Run()
		_ = writer.CloseWithError(err)
		done <- err
	}()
	err := b.importBase(ctx, reader, image)
	_ = reader.CloseWithError(errors.New("the engine takes no more"))
	if failed := <-done; failed != nil {
		// Either may be the cause of the other: the engine's disk may be full.
		return explainBuild(fmt.Errorf("make the base image: %w", errors.Join(failed, err)), progress.String())
	}
	return err
}

func (b *builder) importBase(ctx context.Context, rootFS io.Reader, image string) error {
	result, err := b.client.ImageImport(ctx, client.ImageImportSource{Source: rootFS, SourceName: "-"}, image,
		client.ImageImportOptions{})
	if err != nil {
		return fmt.Errorf("import the base image: %w", err)
	}
	defer result.Close()
	return follow(result, nil)
}
