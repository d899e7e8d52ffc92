package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

func TestExplainBuild(t *testing.T) {
	failed := errors.New("the command returned a non-zero code: 1")
	const lacks = "[ERROR] Could not resolve dependencies: The following artifacts could not be resolved: " +
		"org.apache.kafka:kafka_2.13:jar:3.9.99, org.apache.kafka:connect-file:jar:3.9.99: " +
		"Could not find artifact org.apache.kafka:kafka_2.13:jar:3.9.99 in central -> [Help 1]\n" +
		"published: 3.8.1 3.9.0 3.9.0-rc1 3.9.1 4.0.0\n"
	tests := []struct {
		name, output string
		err          error
		is           error
		says         []string
	}{
		{"unpublished", lacks, failed, ErrNotPublished,
			[]string{"no org.apache.kafka:kafka_2.13:jar:3.9.99", "3.9.0, 3.9.1, 3.9.2"}},
		{"disk, while building", "write /x: no space left on device\n", failed, ErrDiskFull, []string{"free some space"}},
		{"disk, in the engine", "", errors.New("mkdir /var: no space left on device"), ErrDiskFull, []string{"mkdir /var"}},
		{"checksums", "< aa a.jar\n> bb a.jar\nchecksums differ\n", failed, failed, []string{"docker/kafka/locks", "> bb a.jar"}},
		{"Maven's network", "Could not transfer artifact x\n", failed, ErrUnreachable, []string{"cannot be reached", "transfer artifact x"}},
		{"apt's network", "Err:1 bullseye InRelease\n  Temporary failure resolving 'deb'\n", failed, ErrUnreachable, []string{"look at the network"}},
		{"debootstrap's network", "E: Failed getting release file x\n", failed, ErrUnreachable, []string{"release file x"}},
		{"anything", "one\n\ntwo\n", failed, failed, []string{"printed last:\none\ntwo"}},
	}
	for _, test := range tests {
		got := explainBuild(test.err, test.output)
		if !errors.Is(got, test.is) {
			t.Errorf("%s: got %v, want an error that is %v", test.name, got, test.is)
		}
		for _, part := range test.says {
			if !strings.Contains(got.Error(), part) {
				t.Errorf("%s: %q is not said in: %v", test.name, part, got)
			}
		}
	}
}

func TestADownloadThatFailsIsTriedAgainAndNothingElse(t *testing.T) {
	defer func(was []time.Duration) { pauses = was }(pauses)
	pauses = make([]time.Duration, 3)
	refused, away := errors.New("refused"), fmt.Errorf("%w: away", ErrUnreachable)
	tests := map[string]struct {
		answers []error // of build, in turn
		want    error
	}{
		"at once":           {[]error{nil}, nil},
		"after two":         {[]error{away, away, nil}, nil},
		"never":             {[]error{away, away, away, away}, ErrUnreachable},
		"for other reasons": {[]error{refused}, refused},
		"and then those":    {[]error{away, refused}, refused},
	}
	for name, test := range tests {
		built, said := 0, 0
		b := &builder{say: func(string, ...any) { said++ }}
		err := b.persist(t.Context(), name, func() error { built++; return test.answers[built-1] })
		if !errors.Is(err, test.want) || built != len(test.answers) || said != built-1 {
			t.Errorf("%s: got %v after %d builds and %d lines, want %v after %d", name, err, built, said, test.want, len(test.answers))
		}
	}
	pauses = []time.Duration{time.Hour}
	ctx, cancel := context.WithCancel(t.Context())
	b := &builder{say: func(string, ...any) { cancel() }}
	if err := b.persist(ctx, "cancelled", func() error { return away }); !errors.Is(err, ErrUnreachable) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestNear(t *testing.T) {
	releases := []string{"1.0.0", "0.10.1.1", "0.10.2.0", "0.10.2.1", "3.9.1", "3.9.0", "3.9.1-rc1", "3.9.1", "4.0.0"}
	for asked, want := range map[string][]string{
		"3.9.99":   {"3.9.0", "3.9.1"},
		"0.10.2.2": {"0.10.2.0", "0.10.2.1"},
		"0.10.9.0": {"0.10.1.1", "0.10.2.0", "0.10.2.1"},
		"2.0.0":    {"0.10.1.1", "0.10.2.0", "0.10.2.1", "1.0.0", "3.9.0", "3.9.1"},
	} {
		if got := near(asked, releases); !slices.Equal(got, want) {
			t.Errorf("near %s: got %v, want %v", asked, got, want)
		}
	}
}

func TestFollow(t *testing.T) {
	heard := 0
	if err := follow(strings.NewReader(`{"stream":"a"}{"status":"b"}`), func() { heard++ }); err != nil || heard != 2 {
		t.Errorf("heard %d messages of 2 and got %v", heard, err)
	}
	err := follow(strings.NewReader(`{"stream":"last words\n"}{"error":"boom"}`), nil)
	if err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "last words") {
		t.Errorf("got %v, want boom with the last words", err)
	}
	if err := follow(strings.NewReader(`{"stream":"a`), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v for a broken stream", err)
	}
}

func TestSpaceFor(t *testing.T) {
	proxy := spaceFor(missing{proxy: true})
	one := spaceFor(missing{versions: []topology.Version{topology.DefaultVersion}})
	two := spaceFor(missing{versions: make([]topology.Version, 2)})
	if proxy >= one || one >= two {
		t.Errorf("space for the proxy %d, one release %d, two %d: want each more than the one before", proxy, one, two)
	}
}

func TestTail(t *testing.T) {
	if got := tail("a\n\nb \nc\r\n", 2); got != "b\nc" {
		t.Errorf("got %q", got)
	}
}

func TestEngineError(t *testing.T) {
	refused := errors.New("dial tcp: connection refused")
	tests := []struct {
		host string
		err  error
		is   error
		says string
	}{
		{"", refused, ErrNoEngine, "docker/engine.sh"},
		{"tcp://127.0.0.1:1", refused, ErrNoEngine, "DOCKER_HOST=tcp://127.0.0.1:1"},
		{"", errors.New("dial unix /var/run/docker.sock: connect: permission denied"), ErrNoPermission, "usermod"},
	}
	for _, test := range tests {
		got := engineError(test.host, test.err)
		if !errors.Is(got, test.is) || !strings.Contains(got.Error(), test.says) {
			t.Errorf("host %q: got %v, want %v that says %q", test.host, got, test.is, test.says)
		}
	}
}
