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
	if err := b.persist(ctx, what, func() error { return b.run(ctx, recipe) }); err != nil {
		return fmt.Errorf("build the image of %s: %w", what, err)
	}
	b.say("images: built %s in %.0f s", what, time.Since(began).Seconds())
	return nil
}

// pauses are how long a build waits each time before it downloads again: a name server
// has been seen to be deaf for most of two minutes.
var pauses = []time.Duration{5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute}

// persist builds again what failed with ErrUnreachable, after each of the pauses. What
// has been built stays, so that only the step that failed is repeated.
func (b *builder) persist(ctx context.Context, what string, build func() error) error {
	for _, pause := range pauses {
		err := build()
		if !errors.Is(err, ErrUnreachable) {
			return err
		}
		b.say("images: a download for %s failed, again in %s", what, pause)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
	return build()
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
