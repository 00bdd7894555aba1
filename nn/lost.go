package nn

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLost is what Run of a [Fragile] backend returns when its device is lost. Its queries
// are answered by the backend that the model opens then.
var ErrLost = errors.New("the device is lost")

// Fragile is a [Backend] on a device that may be lost while the program goes on. Once Run
// has returned [ErrLost], or Lost was called, every Run on the device returns [ErrLost] and
// the model opens backends that do without it.
type Fragile interface {
	Backend
	// Lost is told that a run does not come to an end, by an error that says for how
	// long. The backend is not used any more, nor closed before the run has ended.
	Lost(error)
}

// FirstRun runs a backend that was opened just now, in so much time. A device that hangs
// is lost.
func FirstRun(b Backend, rows int, opened time.Duration) error {
	f, ok := b.(Fragile)
	if !ok {
		return b.Run(rows)
	}
	patience := max(patienceUsual, manyTimes*opened).Round(time.Second)
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errHangs)
	defer cancel()
	_, err := Await(ctx, func() (struct{}, error) { return struct{}{}, b.Run(rows) }, nil)
	if errors.Is(err, errHangs) {
		f.Lost(fmt.Errorf("its first run has not ended after %v", patience))
	}
	return err
}

// errHangs says that a first run does not end.
var errHangs = fmt.Errorf("%w: it hangs", ErrLost)

// Await returns what call returns, or the cause of the context's end if that comes first:
// a call into a driver may never return. What it returns later goes to late, if that is
// set, on the goroutine of the call.
func Await[T any](ctx context.Context, call func() (T, error), late func(T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result)
	go func() {
		value, err := call()
		select {
		case done <- result{value, err}:
		case <-ctx.Done():
			if late != nil {
				late(value, err)
			}
		}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
