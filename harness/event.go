package harness

import "context"

// event is closed once what it is named after has happened.
type event chan struct{}

// unless lets the event happen, but not with an error, which it returns.
func (e event) unless(err error) error {
	if err == nil {
		close(e)
	}
	return err
}

// awaitAll returns when all of the events have happened, or ctx is over.
func awaitAll(ctx context.Context, events ...event) error {
	for _, e := range events {
		select {
		case <-e:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
