package faults

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/topology"
)

// killed are the nodes that the recorder was told of.
func (t *tape) killed() (nodes []string) {
	for _, entry := range t.entries {
		if entry.Did == "kill" {
			nodes = append(nodes, entry.Fault)
		}
	}
	return nodes
}

// TestWhoeverIsKilledIsRecorded: by name or as the holder of a role, once or again
// and again, alone or within another fault; and nobody who is not killed.
func TestWhoeverIsKilledIsRecorded(t *testing.T) {
	readers := CoordinatorOf("readers")
	tests := []struct {
		fault Fault
		want  []string
	}{
		{Kill(Node(b1)), []string{"broker-1"}},
		{Kill(Node(zk1)), []string{"zk-1"}},
		{Kill(Controller), []string{"broker-2"}},
		{Kill(readers), []string{"broker-3"}},
		{Kill(LeaderOf("orders", 0)), []string{"broker-1"}},
		{WorkerDies(ConnectLeader), []string{"worker-1"}},
		{Bounce(Controller), []string{"broker-2"}},
		{CrashLoop(Controller, 2, time.Second, time.Second), []string{"broker-2", "broker-2"}},
		{Guarded(1, Kill(Controller)), []string{"broker-2"}},
		{Together(Kill(Node(b1)), Kill(readers)), []string{"broker-1", "broker-3"}},
		{Sequence(For(time.Second, Terminate(Node(b1))), Bounce(Node(b1))), []string{"broker-1"}},

		{Terminate(Controller), nil},
		{Restart(Controller), nil},
		{RollingRestart(0, b1, b2), nil},
		{Pause(Controller), nil},
		{WorkerLeaves(Node(w1)), nil},
		{Expire(Controller), nil},
	}
	for _, test := range tests {
		t.Run(test.fault.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world, record := newWorld(), &tape{}
				for role, holder := range map[Role]topology.Node{Controller: b2, readers: b3, LeaderOf("orders", 0): b1, ConnectLeader: w1} {
					world.roles[role] = holder
				}
				rig := world.rig()
				rig.Recorder = record
				if err := During(t.Context(), rig, test.fault, nil); err != nil {
					t.Error(err)
				}
				got := record.killed()
				slices.Sort(got)
				if !slices.Equal(got, test.want) {
					t.Errorf("killed %q, want %q", got, test.want)
				}
			})
		})
	}
}

// TestAKillOfNecessityIsRecorded: of a process that did not shut down when it was
// told to; and not a kill that never reached its process.
func TestAKillOfNecessityIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, record := newWorld(), &tape{}
		world.then = func(call string) {
			if call == "terminate broker-1" {
				world.procs[b1] = Process{State: Running, Started: time.Unix(1, 0)} // it hangs in its shutdown
			}
		}
		rig := world.rig()
		rig.Recorder = record
		if err := During(t.Context(), rig, Terminate(Node(b1)), nil); !errors.Is(err, ErrInconclusive) {
			t.Errorf("During = %v", err)
		}
		if got := record.killed(); !slices.Equal(got, []string{"broker-1"}) {
			t.Errorf("killed %q", got)
		}
		record.entries = nil
		world.then, world.fail = nil, func(call string) error {
			if call == "kill broker-2" {
				return errFake
			}
			return nil
		}
		if err := During(t.Context(), rig, Kill(Node(b2)), nil); !errors.Is(err, errFake) || len(record.killed()) > 0 {
			t.Errorf("During = %v, killed %q", err, record.killed())
		}
	})
}
