package history

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var orders = Partition{1, 0}

// record has every method record something.
func record(h *History) {
	if topic := h.Topic(Topic{Name: "orders", Partitions: 1}); topic != orders.Topic {
		panic("the first topic is not 1")
	}
	h.Terms(Terms{After: 3})
	p := h.Start(Client{Name: "producer-1", Role: Producer, Acks: "all"})
	begun := time.Now()
	time.Sleep(time.Second)
	p.Send(orders, 0).Acked(7, 2)
	p.Send(Partition{1, -1}, 1).In(0).Acked(8, -1)
	p.Send(orders, 2).Failed(Unknown, errors.New("timed out"))
	txn := p.Begin()
	txn.Send(orders, 3).Failed(Refused, errors.New("too large"))
	txn.Abort().Returned(Acked, nil)
	p.Begin().Commit().Returned(Unknown, nil)
	c := h.Start(Client{Name: "consumer-1", Role: Consumer, Group: "g"})
	c.Assigned(orders, 0)
	c.Polled(begun, Records{{orders, 7, 1, 0}, {orders, 8, 1, 1}})
	c.PollFailed(begun, errors.New("no leader"))
	c.Passed(orders, 9)
	c.Store(Positions{{orders, 9}}).Returned(Acked, nil)
	c.Revoked(orders)
	h.Start(Client{Name: "file", Role: SinkFile}).Found(Records{{Partition{}, 0, 1, 0}})
	h.Start(Client{Name: "admin", Role: Administrator}).Change(Change{What: DeleteTopic, Topic: 1}).Returned(Refused, errors.New("no"))
	n := h.Fault(Fault{Name: "cut", Step: Intended})
	h.Fault(Fault{Number: n, Name: "cut", Step: InEffect})
	h.Owners(Owners{Group: "connect", Owned: map[string][]string{"worker-1": {"copy-0"}}})
	h.Reading(Reading{Of: "broker-1", By: "zk-1", Text: "absent"})
	h.Disk(Disk{Broker: 1, Partition: orders, Offset: 7, Client: 1, Held: true})
	p.Stopped(true)
	h.Stopped("broker-1", false)
	h.End()
}

func TestWhatIsRecordedIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		h := New(&text, Header{Run: "r", Brokers: "3.9.2"})
		record(h)
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&text)
		if err != nil || r.Header.Run != "r" || r.Header.Brokers != "3.9.2" || r.Header.Format != Format || r.Header.Origin.IsZero() {
			t.Fatalf("header %+v, %v", r.Header, err)
		}
		got := map[Kind][]Event{}
		for e, err := range r.Events() {
			if err != nil {
				t.Fatal(err)
			}
			one := *e
			one.Records = append(Records(nil), e.Records...)
			got[e.Kind] = append(got[e.Kind], one)
		}
		for _, kind := range kinds {
			if len(got[kind]) == 0 {
				t.Errorf("no event of kind %s", kind)
			}
		}
		at := time.Second
		want := []Event{
			{Kind: Send, At: at, Client: 1, Partition: orders},
			{Kind: Send, Outcome: Acked, At: at, Client: 1, Partition: orders, Offset: 7, Broker: 2},
			{Kind: Send, At: at, Client: 1, Seq: 1, Partition: Partition{1, -1}},
			{Kind: Send, Outcome: Acked, At: at, Client: 1, Seq: 1, Partition: orders, Offset: 8, Broker: -1},
			{Kind: Send, At: at, Client: 1, Seq: 2, Partition: orders},
			{Kind: Send, Outcome: Unknown, At: at, Client: 1, Seq: 2, Partition: orders, Why: "timed out"},
			{Kind: Send, At: at, Client: 1, Seq: 3, Partition: orders, Txn: 1},
			{Kind: Send, Outcome: Refused, At: at, Client: 1, Seq: 3, Partition: orders, Txn: 1, Why: "too large"},
		}
		if !reflect.DeepEqual(got[Send], want) {
			t.Errorf("sends %+v\nwant  %+v", got[Send], want)
		}
		if poll := got[Poll][0]; poll.Took != time.Second || len(poll.Records) != 2 || poll.Records[1] != (Record{orders, 8, 1, 1}) {
			t.Errorf("poll %+v", poll)
		}
		if stop := got[StopMark]; len(stop) != 2 || stop[0].Client != 1 || !stop[0].Stop.Clean || stop[1].Stop.Node != "broker-1" {
			t.Errorf("stops %+v", stop)
		}
	})
}

// TestManyRecordAtOnce: lines are whole and in order of their times.
func TestManyRecordAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", FileName)
	h, err := Create(path, Header{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	h.Topic(Topic{Name: "orders", Partitions: 1})
	var all sync.WaitGroup
	for range 8 {
		p := h.Start(Client{Name: "p", Role: Producer})
		all.Go(func() {
			for seq := range int64(100) {
				p.Send(orders, seq).Acked(seq, 1)
			}
		})
	}
	all.Wait()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	r, file, err := Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count := 0
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	if count != 1+8+1600 {
		t.Errorf("%d events", count)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, Header{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "precious" {
		t.Errorf("it is now %q", text)
	}
}

func TestAFullDiskIsTold(t *testing.T) {
	full := errors.New("disk full")
	h := New(&failing{full}, Header{})
	record(h)
	if !errors.Is(h.Err(), full) {
		t.Errorf("error %v", h.Err())
	}
	if err := h.Close(); !errors.Is(err, full) {
		t.Errorf("close: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// TestNothingFollowsAShortWrite: a line that was written in part stays the last.
func TestNothingFollowsAShortWrite(t *testing.T) {
	w := &short{left: 300}
	h := New(w, Header{Run: "r"})
	h.Topic(Topic{Name: "orders", Partitions: 1})
	p := h.Start(Client{Name: "p", Role: Producer})
	for seq := range int64(20) {
		p.Send(orders, seq)
	}
	if h.Close() == nil {
		t.Error("no error")
	}
	seqs, torn, err := readAll(w.text.String())
	if err != nil || !torn || len(seqs) < 3 {
		t.Errorf("read %v, torn %t, %v:\n%s", seqs, torn, err, w.text.String())
	}
}

// short writes so many bytes, and from then on only half of what it is given.
type short struct {
	text strings.Builder
	left int
}

func (s *short) Write(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		b = b[:len(b)/2]
	}
	return s.text.Write(b)
}

func TestRecordingTakesNoMemory(t *testing.T) {
	h := New(&bytes.Buffer{}, Header{})
	h.w = discard{}
	p := h.Start(Client{Name: "p", Role: Producer})
	records := Records{{orders, 7, 1, 0}, {orders, 8, 1, 1}}
	seq := int64(0)
	if allocations := testing.AllocsPerRun(100, func() {
		p.Send(orders, seq).Acked(seq, 1)
		p.Polled(time.Now(), records)
		seq++
	}); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkRecord is what a send costs its workload: two lines.
func BenchmarkRecord(b *testing.B) {
	h, err := Create(filepath.Join(b.TempDir(), FileName), Header{})
	if err != nil {
		b.Fatal(err)
	}
	p := h.Start(Client{Name: "p", Role: Producer})
	for seq := int64(0); b.Loop(); seq++ {
		p.Send(orders, seq).Acked(seq, 1)
	}
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
}
