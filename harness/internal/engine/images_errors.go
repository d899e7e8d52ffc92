package engine

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kafkachaos/docker"
	"kafkachaos/harness/topology"
)

// Why an image cannot be had. The text of the error that wraps one of these
// says what to do about it.
var (
	// ErrNotPublished means that Maven Central lacks jars of that Kafka release.
	ErrNotPublished = errors.New("not published")
	// ErrDiskFull means that the engine has no space left for images.
	ErrDiskFull = errors.New("disk full")
	// ErrUnreachable means that something could not be downloaded, at several tries.
	ErrUnreachable = errors.New("what is downloaded cannot be reached")
)

var (
	lacking   = regexp.MustCompile(`artifacts? (?:could not be resolved: )?(\S+?:jar:[\w.]+)[,:]? `)
	published = regexp.MustCompile(`(?m)^published: (.*)$`)
	// unreached is what Maven, apt and debootstrap say of a network that is not there.
	unreached = regexp.MustCompile(`Could not transfer artifact|Temporary failure resolving|Failed to fetch|` +
		`Failed getting release|Couldn't (?:download|retrieve)`)
)

// explainBuild names what a failed build failed at; output is what it printed.
func explainBuild(err error, output string) error {
	all := output + "\n" + err.Error()
	switch {
	case strings.Contains(all, "no space left on device"):
		return fmt.Errorf("%w: free some space where the engine keeps its data, for example by `docker system prune`: %w",
			ErrDiskFull, err)
	case published.MatchString(all) && strings.Contains(all, "Could not find artifact"):
		return notPublished(all)
	case strings.Contains(all, "checksums differ"):
		return fmt.Errorf("the jars are not those of docker/kafka/locks (< kept, > found): %w\n%s", err, tail(output, 20))
	case unreached.MatchString(all):
		return fmt.Errorf("%w: look at the network, then run again: %w\n%s", ErrUnreachable, err, tail(output, 5))
	case output == "":
		return err
	}
	return fmt.Errorf("%w; it printed last:\n%s", err, tail(output, 25))
}

// notPublished names the artefact that is missing and the releases nearest to
// the one asked for.
func notPublished(output string) error {
	artefact := "its jars"
	if found := lacking.FindStringSubmatch(output); found != nil {
		artefact = found[1]
	}
	asked := artefact[strings.LastIndex(artefact, ":")+1:]
	// The list of what is published has been seen to lack releases that are there.
	releases := append(strings.Fields(published.FindStringSubmatch(output)[1]), docker.Locks()...)
	return fmt.Errorf("%w: Maven Central has no %s; the releases nearest to it are %s", ErrNotPublished, artefact,
		strings.Join(near(asked, releases), ", "))
}

// near picks the releases that share the longest beginning with the one asked
// for, among those that are not it and that can run here, in order.
func near(asked string, releases []string) []string {
	for prefix := asked; prefix != ""; {
		prefix = prefix[:max(strings.LastIndex(prefix, "."), 0)]
		found := map[topology.Version]bool{}
		for _, release := range releases {
			version, err := topology.ParseVersion(release)
			if err == nil && release != asked && (prefix == "" || strings.HasPrefix(release, prefix+".")) {
				found[version] = true
			}
		}
		if len(found) > 0 {
			return inOrder(found)
		}
	}
	return nil
}

func inOrder(versions map[topology.Version]bool) (names []string) {
	sorted := slices.SortedFunc(maps.Keys(versions), func(a, b topology.Version) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	for _, version := range sorted {
		names = append(names, version.String())
	}
	return names
}

// tail is the end of a text: its last n lines that are not empty.
func tail(text string, n int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n\t "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
