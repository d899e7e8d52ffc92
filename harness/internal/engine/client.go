package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// Why no engine can be had. The text of the error that wraps one of these says
// what to do about it.
var (
	// ErrNoEngine means that no container engine answers.
	ErrNoEngine = errors.New("no container engine answers")
	// ErrNoPermission means that an engine is there and refuses this user.
	ErrNoPermission = errors.New("the container engine refuses this user")
)

// dockerClient connects to the engine that DOCKER_HOST names, and without it to
// the one that testcontainers finds, so that both speak to the same. It fails
// with ErrNoEngine or ErrNoPermission when that engine does not answer.
func dockerClient(ctx context.Context) (*client.Client, error) {
	configureTestcontainers()
	cli, err := connect(ctx)
	if err == nil {
		_, err = cli.Ping(ctx, client.PingOptions{})
	}
	if err != nil {
		return nil, engineError(os.Getenv("DOCKER_HOST"), err)
	}
	return cli, nil
}

func connect(ctx context.Context) (*client.Client, error) {
	// Testcontainers would go on to other engines when this one is down.
	if os.Getenv("DOCKER_HOST") != "" {
		return client.New(client.FromEnv)
	}
	found, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, err
	}
	return found.Client, nil
}

func engineError(host string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("connect to the container engine: %w", err)
	case strings.Contains(err.Error(), "permission denied"):
		return fmt.Errorf("%w: join the group of its socket (sudo usermod -aG docker $USER, then log in again) "+
			"or run as root", ErrNoPermission)
	case host != "":
		return fmt.Errorf("%w at DOCKER_HOST=%s: start that engine, or unset DOCKER_HOST (%w)", ErrNoEngine, host, err)
	}
	return fmt.Errorf("%w: start Docker or set DOCKER_HOST; on Debian or Ubuntu, docker/engine.sh of kafkachaos "+
		"installs and starts one", ErrNoEngine)
}
