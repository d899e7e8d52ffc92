package harness

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestAwaitWaitsForAllEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listens, agreed := make(event), make(event)
		over := make(chan error, 1)
		go func() { over <- awaitAll(t.Context(), listens, agreed) }()
		for _, one := range []event{agreed, listens} {
			synctest.Wait()
			if len(over) > 0 {
				t.Fatal("it did not wait for all")
			}
			if err := one.unless(nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
}

func TestWhatFailedDoesNotHappen(t *testing.T) {
	failed, listens := errors.New("port taken"), make(event)
	if err := listens.unless(failed); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := awaitAll(over, listens); !errors.Is(err, context.Canceled) {
		t.Errorf("waited with %v", err)
	}
	if err := awaitAll(over); err != nil {
		t.Errorf("waited for nothing: %v", err)
	}
}
