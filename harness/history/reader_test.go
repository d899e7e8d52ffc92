package history

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

const header = `{"format":1,"run":"r","origin":"2026-11-30T02:00:00Z"}` + "\n"

// readAll returns the sends of a history by their numbers.
func readAll(text string) (seqs []int64, torn bool, err error) {
	r, err := NewReader(strings.NewReader(text))
	if err != nil {
		return nil, false, err
	}
	for e, err := range r.Events() {
		if err != nil {
			return seqs, r.Torn(), err
		}
		seqs = append(seqs, e.Seq)
	}
	return seqs, r.Torn(), nil
}

func TestBadHistoriesAreToldApart(t *testing.T) {
	one, two := `{"k":"send","t":1,"c":1,"s":1}`+"\n", `{"k":"send","t":2,"c":1,"s":2}`+"\n"
	tests := map[string]struct {
		text string
		want error
		say  string // in the error
		read int    // events
		torn bool
	}{
		"whole":                        {header + one + two, nil, "", 2, false},
		"no event":                     {header, nil, "", 0, false},
		"not even the header's end":    {strings.TrimSpace(header), nil, "", 0, false},
		"empty":                        {"", ErrEmpty, "", 0, false},
		"torn header":                  {header[:20], ErrEmpty, "torn", 0, false},
		"no history":                   {"hello\n", ErrNoHistory, "", 0, false},
		"JSON, but no history":         {`{"a":1}` + "\n", ErrNoHistory, "format", 0, false},
		"format 0":                     {`{"format":0}` + "\n", ErrNoHistory, "format", 0, false},
		"newer":                        {`{"format":2,"run":7}` + "\n", ErrNewer, "2", 0, false},
		"torn last line":               {header + one + two[:len(two)-6], nil, "", 1, true},
		"torn before the line's end":   {header + one + strings.TrimSpace(two), nil, "", 2, false},
		"torn to one byte":             {header + one + "{", nil, "", 1, true},
		"a line in the middle":         {header + one[:9] + "\n" + two, ErrLine, "line 2", 0, false},
		"a last line that has its end": {header + one + "{\n", ErrLine, "line 3", 1, false},
		"an empty line":                {header + one + "\n" + two, ErrLine, "line 3", 1, false},
		"a clock that goes back":       {header + two + one, ErrClock, "line 3", 1, false},
		"an unknown kind":              {header + `{"k":"later","t":1,"s":9}` + "\n", nil, "", 1, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			seqs, torn, err := readAll(test.text)
			if !errors.Is(err, test.want) || (test.want == nil) != (err == nil) || err != nil && !strings.Contains(err.Error(), test.say) {
				t.Errorf("error %v, want %v saying %q", err, test.want, test.say)
			}
			if len(seqs) != test.read || torn != test.torn {
				t.Errorf("read %d events, torn %t", len(seqs), torn)
			}
		})
	}
}

// TestEventsAreAllThatIsRead: every event in order, then the error, and a loop may be
// broken off.
func TestEventsAreAllThatIsRead(t *testing.T) {
	for _, count := range []int{0, 1, 250} {
		text := []byte(header)
		for i := range int64(count) {
			text = (&Event{Kind: Send, Outcome: Acked, At: 1, Client: 1, Seq: i}).appendPlain(text)
			text = append(text, '\n')
		}
		for stop := -1; stop < min(count, 300); stop += 100 {
			r, err := NewReader(strings.NewReader(string(text) + "bad\n"))
			if err != nil {
				t.Fatal(err)
			}
			next := 0
			for e, err := range r.Events() {
				if err != nil {
					if next != count || !errors.Is(err, ErrLine) {
						t.Errorf("after %d of %d: %v", next, count, err)
					}
					next++
					continue
				}
				if e.Seq != int64(next) {
					t.Fatalf("event %d is %d", next, e.Seq)
				}
				if next == stop {
					break
				}
				next++
			}
			if stop < 0 && next != count+1 {
				t.Errorf("%d of %d events, and the error", next, count)
			}
		}
	}
}

// TestEveryCutIsRead: wherever a crash cuts a history, all whole lines are read.
func TestEveryCutIsRead(t *testing.T) {
	var text bytes.Buffer
	text.WriteString(header)
	for i := range 5 {
		fmt.Fprintf(&text, `{"k":"send","t":%d,"c":1,"s":%d}`+"\n", i, i)
	}
	for cut := len(header); cut <= text.Len(); cut++ {
		part := text.String()[:cut]
		seqs, _, err := readAll(part)
		whole := strings.Count(part, "}") - 1
		if err != nil || len(seqs) != whole {
			t.Errorf("cut at %d: read %d of %d whole lines, %v", cut, len(seqs), whole, err)
		}
	}
}

func TestLongLinesAreRead(t *testing.T) {
	var records Records
	for i := range int64(100_000) {
		records = append(records, Record{Partition{1, 0}, i, 1, i})
	}
	e := Event{Kind: Poll, Outcome: Acked, At: 1, Client: 2, Records: records}
	line, err := e.AppendJSON([]byte(header))
	if err != nil {
		t.Fatal(err)
	}
	line = append(line, "\n"+`{"k":"send","t":2,"c":1,"s":3}`+"\n"...)
	r, err := NewReader(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	var got Event
	if err := r.Next(&got); err != nil || len(got.Records) != len(records) {
		t.Fatalf("read %d of %d records, %v", len(got.Records), len(records), err)
	}
	if err := r.Next(&got); err != nil || got.Seq != 3 || r.Line() != 3 {
		t.Fatalf("then read %+v as line %d, %v", got, r.Line(), err)
	}
	if err := r.Next(&got); !errors.Is(err, io.EOF) {
		t.Fatalf("then %v", err)
	}
}

func TestAFailingReaderIsTold(t *testing.T) {
	broken := errors.New("disk on fire")
	r, err := NewReader(io.MultiReader(strings.NewReader(header), &failing{broken}))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Next(&Event{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if _, err := NewReader(&failing{broken}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error)  { return 0, f.err }
func (f *failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzReader: no file is a panic, and the times never go back.
func FuzzReader(f *testing.F) {
	text := []byte(header)
	for _, e := range samples() {
		text, _ = e.AppendJSON(text)
		text = append(text, '\n')
	}
	f.Add(text)
	f.Add([]byte(header + "{\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewReader(bytes.NewReader(text))
		if err != nil {
			return
		}
		last := int64(0)
		for e, err := range r.Events() {
			if err != nil {
				return
			}
			if int64(e.At) < last {
				t.Fatal("the clock goes back")
			}
			last = int64(e.At)
		}
	})
}
