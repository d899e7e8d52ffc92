package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"

	"kafkachaos/docker"
	"kafkachaos/harness/topology"
)

// KafkaImage is the name of the image of a Kafka release.
func KafkaImage(version topology.Version) string { return docker.KafkaImage(version) }

// ProxyImage is the name of the image of the proxy server.
func ProxyImage() string { return docker.ProxyImage() }

// Say prints one line of progress.
type Say func(format string, args ...any)

// EnsureImages builds what is missing of the images of these Kafka releases and
// of the proxy server, and says so line by line; when all are there it only
// asks the engine, which takes milliseconds. Processes that build at the same
// time wait for each other. It fails with ErrNoEngine, ErrNoPermission,
// ErrNotPublished, ErrDiskFull, ErrUnreachable, or with the end of what the build printed.
func EnsureImages(ctx context.Context, say Say, versions ...topology.Version) error {
	cli, err := dockerClient(ctx)
	if err != nil {
		return fmt.Errorf("ensure images: %w", err)
	}
	b := &builder{client: cli, say: serial(say)}
	if missing, err := b.missing(ctx, versions); err != nil || missing.none() {
		return err
	}
	unlock, err := lockBuilds(ctx, b.say)
	if err != nil {
		return fmt.Errorf("ensure images: %w", err)
	}
	defer unlock()
	missing, err := b.missing(ctx, versions) // another process may have built them meanwhile
	if err != nil || missing.none() {
		return err
	}
	return b.build(ctx, missing)
}

// builder builds images on one engine.
type builder struct {
	client *client.Client
	say    Say
}

type missing struct {
	versions  []topology.Version
	proxy     bool
	connector bool
}

func (m missing) none() bool { return len(m.versions) == 0 && !m.proxy && !m.connector }

func (b *builder) missing(ctx context.Context, versions []topology.Version) (m missing, err error) {
	for image, lacks := range map[string]*bool{ProxyImage(): &m.proxy, docker.ConnectorImage(): &m.connector} {
		there, err := b.has(ctx, image)
		if err != nil {
			return m, err
		}
		*lacks = !there
	}
	for _, version := range versions {
		if slices.Contains(m.versions, version) {
			continue
		}
		there, err := b.has(ctx, KafkaImage(version))
		if err != nil {
			return m, err
		}
		if !there {
			m.versions = append(m.versions, version)
		}
	}
	return m, nil
}

func (b *builder) has(ctx context.Context, image string) (bool, error) {
	_, err := b.client.ImageInspect(ctx, image)
	switch {
	case err == nil:
		return true, nil
	case gone(err):
		return false, nil
	}
	return false, fmt.Errorf("look for image %s: %w", image, err)
}

func (b *builder) build(ctx context.Context, m missing) error {
	if err := b.checkSpace(ctx, m); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	if m.proxy {
		group.Go(func() error { return b.buildProxy(ctx) })
	}
	if len(m.versions) > 0 || m.connector {
		group.Go(func() error { return b.buildWithMaven(ctx, m) })
	}
	return group.Wait()
}

// buildWithMaven builds what all releases stand on, and then one after the other,
// the connectors last: a build keeps both cores of a small machine busy.
func (b *builder) buildWithMaven(ctx context.Context, m missing) error {
	if err := b.buildBase(ctx); err != nil {
		return err
	}
	authorities := hostAuthorities()
	var group errgroup.Group
	group.Go(func() error { return b.ensure(ctx, "Maven", docker.Maven(authorities)) })
	group.Go(func() error {
		for _, version := range m.versions {
			name := fmt.Sprintf("Java %d", version.Java())
			if err := b.ensure(ctx, name, docker.Java(version.Java())); err != nil {
				return err
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	for _, version := range m.versions {
		if err := b.buildKafka(ctx, version, authorities); err != nil {
			return err
		}
	}
	if !m.connector {
		return nil
	}
	defer b.pruneStage(ctx, "connector")
	return b.ensure(ctx, "the connectors", docker.Connector(authorities))
}

func (b *builder) buildKafka(ctx context.Context, version topology.Version, authorities []byte) error {
	if !docker.Locked(version) {
		b.say("images: no checksums are kept for the jars of Kafka %s, they are taken as they come", version)
	}
	defer b.pruneStage(ctx, version.String())
	return b.ensure(ctx, "Kafka "+version.String(), docker.Kafka(version, authorities))
}

// pruneStage removes what a build has left without a name.
func (b *builder) pruneStage(ctx context.Context, stage string) {
	filters := make(client.Filters).Add("dangling", "true").Add("label", docker.StageLabel+"="+stage)
	_, _ = b.client.ImagePrune(context.WithoutCancel(ctx), client.ImagePruneOptions{Filters: filters})
}

// serial lets builds that run side by side share one say.
func serial(say Say) Say {
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		say(format, args...)
	}
}
