package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// lease keeps the stock of leased game numbers (assignment.stock) filled and switches to new offers.
func (w *Worker) lease(ctx context.Context, work *sync.WaitGroup, stop context.CancelCauseFunc) error {
	failures, faults := 0, 0
	for ctx.Err() == nil {
		r, err := ask[leaseReply](ctx, w.conf.Conn, verbLease, pack(leaseRequest{w.wants(), w.holds()}), 10*time.Second)
		if err != nil {
			failures++
			pause(ctx, backoff(failures))
			continue
		}
		failures = 0
		if r.Hello {
			if r.Refused != "" {
				return fmt.Errorf("%w: %s", ErrRefused, r.Refused)
			}
			if err := w.hello(ctx); err != nil {
				return err
			}
			continue
		}
		if r.Offer != nil && (w.now == nil || w.now.offer.ID != r.Offer.ID) {
			t, err := w.prepare(ctx, r.Offer)
			if err != nil {
				if faults++; errors.Is(err, ErrRefused) || faults == 5 {
					return err
				}
				w.conf.Log.Warn("the work cannot be taken up yet", "error", err)
				pause(ctx, backoff(faults+4))
				continue
			}
			faults = 0
			w.leave()
			w.mu.Lock()
			w.now, w.all = t, append(w.all, t)
			w.mu.Unlock()
			work.Go(func() { w.play(ctx, t, stop) })
		}
		if r.Exam != nil {
			if _, err := w.exam(ctx, r.Exam, w.now.model.Evaluator); err != nil {
				return err
			}
			continue
		}
		w.keep(r)
		if r.WaitMS > 0 { // the server asks to wait, even if numbers are wanted
			pause(ctx, min(w.conf.Poll, time.Duration(r.WaitMS)*time.Millisecond))
			select {
			case <-w.low:
			default:
			}
			continue
		}
		select {
		case <-w.low:
		case <-time.After(w.conf.Poll):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// keep puts leased numbers into the stock.
func (w *Worker) keep(r *leaseReply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range r.Numbers {
		select {
		case w.now.stock <- n:
			w.held[n] = true
		default: // more numbers than requested
		}
	}
}

// wants returns how many more game numbers the stock can hold.
func (w *Worker) wants() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		return 0
	}
	return max(0, cap(w.now.stock)-len(w.now.stock))
}

func (w *Worker) holds() []uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.held))
}

// number takes a game number out of an assignment's stock, for which it waits; false if no games are to begin.
func (w *Worker) number(ctx context.Context, t *assignment) (uint64, bool) {
	select {
	case <-t.leave:
		return 0, false
	default:
	}
	if len(t.stock) <= cap(t.stock)/2 {
		wake(w.low)
	}
	select {
	case n := <-t.stock:
		return n, true
	case <-t.leave:
	case <-ctx.Done():
	}
	return 0, false
}
