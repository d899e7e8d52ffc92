package faults

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestSymptomsAreToldFromOneAnother(t *testing.T) {
	const second = time.Second
	echoes := map[string]Echo{
		"refused":   {},
		"silent":    {Connected: true, Took: second},
		"closed":    {Connected: true, Closed: true},
		"prompt":    {Connected: true, Answered: true, Took: 2 * time.Millisecond},
		"late":      {Connected: true, Answered: true, Took: second},
		"not quite": {Connected: true, Answered: true, Took: 800 * time.Millisecond},
	}
	healthy, slow := echoes["prompt"], Echo{Connected: true, Answered: true, Took: 900 * time.Millisecond}
	cases := []struct {
		symptom symptom
		before  Echo
		shown   string
	}{
		{silent, healthy, "silent"},
		{refused, healthy, "refused closed"}, // a forwarder in between accepts, and closes at once
		{closed, healthy, "closed"},
		{lost, healthy, "silent closed"},
		{lost, Echo{Connected: true, Closed: true}, ""}, // nobody answered before, either
		{slower, healthy, "late"},
		{slower, slow, ""}, // it was as slow before
	}
	for _, c := range cases {
		for name, echo := range echoes {
			if got, want := c.symptom.in(echo, c.before, second), strings.Contains(c.shown, name) && c.shown != ""; got != want {
				t.Errorf("%v shows symptom %d after %v: %t, want %t", echo, c.symptom, c.before, got, want)
			}
		}
	}
}

func TestAHealedLinkIsLeftToTheFaultThatStillDisturbsIt(t *testing.T) {
	cases := []struct {
		other   Fault
		excused bool
	}{
		{Kill(Node(b2)), true},                 // the far node is down
		{Blackhole(b1b2), true},                // the link is silent all the same
		{Kill(Node(b1)), false},                // who dials does not matter to a probe
		{Blackhole(b1b2.Back(), b1zk1), false}, // other links
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			world := newWorld()
			rig := world.rig()
			err := During(t.Context(), rig, c.other, func(ctx context.Context) error {
				before := len(world.calls())
				err := During(ctx, rig, Cut(b1b2), nothing)
				probes := strings.Count(strings.Join(world.calls()[before:], "\n"), "probe broker-1→broker-2")
				if want := map[bool]int{true: 1, false: 2}[c.excused]; probes != want {
					t.Errorf("during %v: %d probes, want %d", c.other, probes, want)
				}
				return err
			})
			if err != nil {
				t.Errorf("during %v: %v", c.other, err)
			}
		})
	}
}

// A proof may not stretch the hold: the next steps of a plan rely on the heal.
func TestAProofThatTakesLongerThanTheHoldHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		began := time.Now()
		err := During(t.Context(), world.rig(), For(500*time.Millisecond, Delay(time.Second, b1zk1)), nil)
		if took := time.Since(began); !errors.Is(err, ErrInconclusive) || took > 510*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		world.clean(t)
	})
}

func TestShortFlapsAreProvedByShortProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		if err := During(t.Context(), world.rig(), Flap(Blackhole(b1zk1), Square(200*time.Millisecond, 3)), nil); err != nil {
			t.Error(err)
		}
	})
}

func TestADelayThatLastsAfterTheHealIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		err := During(t.Context(), world.rig(), Delay(time.Second, b1zk1), func(context.Context) error {
			world.rtt = 4 * time.Second // as after a toxic that came back
			return nil
		})
		if !errors.Is(err, ErrNotHealed) {
			t.Errorf("During = %v", err)
		}
	})
}
