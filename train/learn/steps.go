package learn

import (
	"context"
	"time"

	"kosumi/board"
	"kosumi/train/rows"
)

// Steps trains a learner on the batches of a stream until it reaches a goal. [Run] uses it,
// and so does each iteration of a self-play loop.
type Steps struct {
	Learner *Learner
	Stream  rows.Stream
	// Goal reports, given the learner's counters, whether training ends.
	Goal func(Counters) bool
	// Pause reports, given the learner's counters, whether to call After.
	Pause func(Counters) bool
	// See gets each step's result and board size. Its error ends training; an error for divergence
	// wraps ErrDiverged.
	See func(r *Result, size board.Size) error
	// After saves or measures. It runs after each step for which Pause is true and after the last;
	// interrupted says that the context ended.
	After func(interrupted bool) error

	Took    time.Duration // time of the steps alone
	Samples int64         // samples of the steps
}

// extraStream is the key in a checkpoint's Extra under which the place in the stream is saved.
const extraStream = "stream"

// Train takes steps until the goal is reached or ctx ends. The end of ctx is no error; it makes
// interrupted true. While a step runs, the next batch is read.
func (s *Steps) Train(ctx context.Context) (interrupted bool, err error) {
	var next rows.Prefetch
	defer next.End()
	for !interrupted && !s.Goal(s.Learner.Counters()) {
		batch, err := next.Get(s.Stream)
		if err != nil {
			return false, err
		}
		then := s.Learner.Counters()
		then.Steps++
		then.Samples += int64(batch.N)
		interrupted = ctx.Err() != nil
		pause := interrupted || s.Goal(then) || s.Pause(then)
		if !pause { // before a pause nothing is read ahead, since After may save the place in the stream
			next.Start(s.Stream)
		}
		began := time.Now()
		r, err := s.Learner.Step(batch)
		if err != nil {
			return false, err
		}
		s.Took += time.Since(began)
		s.Samples += int64(r.Rows)
		if err := s.See(&r, batch.Size); err != nil {
			return false, err
		}
		if !pause {
			continue
		}
		if err := s.After(interrupted); err != nil {
			return false, err
		}
	}
	return interrupted, nil
}

// Save writes a checkpoint with the place in the stream and the given additions.
func (s *Steps) Save(dir string, extra Extra) error {
	state, err := s.Stream.State()
	if err != nil {
		return err
	}
	extra[extraStream] = state
	_, err = s.Learner.Save(dir, extra)
	return err
}

// Restore moves the stream to the position in a checkpoint.
func (s *Steps) Restore(extra Extra) error { return s.Stream.Restore(extra[extraStream]) }
