package invariant

import (
	"strings"
	"testing"

	"kafkachaos/harness/history"
)

// TestWhatPromisesALaw has each law with the configuration that promises it, and
// with each single change after which it is not.
func TestWhatPromisesALaw(t *testing.T) {
	type config struct {
		brokers  string
		topic    history.Topic
		client   history.Client
		unclean  bool // a broker stopped uncleanly
		fault    bool
		demanded bool
		deleted  bool
	}
	best := config{"3.9.2", history.Topic{Number: 1, Name: "orders", Partitions: 1, Replicas: 3, MinInSync: 2},
		history.Client{Number: 1, Name: "alice", Role: history.Producer, Acks: "all", Idempotent: true, InFlight: 5, Transactional: true},
		true, true, false, false}
	acks1 := func(c *config) { c.client.Acks = "1" }
	calmly := func(c *config) { c.unclean, c.fault = false, false }
	stops := func(c *config) { c.fault = false }
	elections := func(c *config) { c.topic.Unclean = true }
	one := func(c *config) { c.topic.MinInSync = 1 }
	release := func(version string) func(*config) { return func(c *config) { c.brokers = version } }
	plain := func(c *config) { c.client.Idempotent = false }
	flight := func(n int) func(*config) { return func(c *config) { c.client.InFlight = n } }
	source := func(c *config) { c.client.Role = history.Source }
	once := func(c *config) { c.client.ExactlyOnce = true }
	demand := func(c *config) { c.demanded = true }
	deleted := func(c *config) { c.deleted = true }
	tests := []struct {
		laws    []Law
		changes []func(*config)
		by      string // in what promises it
		not     string // in what does not
	}{
		{[]Law{Lost, Unseen, Moved}, nil, "acks=all, min.insync.replicas=2 of 3, unclean.leader.election.enable=false", ""},
		{[]Law{Lost, Unseen, Moved}, []func(*config){acks1}, "", "acks=1"},
		{[]Law{Lost, Unseen, Moved}, []func(*config){acks1, calmly}, "acks=1, no fault", ""},
		{[]Law{Lost, Unseen, Moved}, []func(*config){acks1, stops}, "", "acks=1"},
		{[]Law{Lost, Unseen, Moved}, []func(*config){func(c *config) { c.client.Acks = "0" }, calmly}, "", "acks=0"},
		{[]Law{Lost, Unseen, Moved}, []func(*config){one}, "", "min.insync.replicas=1 of 3, a broker stopped uncleanly"},
		{[]Law{Lost, Unseen, Moved}, []func(*config){one, calmly}, "acks=all", ""},
		{[]Law{Lost, Unseen, Moved}, []func(*config){release("0.10.2.0")}, "", "KIP-101"},
		{[]Law{Lost, Unseen, Moved}, []func(*config){release("0.10.2.0"), calmly}, "acks=all", ""},
		{[]Law{Lost, Unseen, Moved}, []func(*config){release("0.11.0.0")}, "acks=all", ""},
		{[]Law{Lost, Unseen, Moved}, []func(*config){release("")}, "acks=all", ""},
		{[]Law{Lost, Unseen, Moved, Duplicate, Conflict, Reordered, Backwards, Skipped}, []func(*config){elections}, "", "unclean.leader.election.enable=true"},
		{[]Law{Lost, Duplicate, Reordered}, []func(*config){elections, demand}, "demanded", ""},
		{[]Law{Lost, Duplicate, Phantom, Backwards}, []func(*config){demand, deleted}, "", "deleted"},

		{[]Law{Duplicate}, nil, "enable.idempotence=true", ""},
		{[]Law{Duplicate}, []func(*config){plain}, "", "enable.idempotence=false"},
		{[]Law{Duplicate}, []func(*config){release("0.10.2.0")}, "", "no idempotence"},
		{[]Law{Duplicate}, []func(*config){source}, "", "a source at least once"},
		{[]Law{Duplicate}, []func(*config){source, plain, once}, "exactly-once source", ""},

		{[]Law{Conflict}, nil, "unclean.leader.election.enable=false", ""},
		{[]Law{Conflict}, []func(*config){acks1}, "", "acks=1"},
		{[]Law{Conflict}, []func(*config){acks1, calmly}, "unclean.leader.election.enable=false", ""},
		{[]Law{Conflict}, []func(*config){release("0.10.2.0")}, "", "KIP-101"},
		{[]Law{Conflict}, []func(*config){release("0.10.2.0"), calmly}, "unclean.leader.election.enable=false", ""},

		{[]Law{Reordered}, nil, "max.in.flight.requests.per.connection=5", ""},
		{[]Law{Reordered}, []func(*config){plain}, "", "enable.idempotence=false"},
		{[]Law{Reordered}, []func(*config){plain, flight(1)}, "max.in.flight.requests.per.connection=1", ""},
		{[]Law{Reordered}, []func(*config){flight(6)}, "", "max.in.flight.requests.per.connection=6"},
		{[]Law{Reordered}, []func(*config){flight(0)}, "", "max.in.flight.requests.per.connection=0"},
		{[]Law{Reordered}, []func(*config){release("0.11.0.3")}, "", "max.in.flight.requests.per.connection=5"},

		{[]Law{Aborted}, nil, "isolation.level=read_committed", ""},
		{[]Law{Aborted}, []func(*config){func(c *config) { c.client.Transactional = false }}, "", "no transactions"},
		{[]Law{Aborted}, []func(*config){release("0.10.2.0")}, "", "no transactions"},

		{[]Law{SinkDuplicate}, nil, "", "at least once"},
		{[]Law{SinkDuplicate}, []func(*config){once}, "exactly-once sink", ""},
		{[]Law{SinkDuplicate}, []func(*config){calmly}, "no fault", ""},
		{[]Law{Phantom, Refused, SinkReordered}, []func(*config){acks1, elections, one, plain}, "every configuration", ""},
	}
	for _, test := range tests {
		c := best
		for _, change := range test.changes {
			change(&c)
		}
		tape := &tape{header: history.Header{Brokers: c.brokers}}
		tape.topic(c.topic)
		tape.client(c.client)
		if c.unclean {
			tape.stop("broker-1", false)
		}
		if c.fault {
			tape.fault(history.Fault{}, history.Intended)
		}
		for _, law := range test.laws {
			j, err := New(tape.header)
			if err != nil {
				t.Fatal(err)
			}
			for i := range tape.events {
				if err := j.Take(&tape.events[i]); err != nil {
					t.Fatal(err)
				}
			}
			j.demanded[law] = c.demanded
			j.topics[0].deleted = c.deleted
			got := j.promise(key{law, 1, 1})
			if got.Holds != (test.not == "") || !strings.Contains(got.By, test.by) || !strings.Contains(got.By, test.not) {
				t.Errorf("%s with %+v: %+v, want it by %q, not by %q", law, c, got, test.by, test.not)
			}
		}
	}
}
