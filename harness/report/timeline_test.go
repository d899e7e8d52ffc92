package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kafkachaos/harness/history"
)

func TestReadingsBecomeStates(t *testing.T) {
	const registered = "broker-1 is registered by session 0x10001, czxid 0x3, created 05:31:31.592, at PLAINTEXT://broker-1:9093 (read by zk-1 at 05:31:36.942)"
	got := timeline(t,
		reading(10, "broker-1 registration", registered),
		reading(20, "broker-1 process", "broker-1 is running, pid 7366, since 05:43:09.856 (read by the engine at 05:43:13.677)"),
		reading(30, "leader of orders-0", "orders-0 is led by broker-1, in sync [1 2 3] (read by zk-1 at 05:43:14.689)"),
		reading(40, "leader of orders-1", "orders-1 is led by broker-1, in sync [1 2 3] (read by zk-1 at 05:43:14.689)"),
		reading(500, "broker-1 registration", strings.Replace(registered, "936", "937", 1)), // the same state, read again
		reading(1000, "broker-1 registration", "broker-1 is absent from ZooKeeper (read by zk-1 at 05:31:42.099)"),
		reading(1500, "broker-1 process", "broker-1 is gone, it ended at 05:50:49.123 with exit code 137 (read by the engine at 05:50:50.063)"),
		reading(1600, "leader of orders-1", "orders-1 has no leader, in sync [1] (read by zk-1 at 05:43:14.689)"),
		reading(1700, "controller", "no broker is the controller, epoch 1 (read by zk-1 at 05:31:42.099)"),
		reading(1800, "controller", "broker-3 is the controller, epoch 2, by session 0x104, czxid 0x75, created 05:31:43.879 (read by zk-1 at 05:31:43.883)"),
		reading(1900, "connect group", "group connect-cluster is PreparingRebalance in generation 2 at broker-1, 2 members (read by broker-1 at 05:31:36.952)"),
		reading(2000, "broker-1 registration", "could not read: dial zk-1: refused"),
		history.Event{Kind: history.EndMark, At: ms(3000)})

	want := map[string][]string{
		"broker-1": {"0.010-1.000 fine session 0x10001", "1.000-2.000 gone not registered", "2.000-3.000 unread could not be read",
			"0.020-1.500 fine process pid 7366", "1.500-3.000 gone process ended, exit code 137"},
		"controller":         {"1.700-1.800 gone no controller", "1.800-3.000 fine broker-3, epoch 2"},
		"connect group":      {"1.900-3.000 odd generation 2, PreparingRebalance"},
		"leader of orders-1": {"0.040-1.600 fine broker-1, in sync [1 2 3]", "1.600-3.000 gone no leader"},
	}
	for name, states := range want {
		var have []string
		for _, s := range slices.Concat(laneOf(t, got, name).Bands...) {
			have = append(have, fmt.Sprintf("%s-%s %s %s", seconds(s.From), seconds(s.To), s.Level, s.Label))
		}
		if !slices.Equal(have, states) {
			t.Errorf("%s: %q\nwant %q", name, have, states)
		}
	}
	if want := []string{"broker-1", "controller", "connect group", "leader of orders-1"}; !slices.Equal(names(got), want) {
		t.Errorf("lanes %q, want %q", names(got), want)
	}
	if !slices.Equal(got.Steady, []string{"orders-0"}) {
		t.Errorf("steady are %q", got.Steady)
	}
	if text := laneOf(t, got, "broker-1").Bands[0][0].Text; strings.Contains(text, "read by") {
		t.Errorf("the text says who read it: %s", text)
	}
}

// TestAProcessThatAlwaysRanIsNotDrawnBesideOthers: it says nothing there. Alone, it
// is all there is.
func TestAProcessThatAlwaysRanIsNotDrawnBesideOthers(t *testing.T) {
	got := timeline(t,
		reading(1, "zk-1 process", "zk-1 is running, pid 1, since 1"), reading(1, "broker-1 process", "broker-1 is running, pid 2, since 1"),
		reading(2, "broker-1 registration", "broker-1 is registered by session 0x1, czxid 0x3"))
	if bands := laneOf(t, got, "broker-1").Bands; len(bands) != 1 || bands[0][0].Label != "session 0x1" {
		t.Errorf("broker-1 has %v", bands)
	}
	if bands := laneOf(t, got, "zk-1").Bands; len(bands) != 1 {
		t.Errorf("zk-1 has %v", bands)
	}
}

func TestFaultsAreOnTheLanesThatTheyName(t *testing.T) {
	tests := map[string]struct {
		kind  string
		lanes []string
	}{
		"blackhole links=broker-1→zk-1,broker-2→zk-1":          {"blackhole", []string{"broker-1→zk-1", "broker-2→zk-1"}},
		"delay by=500ms links=broker-1→zk-1 stream=downstream": {"delay", []string{"broker-1→zk-1"}},
		"kill node=broker-1":                                            {"kill", []string{"broker-1"}},
		"kill node=controller":                                          {"kill", []string{"controller"}},
		`rebalance of="kill node=worker-2"`:                             {"rebalance", []string{"worker-2"}},
		`when condition=znode-gone(/a) of="cut links=broker-1→zk-1"`:    {"when", []string{combined}},
		`together 01="kill node=broker-1" 02="cut links=broker-1→zk-1"`: {"together", []string{combined}},
		`repeat of="for of=\"kill node=broker-2\" time=1s" times=3`:     {"repeat", []string{"broker-2"}},
		"elect-preferred topic=orders":                                  {"elect-preferred", []string{combined}},
		`not to be read "`:                                              {`not to be read "`, []string{combined}},
	}
	for name, want := range tests {
		kind, lanes := targets(name)
		if kind != want.kind || !slices.Equal(lanes, want.lanes) {
			t.Errorf("%s: %s on %q, want %s on %q", name, kind, lanes, want.kind, want.lanes)
		}
	}
}

func TestAFaultIsFollowedThroughItsSteps(t *testing.T) {
	const cut = "cut links=broker-1→zk-1"
	got := timeline(t, fault(100, 1, cut, history.Intended), fault(200, 1, cut, history.Injected), fault(300, 1, cut, history.InEffect),
		fault(900, 1, cut, history.Healed), fault(2000, 1, cut, history.Recovered),
		fault(2100, 2, cut, history.Intended), fault(2200, 2, cut, history.Injected), fault(2300, 2, cut, history.NoEffect))
	windows := laneOf(t, got, "broker-1→zk-1").Faults
	if len(windows) != 2 {
		t.Fatalf("%d windows: %+v", len(windows), windows)
	}
	first, second := windows[0], windows[1]
	if !first.Proved() || first.Intended != ms(100) || first.Injected != ms(200) || first.Seen != ms(300) || first.Until() != ms(900) || first.Recovered != ms(2000) {
		t.Errorf("the first was %+v", first)
	}
	if second.Proved() || second.Refuted != ms(2300) || second.Until() != ms(2300) {
		t.Errorf("the second, which was never healed, was %+v", second)
	}
	if got.Recovery != (Wait{ms(1100), cut}) {
		t.Errorf("the slowest recovery was %+v", got.Recovery)
	}
}

// TestWhatClientsDidIsCounted by the second, and the longest wait found: over all
// clients of the partition, while somebody tried.
func TestWhatClientsDidIsCounted(t *testing.T) {
	const cut = "cut links=client→broker-1"
	got := timeline(t, append(topicAndProducer(),
		send(100, 1, 0, history.Begun), send(150, 1, 0, history.Acked), // 50 ms
		send(200, 2, 0, history.Begun), send(350, 2, 0, history.Acked), // 150 ms, then nobody tries for 3 s
		fault(3300, 1, cut, history.Intended), fault(3310, 1, cut, history.Injected),
		send(3400, 3, 0, history.Begun), send(3500, 4, 1, history.Begun), send(3510, 4, 1, history.Acked),
		send(5400, 3, 0, history.Unknown), send(5450, 5, 0, history.Begun),
		fault(6000, 1, cut, history.Healed),
		send(6400, 5, 0, history.Acked),
		send(6500, 6, 1, history.Begun), send(9000, 7, 1, history.Begun))...)
	lane := laneOf(t, got, "producer-1")
	if len(lane.Rate) != 7 || lane.Rate[0].Acked != 2 || lane.Rate[0].Mean() != ms(100) || lane.Rate[0].Latency != ms(150) ||
		lane.Rate[3].Acked != 1 || lane.Rate[5].Failed != 1 || lane.Rate[6].Acked != 1 {
		t.Errorf("by the second: %+v", lane.Rate)
	}
	if got.Acked != 4 {
		t.Errorf("%d acknowledged", got.Acked)
	}
	if got.Gap != (Wait{ms(3000), "orders-0"}) {
		t.Errorf("the longest gap was %+v", got.Gap)
	}
	if got.Recovery != (Wait{ms(400), cut}) {
		t.Errorf("the slowest recovery was %+v", got.Recovery)
	}
	var gaps []string
	for _, gap := range lane.Gaps {
		gaps = append(gaps, gap.Text)
	}
	want := []string{"no acknowledgement on orders-0 for 3.0 s", "no acknowledgement on orders-1 for 2.5 s, and none came any more"}
	if !slices.Equal(gaps, want) {
		t.Errorf("gaps %q, want %q", gaps, want)
	}
}

// TestAPartitionerIsFollowed: where a send goes is known only afterwards.
func TestAPartitionerIsFollowed(t *testing.T) {
	got := timeline(t, append(topicAndProducer(),
		send(100, 1, -1, history.Begun), send(150, 1, 1, history.Acked), send(2000, 2, -1, history.Begun), send(3700, 2, 1, history.Acked))...)
	if got.Gap != (Wait{ms(1700), "orders-1"}) {
		t.Errorf("the longest gap was %+v", got.Gap)
	}
}

// TestMemoryDoesNotGrowWithTraffic: what is not outstanding any more is forgotten.
func TestMemoryDoesNotGrowWithTraffic(t *testing.T) {
	c := newCollector(history.Header{})
	for _, e := range topicAndProducer() {
		c.take(&e)
	}
	for n := range 100_000 {
		begun, acked := send(n/100, n, n%2, history.Begun), send(n/100, n, n%2, history.Acked)
		c.take(&begun)
		c.take(&acked)
	}
	if len(c.flow.begun) != 0 || len(c.clients[1].Rate) > 2 || len(c.t.Entries) > 10 {
		t.Errorf("kept %d sends, %d seconds, %d lines", len(c.flow.begun), len(c.clients[1].Rate), len(c.t.Entries))
	}
}

func TestOwnersAreToldWhenTheyChange(t *testing.T) {
	owners := func(at, generation int, owned map[string][]string) history.Event {
		return history.Event{Kind: history.OwnersMark, At: ms(at), Owners: &history.Owners{Group: "connect-cluster", Generation: generation, Owned: owned}}
	}
	both := map[string][]string{"worker-1": {"sink-1", "sink-0"}, "worker-2": {}}
	got := timeline(t, owners(100, 1, both), owners(600, 1, both), owners(1100, 2, map[string][]string{"worker-1": {"sink-0"}}), owners(1600, 3, both))
	var told []string
	for _, e := range got.Entries {
		told = append(told, seconds(e.At)+" "+e.What)
	}
	want := []string{"0.100 in generation 1 of connect-cluster: worker-1 [sink-0 sink-1], worker-2 []",
		"1.100 in generation 2 of connect-cluster: worker-1 [sink-0]",
		"1.600 in generation 3 of connect-cluster: worker-1 [sink-0 sink-1], worker-2 []"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	var states []string
	for _, s := range laneOf(t, got, "worker-2").Bands[0] {
		states = append(states, s.Label)
	}
	if !slices.Equal(states, []string{"no tasks", noMember, "no tasks"}) {
		t.Errorf("worker-2 had %q", states)
	}
}

func TestViolationsAreFoundAndTheFirstComesFirst(t *testing.T) {
	got := timeline(t, append(topicAndProducer(), send(100, 1, 0, history.Begun), send(200, 1, 0, history.Acked),
		history.Event{Kind: history.ClientMark, At: ms(300), Client: 2, Config: &history.Client{Number: 2, Name: "final", Role: history.Consumer, Final: true}},
		history.Event{Kind: history.AssignMark, At: ms(300), Client: 2, Partition: history.Partition{Topic: 1}},
		history.Event{Kind: history.PositionMark, At: ms(400), Client: 2, Partition: history.Partition{Topic: 1}, Offset: 5},
		history.Event{Kind: history.AssignMark, At: ms(400), Client: 2, Partition: history.Partition{Topic: 1, Number: 1}},
		history.Event{Kind: history.PositionMark, At: ms(400), Client: 2, Partition: history.Partition{Topic: 1, Number: 1}},
		history.Event{Kind: history.StopMark, At: ms(400), Client: 2, Stop: &history.Stop{Clean: true}},
		history.Event{Kind: history.EndMark, At: ms(500)})...)
	if len(got.Violations) == 0 || got.Violations[0].Law != "lost" {
		t.Fatalf("violations %+v; %s", got.Violations, got.Doubt)
	}
	got.Failed(Scenario{Verdict: Fail, Finding: "alive of worker-1", FailedAt: got.Header.Origin.Add(ms(50)), Reason: "it died"})
	if first := got.Violations[0]; first.Law != "alive of worker-1" || first.At != ms(50) {
		t.Errorf("the first one is %+v", first)
	}
}

func TestATornHistoryIsShownAsFarAsItGoes(t *testing.T) {
	for name, rest := range map[string]string{"torn": `{"k":"rea`, "broken": "oops\n" + `{"k":"end","t":2000000000}` + "\n"} {
		line, _ := (&history.Event{Kind: history.ReadingMark, At: ms(10), Reading: &history.Reading{Of: "controller", Text: "no broker"}}).AppendJSON(nil)
		r, err := history.NewReader(strings.NewReader(header + string(line) + "\n" + rest))
		if err != nil {
			t.Fatal(err)
		}
		got := Of(r)
		if len(got.Lanes) != 1 || got.Doubt == "" {
			t.Errorf("%s: %d lanes, doubt %q", name, len(got.Lanes), got.Doubt)
		}
	}
}

func TestTheTextSaysTheSame(t *testing.T) {
	got := timeline(t, reading(10, "broker-1 registration", "broker-1 is absent from ZooKeeper"), fault(1234, 1, "kill node=broker-1", history.Intended))
	got.Violations = []Violation{{ms(500), "lost", "orders/0, offset 7"}}
	var text strings.Builder
	if err := got.Text(&text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	for i, want := range []string{"    0.010 s  broker-1      broker-1 is absent from ZooKeeper", "    0.500 s  !! lost       orders/0, offset 7",
		"    1.234 s  broker-1      kill node=broker-1: intended"} {
		if lines[3+i] != want {
			t.Errorf("line %d is %q, want %q", 3+i, lines[3+i], want)
		}
	}
}
