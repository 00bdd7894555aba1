package nn

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLost is returned by Run of a [Fragile] backend when its device is lost. The server
// then opens other backends for its queries.
var ErrLost = errors.New("the device is lost")

// Fragile is a [Backend] on a device that may be lost while the program runs. Once Run has
// returned [ErrLost], or Lost was called, every Run on the device returns [ErrLost] and the
// model opens backends that do not need the device.
type Fragile interface {
	Backend
	// Lost declares the device lost because a run does not end. The error says how long the run
	// has taken. The caller must not use the backend afterwards.
	Lost(error)
}

// FirstRun runs a new backend. opened is the time that opening it took: the device is lost if the run
// takes longer than patienceUsual and longer than a multiple of that time.
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

var errHangs = fmt.Errorf("%w: it hangs", ErrLost)

// Await returns the result of call, or the cause of the context's end if the context ends first: a
// call into a driver may never return. If call returns after the context has ended, its goroutine
// passes the result to the function late, unless late is nil.
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
