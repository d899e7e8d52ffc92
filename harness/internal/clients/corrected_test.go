package clients

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"kafkachaos/harness/topology"
)

const (
	metadata     = "\x00\x03\x00\x00"
	metadataOf10 = "\x00\x03\x00\x01"
	fetch        = "\x00\x01\x00\x00"
	noError      = "\x00\x00"
	replicaAway  = "\x00\x09"
	brokerTwo    = "\x00\x00\x00\x02"
	nobody       = "\xff\xff\xff\xff"
	seven, eight = "\x00\x00\x00\x07", "\x00\x00\x00\x08"
	allTopics    = "\x00\x00\x00\x00"
)

// frame is its length and these bytes.
func frame(parts ...string) string {
	text := strings.Join(parts, "")
	return string([]byte{0, byte(len(text) >> 16), byte(len(text) >> 8), byte(len(text))}) + text
}

// request is one of a client that names itself w.
func request(kind, id, body string) string { return frame(kind, id, "\x00\x01w", body) }

// answer is what a broker of 0.9.0.0 says of broker-2 and of the only partition of
// t, whose replicas are 1 and 2.
func answer(id, err, leader string) string {
	return frame(id,
		"\x00\x00\x00\x01", brokerTwo, "\x00\x08broker-2", "\x00\x00\x23\x86",
		"\x00\x00\x00\x01", noError, "\x00\x01t",
		"\x00\x00\x00\x01", err, "\x00\x00\x00\x00", leader, "\x00\x00\x00\x01", brokerTwo, "\x00\x00\x00\x01", brokerTwo)
}

// broker is a connection on which everything is answered already.
type broker struct {
	net.Conn
	answers io.Reader
	written bytes.Buffer
	takes   int // of a request, before it fails; 0 for all
}

func (b *broker) Read(into []byte) (int, error) { return b.answers.Read(into) }

func (b *broker) Write(from []byte) (int, error) {
	if b.takes > 0 && len(from) > b.takes {
		n, _ := b.written.Write(from[:b.takes])
		return n, os.ErrDeadlineExceeded
	}
	return b.written.Write(from)
}

func TestMetadataIsCorrected(t *testing.T) {
	big := frame(eight, strings.Repeat("x", 1<<20))
	for name, test := range map[string]struct{ asked, answered, want string }{
		"a replica is away": {request(metadata, seven, allTopics), answer(seven, replicaAway, brokerTwo), answer(seven, noError, brokerTwo)},
		"nobody leads":      {request(metadata, seven, allTopics), answer(seven, replicaAway, nobody), ""},
		"nothing is wrong":  {request(metadata, seven, allTopics), answer(seven, noError, brokerTwo), ""},
		"another error":     {request(metadata, seven, allTopics), answer(seven, "\x00\x05", brokerTwo), ""},
		"another request":   {request(fetch, seven, allTopics), answer(seven, replicaAway, brokerTwo), ""},
		"another version":   {request(metadataOf10, seven, allTopics), answer(seven, replicaAway, brokerTwo), ""},
		"another id":        {request(metadata, eight, allTopics), answer(seven, replicaAway, brokerTwo), ""},
		"several frames": {request(fetch, eight, "x") + request(metadata, seven, allTopics) + request(fetch, eight, "xy"),
			big + answer(seven, replicaAway, brokerTwo) + big + answer(seven, replicaAway, brokerTwo),
			big + answer(seven, noError, brokerTwo) + big + answer(seven, replicaAway, brokerTwo)}, // the second was not asked for
		"two at once": {request(metadata, seven, allTopics) + request(metadata, eight, allTopics),
			answer(seven, replicaAway, brokerTwo) + answer(eight, replicaAway, brokerTwo),
			answer(seven, noError, brokerTwo) + answer(eight, noError, brokerTwo)},
		"a bad answer":     {request(metadata, seven, allTopics), frame(seven, "\x7f\xff\xff\xff\x00"), ""},
		"an empty answer":  {request(metadata, seven, allTopics), frame(seven) + frame(eight, "x"), ""},
		"no answer at all": {request(metadata, seven, allTopics), "HTTP/1.1 400 Bad Request\r\n\r\n", ""},
		"a bad length":     {request(metadata, seven, allTopics), "\x80\x00\x00\x00" + seven + answer(seven, replicaAway, brokerTwo), ""},
		"a bad request":    {"\x00\x00\x00\x01" + request(metadata, seven, allTopics), answer(seven, replicaAway, brokerTwo), ""},
		"a cut answer":     {request(metadata, seven, allTopics), answer(seven, noError, brokerTwo)[:8], ""},
	} {
		t.Run(name, func(t *testing.T) {
			if test.want == "" {
				test.want = test.answered
			}
			for name, in := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader { return r }, "a byte a time": iotest.OneByteReader,
				"half": iotest.HalfReader, "with the end": iotest.DataErrReader,
			} {
				b := &broker{answers: in(strings.NewReader(test.answered))}
				c := &corrected{Conn: b}
				for piece := range slices.Chunk([]byte(test.asked), 5) {
					if n, err := c.Write(piece); n != len(piece) || err != nil {
						t.Fatal(n, err)
					}
				}
				if b.written.String() != test.asked {
					t.Errorf("%s: wrote %q", name, b.written.String())
				}
				if got, err := io.ReadAll(c); string(got) != test.want || err != nil {
					t.Errorf("%s: read %.200q, %v, want %.200q", name, got, err, test.want)
				}
			}
		})
	}
}

// TestReadingGoesOn: what is held is not lost to a deadline, nor to a reader with
// little room.
func TestReadingGoesOn(t *testing.T) {
	text := answer(seven, replicaAway, brokerTwo)
	b := &broker{answers: io.MultiReader(strings.NewReader(text[:30]), iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text[30:]))))}
	c := &corrected{Conn: b}
	c.Write([]byte(request(metadata, seven, allTopics)))
	var got []byte
	failures := 0
	for len(got) < len(text) && failures < 5 {
		var into [3]byte
		n, err := c.Read(into[:])
		got = append(got, into[:n]...)
		if err != nil {
			failures++
		}
	}
	if string(got) != answer(seven, noError, brokerTwo) || failures != 1 {
		t.Errorf("read %q with %d failures", got, failures)
	}
	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("read %d, %v into nothing", n, err)
	}
}

// TestPartsOfRequests: a request counts from where it was really written.
func TestPartsOfRequests(t *testing.T) {
	b := &broker{answers: strings.NewReader(answer(seven, replicaAway, brokerTwo)), takes: 9}
	c := &corrected{Conn: b}
	asked := []byte(request(fetch, eight, "xxxx") + request(metadata, seven, allTopics))
	for len(asked) > 0 {
		n, err := c.Write(asked)
		if n < len(asked) && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(n, err)
		}
		asked = asked[n:]
	}
	if got, err := io.ReadAll(c); string(got) != answer(seven, noError, brokerTwo) || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

// TestWhatPassesIsNotHeld: an answer to another request is read as it comes.
func TestWhatPassesIsNotHeld(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	c := &corrected{Conn: near}
	go far.Write([]byte(frame(seven, strings.Repeat("x", 100)))[:50])
	near.SetDeadline(time.Now().Add(10 * time.Second))
	var into [100]byte
	if n, err := c.Read(into[:]); n != 50 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
}

// TestWhoIsCorrected: brokers of 0.9, and no others.
func TestWhoIsCorrected(t *testing.T) {
	for release, want := range map[string]bool{"0.9.0.0": true, "0.9.0.1": true, "0.10.0.0": false, "3.9.2": false, "": false} {
		var brokers topology.Version
		if release != "" {
			brokers = topology.MustVersion(release)
		}
		conn, err := dialer(brokers, func(context.Context, string, string) (net.Conn, error) { return &broker{}, nil })(t.Context(), "tcp", "broker-1:9093")
		if _, is := conn.(*corrected); is != want || err != nil {
			t.Errorf("%q: %T, %v", release, conn, err)
		}
	}
	refused := errors.New("refused")
	dial := dialer(topology.MustVersion("0.9.0.0"), func(context.Context, string, string) (net.Conn, error) { return nil, refused })
	if conn, err := dial(t.Context(), "tcp", "broker-1:9093"); conn != nil || !errors.Is(err, refused) {
		t.Errorf("%v, %v", conn, err)
	}
}
