package engine

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAFreezeIsAskedForUntilItSucceeds(t *testing.T) {
	unable := errors.New("OCI runtime pause failed: unable to freeze: unknown")
	gone := errors.New("no such container")
	for name, c := range map[string]struct {
		said []error // in turn, the last again and again
		want error
		asks int
	}{
		"at once":      {[]error{nil}, nil, 1},
		"third time":   {[]error{unable, unable, nil}, nil, 3},
		"other errors": {[]error{unable, gone}, gone, 2},
		"never":        {[]error{unable}, unable, 102},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asks := 0
				err := freeze(t.Context(), func() error {
					asks++
					return c.said[min(asks, len(c.said))-1]
				})
				if !errors.Is(err, c.want) || asks != c.asks {
					t.Errorf("%v after %d asks, want %v after %d", err, asks, c.want, c.asks)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		if err := freeze(ctx, func() error { return unable }); !errors.Is(err, unable) || time.Since(begun) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}
