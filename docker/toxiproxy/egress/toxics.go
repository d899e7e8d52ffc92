package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// bare makes a type one that Toxiproxy's registry takes. Its Pipe is never
// run: a wire reads the attributes and carries the bytes itself.
type bare struct{ toxics.NoopToxic }

// Hold ("hold") keeps the bytes of its stream and delivers them, in order and
// none lost, when it is removed; the sockets of both sides stay. It keeps up to
// 64 MiB a connection; beyond, it stops reading, so that the sender's own
// buffers fill as they do on a full line.
type Hold struct{ bare }

// Reset ("reset") resets (RST, both sides) every open connection of the proxy
// at once, whatever its stream, and each new one while it stays.
type Reset struct{ bare }

// SwallowFirst ("swallow_first") swallows the first reply of each connection
// that is opened after it was added, and passes the rest. Where that reply ends
// is told by at most one of the attributes; by default it ends at the first
// silence of 100 ms.
type SwallowFirst struct {
	bare
	Bytes  int64 `json:"bytes,omitempty"`  // so many bytes
	Framed bool  `json:"framed,omitempty"` // one frame with its length in front, 4 bytes, big end first: Kafka's and ZooKeeper's
	Quiet  int64 `json:"quiet,omitempty"`  // before the first silence of so many ms
}

const defaultQuiet = 100 // ms

func init() { //nolint:gochecknoinits // how Toxiproxy's registry is filled
	toxics.Register("hold", new(Hold))
	toxics.Register("reset", new(Reset))
	toxics.Register("swallow_first", new(SwallowFirst))
}

// check says what is wrong with a toxic's description, attributes that its type
// does not have included: Toxiproxy itself would ignore a misspelt one.
func check(description []byte) error {
	var told struct {
		Name, Type string
		Toxicity   *float32
		Attributes json.RawMessage
	}
	if err := json.Unmarshal(description, &told); err != nil {
		return fmt.Errorf("read toxic: %w", err)
	}
	if told.Name == "" {
		return errors.New("read toxic: it has no name")
	}
	if told.Toxicity != nil && *told.Toxicity != 1 {
		return fmt.Errorf("read toxic %s: toxicity %v would be rolled at random, want 1", told.Name, *told.Toxicity)
	}
	if err := checkAttributes(told.Type, told.Attributes); err != nil {
		return fmt.Errorf("read toxic %s: %w", told.Name, err)
	}
	return nil
}

func checkAttributes(kind string, attributes []byte) error {
	toxic := toxics.New(&toxics.ToxicWrapper{Type: kind})
	if toxic == nil {
		return fmt.Errorf("type %q is unknown", kind)
	}
	if len(attributes) > 0 {
		strict := json.NewDecoder(bytes.NewReader(attributes))
		strict.DisallowUnknownFields()
		if err := strict.Decode(toxic); err != nil {
			return fmt.Errorf("attributes of %s: %w", kind, err)
		}
	}
	return checkValues(kind, toxic)
}

func checkValues(kind string, toxic toxics.Toxic) error {
	bad := func(want string) error { return fmt.Errorf("attributes of %s: want %s", kind, want) }
	switch t := toxic.(type) {
	case *Hold, *Reset:
	case *toxics.TimeoutToxic:
		if t.Timeout != 0 {
			return bad("a timeout of 0: Toxiproxy begins another at each chunk, so that it fires on silent connections only")
		}
	case *toxics.LimitDataToxic:
		if t.Bytes < 1 {
			return bad("bytes of 1 or more")
		}
	case *SwallowFirst:
		return checkReply(t, bad)
	case *toxics.LatencyToxic:
		if t.Latency < 0 || t.Jitter != 0 {
			return bad("a latency of 0 ms or more, and no jitter, which is drawn where the fault is")
		}
	case *toxics.BandwidthToxic:
		if t.Rate < 1 {
			return bad("a rate of 1 kB/s or more")
		}
	case *toxics.SlicerToxic:
		if t.AverageSize < 1 || t.Delay < 0 || t.SizeVariation != 0 {
			return bad("an average_size of 1 or more, a delay of 0 µs or more, and no size_variation")
		}
	default:
		return fmt.Errorf("type %q is not carried here", kind)
	}
	return nil
}

func checkReply(t *SwallowFirst, bad func(string) error) error {
	told := 0
	for _, one := range []bool{t.Bytes != 0, t.Framed, t.Quiet != 0} {
		if one {
			told++
		}
	}
	if t.Bytes < 0 || t.Quiet < 0 || told > 1 {
		return bad("one of bytes, framed and quiet, and none negative")
	}
	return nil
}
