package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"kafkachaos/docker"
)

// ensure builds the image of a recipe unless it is there.
func (b *builder) ensure(ctx context.Context, what string, recipe docker.Recipe) error {
	if there, err := b.has(ctx, recipe.Image); err != nil || there {
		return err
	}
	b.say("images: building %s (%s)", what, recipe.Image)
	began := time.Now()
	if err := b.run(ctx, recipe); err != nil {
		return fmt.Errorf("build the image of %s: %w", what, err)
	}
	b.say("images: built %s in %.0f s", what, time.Since(began).Seconds())
	return nil
}

// run has the engine build the recipe by its classic builder, which every
// engine has and which needs no session.
func (b *builder) run(ctx context.Context, recipe docker.Recipe) error {
	files, err := recipe.Context()
	if err != nil {
		return err
	}
	args := map[string]*string{}
	for name, value := range recipe.Args {
		args[name] = &value
	}
	result, err := b.client.ImageBuild(ctx, bytes.NewReader(files), client.ImageBuildOptions{
		Tags: []string{recipe.Image}, BuildArgs: args, Remove: true, ForceRemove: true,
	})
	if err != nil {
		return explainBuild(err, "")
	}
	defer result.Body.Close()
	return follow(result.Body, nil)
}

// follow reads the messages of a build, pull or import to their end; heard is
// called at each. The error carries the end of what was printed.
func follow(messages io.Reader, heard func()) error {
	var output strings.Builder
	decoder := json.NewDecoder(messages)
	for {
		var message struct {
			Stream string `json:"stream"`
			Error  string `json:"error"`
		}
		err := decoder.Decode(&message)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read what the engine says: %w", err)
		case message.Error != "":
			return explainBuild(errors.New(message.Error), output.String())
		}
		if heard != nil {
			heard()
		}
		output.WriteString(message.Stream)
	}
}
