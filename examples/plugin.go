package mychaos

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"kafkachaos/docker"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// BuildPlugin makes a plug-in folder with the connector of this module. A
// connector that has a build already needs none of this: its folder of jars is
// what topology.Plugins takes.
func BuildPlugin(ctx context.Context, folder string) error {
	version := topology.DefaultVersion
	if err := harness.BuildImages(ctx, func(format string, args ...any) { fmt.Printf(format+"\n", args...) }, version); err != nil {
		return err
	}
	compile, err := os.ReadFile(filepath.Join("plugin", "compile"))
	if err != nil {
		return err
	}
	source, err := os.Open(filepath.Join("plugin", "LineSink.java"))
	if err != nil {
		return err
	}
	defer source.Close()
	command := exec.CommandContext(ctx, "docker", "run", "--rm", "-i", "--entrypoint", "sh", docker.KafkaImage(version), "-c", string(compile))
	var complaints bytes.Buffer
	command.Stdin, command.Stderr = source, &complaints
	jar, err := command.Output()
	if err != nil {
		return fmt.Errorf("compile the connector: %w: %s", err, complaints.Bytes())
	}
	return os.WriteFile(filepath.Join(folder, "line-sink.jar"), jar, 0o644)
}
