package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/internal/engine"
)

func TestUntilEndsWithTheReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := 0
		began := time.Now()
		err := until(t.Context(), "the third reading", func(context.Context) error {
			if readings++; readings < 3 {
				return errors.New("not yet")
			}
			return nil
		})
		if err != nil || time.Since(began) != 2*pollEvery {
			t.Errorf("ended after %v with %v", time.Since(began), err)
		}
	})
}

func TestUntilSaysWhatItSawLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := until(ctx, "broker-1 to be ready", func(ctx context.Context) error {
			if ctx.Err() != nil {
				return errors.New("cut off")
			}
			return errors.New("broker-1 is absent")
		})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "broker-1 is absent") {
			t.Errorf("error %v: want the time-out and the last reading", err)
		}
	})
}

func TestUntilDoesNotWaitForTheDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := until(t.Context(), "broker-1 to be ready", func(context.Context) error {
			return fmt.Errorf("%w: exit code 1", engine.ErrDied)
		})
		if !errors.Is(err, engine.ErrDied) || time.Since(began) != 0 {
			t.Errorf("ended after %v with %v", time.Since(began), err)
		}
	})
}
