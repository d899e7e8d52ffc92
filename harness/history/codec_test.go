package history

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// samples has an event of every kind, and of every field.
func samples() []Event {
	p := Partition{1, 2}
	return []Event{
		{Kind: Send, At: 1, Client: 3, Seq: 7, Partition: p},
		{Kind: Send, Outcome: Acked, At: 5, Client: 3, Seq: 7, Partition: p, Offset: 900719925474099, Broker: 2, Txn: 4},
		{Kind: Send, Outcome: Acked, At: 5, Client: 3, Seq: 8, Partition: Partition{1, -1}, Offset: -1, Broker: -1},
		{Kind: Send, Outcome: Unknown, At: 6, Client: 3, Seq: 9, Partition: p, Why: `timed "out" <after> 3 s`},
		{Kind: Poll, Outcome: Acked, At: 9, Took: 4, Client: 5, Records: Records{
			{p, 10, 3, 7}, {p, 11, 3, 8}, {p, 13, 0, 0}, {Partition{1, 0}, 14, 4, 1}}},
		{Kind: Poll, Outcome: Acked, At: 9, Client: 5},
		{Kind: Poll, Outcome: Refused, At: 9, Client: 5, Why: "OFFSET_OUT_OF_RANGE"},
		{Kind: Sink, Outcome: Acked, At: 9, Client: 6, Records: Records{{Partition{}, 0, 3, 7}, {Partition{}, 1, 3, 8}}},
		{Kind: Begin, At: 10, Client: 3, Txn: 4},
		{Kind: Commit, At: 11, Client: 3, Txn: 4, Op: 1},
		{Kind: Abort, Outcome: Acked, At: 12, Client: 3, Txn: 5, Op: 2},
		{Kind: Store, At: 13, Client: 5, Op: 3, Positions: Positions{{p, 14}, {Partition{1, 0}, 0}}},
		{Kind: Admin, At: 14, Client: 8, Op: 4, Change: &Change{What: DeleteTopic, Topic: 2}},
		{Kind: TopicMark, At: 15, Topic: &Topic{1, "orders", 3, 3, 2, true}},
		{Kind: ClientMark, At: 16, Client: 3, Config: &Client{Number: 3, Name: "producer-1", Role: Producer, Acks: "all", InFlight: 5}},
		{Kind: StopMark, At: 17, Client: 3, Stop: &Stop{Clean: true}},
		{Kind: TermsMark, At: 18, Terms: &Terms{Demand: []string{"lost"}, After: 9, Tasks: map[string][]string{"g": {"t-0"}}}},
		{Kind: FaultMark, At: 19, Fault: &Fault{Number: 1, Name: "cut", Step: Intended, Budget: time.Second}},
		{Kind: ReadingMark, At: 20, Reading: &Reading{"broker-1", "zk-1", "absent"}},
		{Kind: AssignMark, At: 21, Client: 5, Partition: p, Offset: -1},
		{Kind: RevokeMark, At: 22, Client: 5, Partition: p},
		{Kind: PositionMark, At: 23, Client: 5, Partition: p, Offset: 14},
		{Kind: OwnersMark, At: 24, Owners: &Owners{"g", 3, map[string][]string{"worker-1": {"t-0"}}}},
		{Kind: DiskMark, At: 25, Disk: &Disk{2, p, 10, 3, 7, true}},
		{Kind: EndMark, At: 26},
	}
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	seen := map[Kind]bool{}
	var reused Event
	for _, e := range samples() {
		seen[e.Kind] = true
		line, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := reused.DecodeJSON(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !same(&reused, &e) {
			t.Errorf("%s\n came back as %+v\nwas          %+v", line, reused, e)
		}
	}
	for _, kind := range kinds {
		if !seen[kind] {
			t.Errorf("there is no sample of kind %s", kind)
		}
	}
}

// TestTheShortWayIsTheStandardWay: whoever has encoding/json can read and write
// histories.
func TestTheShortWayIsTheStandardWay(t *testing.T) {
	short := 0
	for _, e := range samples() {
		line, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := json.Marshal(&e); !bytes.Equal(line, want) {
			t.Errorf("wrote %s\nwant  %s", line, want)
		}
		var scanned Event
		if scanned.scanPlain(line) {
			short++
		}
	}
	if short != 6 {
		t.Errorf("%d samples took the short way, want 6", short)
	}
}

func TestOddlyWrittenEventsAreRead(t *testing.T) {
	want := Event{Kind: Send, Outcome: Acked, At: 5, Client: 3, Seq: 7, Partition: Partition{1, 2}, Offset: 9, Broker: 2}
	for _, line := range []string{
		`{"k":"send","x":"acked","t":5,"c":3,"s":7,"p":[1,2],"o":9,"b":2}`,
		` { "t":5, "k":"send", "x":"acked", "c":3, "s":7, "p":[ 1, 2 ], "o":9, "b":2 } `,
		`{"k":"\u0073end","x":"acked","t":5,"c":3,"s":7,"p":[1,2],"o":9,"b":2,"later":true}`,
		`{"k":"send","x":"acked","t":5,"c":3,"s":7,"p":[1,2],"o":9,"b":2,"r":[]}`,
	} {
		var got Event
		if err := got.DecodeJSON([]byte(line)); err != nil || !same(&got, &want) {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
}

func TestImpossibleEventsAreRefused(t *testing.T) {
	for _, line := range []string{
		``, `null`, `[]`, `{}`, `{"k":"send"`, `{"k":7,"t":1}`,
		`{"k":"send","t":-1,"c":1}`, `{"k":"send","t":1,"c":-1}`, `{"k":"send","t":1,"c":1,"s":-7}`,
		`{"k":"send","t":1,"c":1,"o":-2}`, `{"k":"send","t":1,"c":1,"b":-2}`, `{"k":"send","x":"perhaps","t":1,"c":1}`,
		`{"k":"send","t":1,"c":1,"p":[1]}`, `{"k":"send","t":1,"c":1,"p":[1,-2]}`, `{"k":"send","t":01,"c":1}`,
		`{"k":"poll","x":"acked","t":1,"r":[[1,0,5]]}`, `{"k":"poll","x":"acked","t":1,"r":[[1,0,5,2]]}`,
		`{"k":"poll","x":"acked","t":1,"r":[[1,0,-1,2,3]]}`, `{"k":"poll","x":"acked","t":1,"r":[[1,0,5,2,-3]]}`,
		`{"k":"poll","x":"acked","t":1,"r":[[1,0,5,2,3],]}`, `{"k":"poll","x":"acked","t":1,"r":[1]}`,
		`{"k":"send","t":99999999999999999999,"c":1}`, `{"k":"send","t":1,"c":1,"s":2000000000000000000}`,
		`{"k":"send","t":1,"c":1,"o":9223372036854775807}`, `{"k":"poll","x":"acked","t":1,"r":[[1,0,9223372036854775807,2,3]]}`,
		`{"k":"poll","x":"acked","t":1,"r":[[1,0,5,2,9223372036854775807]]}`, `{"k":"store","t":1,"pos":[[1,2,9223372036854775807]]}`,
		`{"k":"store","t":1,"pos":[[1,2]]}`, `{"k":"store","t":1,"pos":[[1,2,-1]]}`,
		`{"k":"fault","t":1}`, `{"k":"topic","t":1}`, `{"k":"client","t":1}`, `{"k":"stop","t":1}`, `{"k":"terms","t":1}`,
		`{"k":"reading","t":1}`, `{"k":"owners","t":1}`, `{"k":"disk","t":1}`, `{"k":"admin","t":1}`,
	} {
		var e Event
		if err := e.DecodeJSON([]byte(line)); err == nil {
			t.Errorf("%s was read as %+v", line, e)
		}
	}
}

// same compares events but for the difference between no records and none.
func same(a, b *Event) bool {
	x, y := *a, *b
	if len(x.Records)+len(y.Records) == 0 {
		x.Records, y.Records = nil, nil
	}
	return reflect.DeepEqual(x, y)
}

// FuzzDecode: no line is a panic; what the short way reads, encoding/json reads
// too and alike; and what was read once is written and read again.
func FuzzDecode(f *testing.F) {
	for _, e := range samples() {
		line, _ := e.AppendJSON(nil)
		f.Add(line)
	}
	f.Add([]byte(`{"k":"poll","x":"acked","t":1,"r":[[1,0,5,2,3],[1,0,6,2,4]]}`))
	f.Add([]byte(`{"k":"send","t":123456789012345678,"c":1,"s":999999999999999999}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var short, long Event
		if short.scanPlain(line) {
			if err := json.Unmarshal(line, &long); err != nil || !same(&short, &long) {
				t.Fatalf("%s: the short way read %+v, encoding/json %+v, %v", line, short, long, err)
			}
		}
		var e, again Event
		if e.DecodeJSON(line) != nil {
			return
		}
		text, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := json.Marshal(&e); !bytes.Equal(text, want) {
			t.Fatalf("wrote %s, encoding/json %s", text, want)
		}
		if err := again.DecodeJSON(text); err != nil {
			t.Fatalf("%s became %s: %v", line, text, err)
		}
	})
}

// BenchmarkDecode is what reading costs, by the line.
func BenchmarkDecode(b *testing.B) {
	p := Partition{1, 200}
	var poll Records
	for i := range int64(7) {
		poll = append(poll, Record{p, 500 + i, int(1 + i), 60_000 + i})
	}
	for _, e := range []Event{
		{Kind: Send, At: 75_000_050_000, Client: 3, Seq: 60_007, Partition: p},
		{Kind: Send, Outcome: Acked, At: 75_000_100_000, Client: 3, Seq: 60_007, Partition: p, Offset: 507, Broker: 2},
		{Kind: Poll, Outcome: Acked, At: 75_000_150_000, Took: 1_000_000, Client: 9, Records: poll},
	} {
		b.Run(string(e.Kind)+string(e.Outcome), func(b *testing.B) {
			line, err := e.AppendJSON(nil)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(line)))
			var into Event
			for b.Loop() {
				if err := into.DecodeJSON(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
