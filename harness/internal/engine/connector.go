package engine

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"kafkachaos/docker"
)

// ConnectorFolder is a folder of this machine with the jar of the connectors that
// fail and block on cue, as their image has it, which is there. It is named after
// the recipe and kept in the user's cache; the engine is asked only the first time.
func ConnectorFolder(ctx context.Context) (string, error) {
	folder, err := connectorFolder(ctx)
	if err != nil {
		return "", fmt.Errorf("take the connectors out of %s: %w", docker.ConnectorImage(), err)
	}
	return folder, nil
}

func connectorFolder(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	_, tag, _ := strings.Cut(docker.ConnectorImage(), ":")
	folder := filepath.Join(cache, "kafkachaos", "connector-"+tag)
	jar := filepath.Join(folder, filepath.Base(docker.ConnectorJar))
	if _, err := os.Stat(jar); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // nothing of it is secret
		return "", err
	}
	cli, err := dockerClient(ctx)
	if err != nil {
		return "", err
	}
	half, err := os.CreateTemp(folder, "half-") // others may do the same meanwhile
	if err != nil {
		return "", err
	}
	defer os.Remove(half.Name()) // unless it was renamed
	err = copyOut(ctx, cli, docker.ConnectorImage(), docker.ConnectorJar, half)
	if closed := half.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(half.Name(), jar)
	}
	return folder, err
}

// copyOut copies a file out of an image.
func copyOut(ctx context.Context, cli *client.Client, image, path string, to io.Writer) error {
	whole, cancel := wholly(ctx)
	defer cancel()
	made, err := cli.ContainerCreate(whole, client.ContainerCreateOptions{Config: &container.Config{Image: image, Labels: labelsOf("connector")}})
	if err != nil {
		return explain(err)
	}
	defer cli.ContainerRemove(whole, made.ID, client.ContainerRemoveOptions{Force: true}) //nolint:errcheck // swept by its label otherwise
	copied, err := cli.CopyFromContainer(whole, made.ID, client.CopyFromContainerOptions{SourcePath: path})
	if err != nil {
		return err
	}
	defer copied.Content.Close()
	archive := tar.NewReader(copied.Content)
	if _, err := archive.Next(); err != nil {
		return err
	}
	_, err = io.Copy(to, archive)
	return err
}
