package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// edges tells when the link was cut and opened, since the call, for so long.
func edges(world *world, d time.Duration) (at []time.Duration) {
	was, began := false, time.Now()
	for time.Since(began) < d {
		is := world.isCut(b1zk1)
		if is != was {
			at = append(at, time.Since(began))
		}
		was = is
		time.Sleep(time.Millisecond)
		synctest.Wait()
	}
	return at
}

func flapped(t *testing.T, wave Wave, d time.Duration) (at []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		injection, err := world.rig().Prepare(Flap(Cut(b1zk1), wave))
		if err == nil {
			err = injection.Inject(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		at = edges(world, d)
		if err := errors.Join(injection.Prove(t.Context()), injection.Heal(t.Context()), injection.ProveHealed(t.Context())); err != nil {
			t.Error(err)
		}
		world.clean(t)
	})
	return at
}

func ms(n ...int) (all []time.Duration) {
	for _, n := range n {
		all = append(all, time.Duration(n)*time.Millisecond)
	}
	return all
}

func TestASquareWaveFlapsAtItsTimes(t *testing.T) {
	wave := Square(time.Second, 3)
	if got, want := flapped(t, wave, 10*time.Second), ms(0, 500, 1000, 1500, 2000, 2500); !slices.Equal(got, want) {
		t.Errorf("edges at %v, want %v", got, want)
	}
	wave.Duty, wave.Count = 0.2, 0 // goes on until it is healed
	if got, want := flapped(t, wave, 2500*time.Millisecond), ms(0, 200, 1000, 1200, 2000, 2200); !slices.Equal(got, want) {
		t.Errorf("edges at %v, want %v", got, want)
	}
}

func TestADrawnWaveHangsOnItsSeedAlone(t *testing.T) {
	wave := Drawn(time.Second, 5, 200*time.Millisecond, 7)
	first := flapped(t, wave, 10*time.Second)
	if again := flapped(t, wave, 10*time.Second); !slices.Equal(first, again) || len(first) != 10 {
		t.Errorf("edges at %v, then at %v", first, again)
	}
	for i := 1; i < len(first); i++ {
		if length := first[i] - first[i-1]; length < 299*time.Millisecond || length > 701*time.Millisecond {
			t.Errorf("edges at %v: one of %v", first, length)
		}
	}
	wave.Seed = 8
	if other := flapped(t, wave, 10*time.Second); slices.Equal(first, other) {
		t.Errorf("another seed drew the same edges %v", first)
	}
}

func TestFlapsWithoutABodyLastTheirCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		began := time.Now()
		err := During(t.Context(), world.rig(), Flap(Blackhole(b1zk1), Square(4*time.Second, 2)), nil)
		if took := time.Since(began); err != nil || took != 6*time.Second {
			t.Errorf("During = %v after %v, want 6s", err, took)
		}
		world.clean(t)
	})
}

func TestFlapsWithoutEffectAreInconclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		world.deaf = true
		err := During(t.Context(), world.rig(), Flap(Blackhole(b1zk1), Square(time.Second, 2)), nil)
		if !errors.Is(err, ErrInconclusive) {
			t.Errorf("During = %v", err)
		}
	})
}

func TestAFlapThatCannotHealIsHealedAgainAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		rig := world.rig()
		failures := 0
		world.fail = func(call string) error {
			if call == "enable broker-1→zk-1 true" && failures < 1 {
				failures++
				return errFake
			}
			return nil
		}
		err := During(t.Context(), rig, Flap(Cut(b1zk1), Square(time.Second, 5)), nil)
		if !errors.Is(err, ErrInconclusive) || !errors.Is(err, errFake) {
			t.Errorf("During = %v, want the early end told", err)
		}
		world.clean(t)
		if len(rig.Active()) > 0 {
			t.Errorf("left active: %v", rig.Active())
		}
	})
}

func TestFlapsThatCannotBeAreRefused(t *testing.T) {
	cases := map[string]Fault{
		"period=0s":        Flap(Cut(b1zk1), Wave{}),
		"period=-1s":       Flap(Cut(b1zk1), Square(-time.Second, 1)),
		"duty=1":           Flap(Cut(b1zk1), Wave{Period: time.Second, Duty: 1}),
		"count":            Flap(Cut(b1zk1), Square(time.Second, -1)),
		"jitter=500ms":     Flap(Cut(b1zk1), Drawn(time.Second, 1, 500*time.Millisecond, 1)),
		"there is no link": Flap(Cut(b1zk1.Back()), Square(time.Second, 1)),
	}
	for want, fault := range cases {
		world := newWorld()
		err := During(t.Context(), world.rig(), fault, nil)
		if err == nil || !strings.Contains(err.Error(), want) || len(world.calls()) > 0 {
			t.Errorf("%v: %v, want %q", fault, err, want)
		}
	}
}

// A flap's first injection fails like that of any fault.
func TestAFlapThatCannotBeginIsAnError(t *testing.T) {
	world := newWorld()
	world.fail = func(call string) error {
		if strings.HasPrefix(call, "enable") && strings.HasSuffix(call, "false") {
			return errFake
		}
		return nil
	}
	err := During(t.Context(), world.rig(), Flap(Cut(b1zk1), Square(time.Second, 1)), func(context.Context) error {
		t.Error("the body ran")
		return nil
	})
	if !errors.Is(err, errFake) {
		t.Errorf("During = %v", err)
	}
	world.clean(t)
}
