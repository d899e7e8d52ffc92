package rig

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/state"
)

// readings are handed out one after the other, the last one for ever; -1 is one
// that fails.
func readings(values ...int) func(context.Context) (int, error) {
	n := 0
	return func(context.Context) (int, error) {
		value := values[min(n, len(values)-1)]
		n++
		if value < 0 {
			return 0, errors.New("nobody plays the part")
		}
		return value, nil
	}
}

func changed(was, is int) bool { return is != was }

func TestPollingFiresAtTheFirstOtherReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		events, err := polled(t.Context(), readings(1, 1, -1, 1, 2), changed)
		if err != nil {
			t.Fatal(err)
		}
		if event := <-events; event.Err != nil || event.At.Sub(began) != 4*pollEvery {
			t.Errorf("got %v after %v", event.Err, event.At.Sub(began))
		}
	})
}

func TestPollingSaysWhyItEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		events, err := polled(ctx, readings(1, -1), changed)
		if err != nil {
			t.Fatal(err)
		}
		if event := <-events; !errors.Is(event.Err, context.DeadlineExceeded) {
			t.Errorf("got %v", event)
		}
		if _, err := polled(ctx, readings(-1), changed); err == nil {
			t.Error("it was armed without a first reading")
		}
	})
}

func TestAChangeFiresAtTheTimeOfTheChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := make(chan state.ZNodeChange)
		events := make(chan faults.Event, 1)
		go func() {
			events <- firstThat(t.Context(), changes, readings(1, 2), func(is int) bool { return is == 2 })
		}()
		tell := func() time.Time {
			at := time.Now()
			changes <- state.ZNodeChange{Node: state.ZNode{Source: state.Source{At: at}}}
			time.Sleep(time.Second)
			return at
		}
		tell() // of no matter
		at := tell()
		if event := <-events; event.Err != nil || !event.At.Equal(at) {
			t.Errorf("got %v, want it at %v", event, at)
		}
	})
}

// Between two holders of a part there may be nobody, and no further change.
func TestAReadingThatFailsAfterAChangeIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		changes := make(chan state.ZNodeChange, 1)
		changes <- state.ZNodeChange{}
		began := time.Now()
		event := firstThat(t.Context(), changes, readings(-1, -1, 2), func(is int) bool { return is == 2 })
		if event.Err != nil || event.At.Sub(began) != 2*pollEvery {
			t.Errorf("got %v after %v", event.Err, event.At.Sub(began))
		}
	})
}

func TestAWatchThatEndsSaysSo(t *testing.T) {
	changes := make(chan state.ZNodeChange)
	close(changes)
	if event := firstThat(t.Context(), changes, readings(1), func(int) bool { return false }); event.Err == nil {
		t.Errorf("got %v", event)
	}
}

func TestAnUnknownConditionIsRefused(t *testing.T) {
	if _, err := (Watch{}).Arm(t.Context(), faults.Condition{Kind: "moon-is-full"}); !errors.Is(err, faults.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
