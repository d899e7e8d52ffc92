package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"

	"kafkachaos/docker"
)

// lockBuilds waits until no other process of this machine builds images.
func lockBuilds(ctx context.Context, say Say) (unlock func(), err error) {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("kafkachaos-images-%d.lock", os.Getuid()))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil // which gives up the lock
		}
		if !waited {
			say("images: waiting for another process that builds images")
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Space that images take, measured and rounded up: what all stand on, and each
// release while it is being built.
const baseSpace, kafkaSpace = 1200 << 20, 700 << 20

// checkSpace fails before a build that the disk cannot hold. It can tell only
// where the engine's data lie on this machine.
func (b *builder) checkSpace(ctx context.Context, m missing) error {
	info, err := b.client.Info(ctx, client.InfoOptions{})
	if err != nil {
		return fmt.Errorf("ask the engine where it keeps its data: %w", err)
	}
	root := info.Info.DockerRootDir
	var disk syscall.Statfs_t
	if info.Info.Name != hostname() || syscall.Statfs(root, &disk) != nil {
		return nil //nolint:nilerr // a disk that cannot be measured may well do
	}
	free := disk.Bavail * uint64(disk.Bsize) //nolint:gosec // a block size is positive
	if need := spaceFor(m); free < need {
		return fmt.Errorf("build images: %w: %s has %d MB left and the images need about %d MB: free some space, "+
			"for example by `docker system prune`", ErrDiskFull, root, free>>20, need>>20)
	}
	return nil
}

func spaceFor(m missing) uint64 {
	if len(m.versions) == 0 {
		return 50 << 20
	}
	return uint64(baseSpace + kafkaSpace*len(m.versions)) //nolint:gosec // small and positive
}

func hostname() string {
	name, _ := os.Hostname()
	return name
}

// hostAuthorities are the certificate authorities that this host trusts, where
// it keeps them in a file: a proxy that opens TLS is trusted by nobody else.
func hostAuthorities() []byte {
	for _, path := range []string{
		os.Getenv("SSL_CERT_FILE"),
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/cert.pem",
	} {
		if pem, err := os.ReadFile(path); err == nil { //nolint:gosec // the user's own file
			return pem
		}
	}
	return nil
}

// buildProxy compiles the proxy server for the engine's processor and wraps it
// into an image.
func (b *builder) buildProxy(ctx context.Context) error {
	server, err := b.client.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return fmt.Errorf("ask the engine for its processor: %w", err)
	}
	program, err := compileProxy(ctx, server.Arch)
	if err != nil {
		return fmt.Errorf("compile the proxy server: %w", err)
	}
	return b.ensure(ctx, "the proxy server", docker.Proxy(program))
}

// compileProxy builds the command kafkachaos/docker/toxiproxy in the module that
// it belongs to, so that its own go.sum holds when a user's module imports this
// one.
func compileProxy(ctx context.Context, arch string) ([]byte, error) {
	folder, err := goCommand(ctx, nil, "list", "-m", "-f", "{{.Dir}}", "kafkachaos")
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp("", "kafkachaos-proxy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	program := filepath.Join(out, "toxiproxy")
	env := []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch, "GOWORK=off"}
	_, err = goCommand(ctx, env, "build", "-C", folder, "-trimpath", "-ldflags=-s -w", "-o", program, "./docker/toxiproxy")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(program) //nolint:gosec // just built
}

func goCommand(ctx context.Context, env []string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...) //nolint:gosec // arguments of our own
	command.Env = append(os.Environ(), env...)
	out, err := command.Output()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return strings.TrimSpace(string(out)), nil
	case errors.As(err, &failed):
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, tail(string(failed.Stderr), 10))
	}
	return "", fmt.Errorf("go %s (the go command is needed, inside the module): %w", args[0], err)
}
