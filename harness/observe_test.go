package harness

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/history"
	"kafkachaos/harness/state"
)

// told is a sink that keeps what it is told, one line each, with the seconds since
// it was made.
type told struct {
	mu    sync.Mutex
	began time.Time
	lines []string
}

func (s *told) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%.1f ", time.Since(s.began).Seconds())+fmt.Sprintf(format, args...))
}

func (s *told) Reading(r history.Reading) { s.add("%s: %s, by %s", r.Of, r.Text, r.By) }
func (s *told) Owners(o history.Owners)   { s.add("%d %v", o.Generation, o.Owned) }

func (s *told) expect(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.lines, want) {
		t.Errorf("told\n  %s\nwant\n  %s", strings.Join(s.lines, "\n  "), strings.Join(want, "\n  "))
	}
}

// value is a reading made by zk-1, at another time each time.
type value struct {
	state.Source
	text string
}

func (v value) String() string { return v.text + " (read " + v.Source.String() + ")" }

// scene is something that can be observed: its value, or that it cannot be read,
// and who watches it.
type scene struct {
	mu      sync.Mutex
	text    string
	err     error
	watches []chan state.ZNodeChange
}

func (s *scene) read(context.Context) (reported, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return value{state.Source{By: "zk-1", At: time.Now()}, s.text}, s.err
}

func (s *scene) watch(ctx context.Context, _ string) (<-chan state.ZNodeChange, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	out := make(chan state.ZNodeChange, 8)
	s.watches = append(s.watches, out)
	context.AfterFunc(ctx, func() { close(out) })
	return out, nil
}

func (s *scene) set(text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.err = text, err
	for _, watch := range s.watches {
		watch <- state.ZNodeChange{}
	}
}

func TestEveryChangeIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sink, seen := &told{began: time.Now()}, &scene{text: "up"}
		o := &observer{into: sink}
		o.follow(ctx, subject{name: "broker-1", every: time.Second, read: seen.read})
		at := time.Now()
		read := func() string {
			return "(read by zk-1 at " + at.Format("15:04:05.000") + "), by zk-1"
		}
		want := []string{"0.0 broker-1: up " + read()}
		time.Sleep(2500 * time.Millisecond)
		seen.set("down", nil)
		time.Sleep(2 * time.Second)
		at = at.Add(3 * time.Second)
		want = append(want, "3.0 broker-1: down "+read())
		seen.set("", errors.New("refused"))
		time.Sleep(time.Second)
		seen.set("", errors.New("still refused")) // the same trouble
		want = append(want, "5.0 broker-1: could not read: refused, by the witness")
		time.Sleep(2 * time.Second)
		seen.set("down", nil)
		time.Sleep(time.Second)
		at = at.Add(5 * time.Second)
		want = append(want, "8.0 broker-1: down "+read())
		cancel()
		o.all.Wait()
		seen.set("up", nil)
		time.Sleep(time.Minute)
		sink.expect(t, want...)
	})
}

func TestAWatchTellsAtOnceAndIsSetAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sink, seen := &told{began: time.Now()}, &scene{err: errors.New("away")}
		o := &observer{into: sink, watch: seen.watch}
		o.follow(ctx, subject{name: "controller", paths: []string{"/controller", "/controller_epoch"}, every: time.Hour, read: seen.read})
		time.Sleep(time.Second)
		seen.set("broker-1", nil)
		time.Sleep(2 * lookAgain) // until both watches are set
		for _, text := range []string{"broker-2", "broker-3"} {
			seen.set(text, nil)
			time.Sleep(time.Second / 10)
		}
		cancel()
		o.all.Wait()
		sink.expect(t, "0.0 controller: could not read: away, by the witness",
			"5.0 controller: broker-2 (read by zk-1 at "+sink.began.Add(5*time.Second).Format("15:04:05.000")+"), by zk-1",
			"5.1 controller: broker-3 (read by zk-1 at "+sink.began.Add(5100*time.Millisecond).Format("15:04:05.000")+"), by zk-1")
	})
}

func TestWhatIsNewIsFollowedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sink, seen := &told{began: time.Now()}, &scene{text: "led"}
		o := &observer{into: sink}
		looked := 0
		o.all.Go(func() {
			o.discover(ctx, func(context.Context) []subject {
				if looked++; looked != 3 {
					return nil
				}
				return []subject{{name: "leader of orders-0", every: time.Second, read: seen.read}}
			})
		})
		time.Sleep(10500 * time.Millisecond)
		cancel()
		o.all.Wait()
		if len(sink.lines) != 1 || !strings.HasPrefix(sink.lines[0], "2.0 leader of orders-0: led") || looked != 11 {
			t.Errorf("told %q after %d looks", sink.lines, looked)
		}
	})
}

func TestOwnersAreToldOfAGroupAtRest(t *testing.T) {
	member := func(worker string, tasks ...int) state.Member {
		m := state.Member{ID: "id-" + worker, URL: "http://" + worker + ":8083"}
		for _, n := range tasks {
			m.Tasks = append(m.Tasks, state.TaskID{Connector: "sink", Task: n})
		}
		return m
	}
	group := func(generation int, word string, members ...state.Member) state.GroupView {
		return state.GroupView{Source: state.Source{By: "broker-1", At: time.Now()}, Group: "connect", State: word, Generation: generation, Members: members}
	}
	failed := errors.New("no coordinator")
	steps := []struct {
		group state.GroupView
		err   error
		want  string
	}{
		{group(1, "Stable", member("worker-1", 0, 1)), nil, ""},
		{group(1, "Stable", member("worker-1", 0, 1)), nil, "1 map[worker-1:[sink-0 sink-1]]"},
		{group(1, "Stable", member("worker-1", 0), member("worker-2", 1)), nil, ""}, // of generation 2, for all we know
		{group(2, "Stable", member("worker-1", 0), member("worker-2", 1)), nil, ""},
		{group(2, "Stable", member("worker-1", 0), member("worker-2", 1)), nil, "2 map[worker-1:[sink-0] worker-2:[sink-1]]"},
		{group(2, "PreparingRebalance", member("worker-1")), nil, ""},
		{group(2, "PreparingRebalance", member("worker-1")), nil, ""},
		{group(3, "Stable", state.Member{ID: "x"}), nil, ""},
		{state.GroupView{}, failed, ""},
		{group(3, "Stable", state.Member{ID: "x"}), nil, ""},
		{group(3, "Stable", state.Member{ID: "x"}), nil, "3 map[x:[]]"},
		{group(-1, "Stable"), nil, ""},
		{group(-1, "Stable"), nil, ""},
	}
	sink, at := &told{}, 0
	read := tellingOwners(func(context.Context) (state.GroupView, error) { return steps[at].group, steps[at].err }, sink)
	for i, step := range steps {
		at, sink.lines = i, nil
		sink.began = time.Now()
		got, err := read(t.Context())
		if !reflect.DeepEqual(got, step.group) || !errors.Is(err, step.err) {
			t.Errorf("step %d: read %v, %v", i, got, err)
		}
		if step.want == "" {
			sink.expect(t)
		} else {
			sink.expect(t, "0.0 "+step.want)
		}
	}
}

func TestLeadership(t *testing.T) {
	by := state.Source{By: "zk-1", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	p := state.Partition{Topic: "orders", Partition: 2, Leader: -1}
	node := state.ZNode{Source: by, Path: "/brokers/topics/orders/partitions/2/state"}
	for data, want := range map[string]string{
		"":                         "orders-2 has no state in ZooKeeper",
		`{"leader":3,"isr":[3,1]}`: "orders-2 is led by broker-3, in sync [3 1]",
		`{"leader":-1,"isr":[2]}`:  "orders-2 has no leader, in sync [2]",
	} {
		node.Exists, node.Data = data != "", []byte(data)
		view, err := leadership(p, node)
		if err != nil || view.String() != want+" (read by zk-1 at 03:04:05.000)" || says(view) != want+" (read )" {
			t.Errorf("%q: read %v, %v", data, view, err)
		}
	}
	node.Exists, node.Data = true, []byte("torn")
	if _, err := leadership(p, node); err == nil {
		t.Error("read what Kafka did not write")
	}
}
