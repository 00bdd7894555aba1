package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kosumi/nn"
	"kosumi/train/selfplay"
)

// assignment is a session of self-play for one offer.
type assignment struct {
	offer   Offer
	model   *Model
	session *selfplay.Session
	stock   chan uint64   // numbers that the server leased to this worker, for games not yet begun
	leave   chan struct{} // closed when no new games are to begin
}

// prepare opens the network of an offer and makes the session.
func (w *Worker) prepare(ctx context.Context, o *Offer) (t *assignment, err error) {
	t = &assignment{offer: *o, leave: make(chan struct{}), model: &Model{Close: func() {}}}
	recipe := o.Recipe
	if w.conf.Parallel > 0 {
		recipe.Parallel = w.conf.Parallel
	}
	t.stock = make(chan uint64, min(maxLease, recipe.Parallel))
	if recipe.Search.Method == selfplay.Random {
		t.stock = make(chan uint64, maxLease)
	} else {
		if t.model, err = w.open(ctx, File{o.File, o.SHA256, o.Bytes}, o); err != nil {
			return nil, err
		}
	}
	t.session, err = selfplay.NewSessionOf(recipe, o.Seed, func(ctx context.Context) (uint64, bool) { return w.number(ctx, t) },
		func(f *selfplay.Finished) (int, error) { return 0, w.finish(t, f) })
	w.conf.Log.Info("new work", "network", o.Network, "offer", o.ID)
	return t, err
}

// open opens a network, for an offer or a gating match, and tells the server how it runs.
func (w *Worker) open(ctx context.Context, f File, o *Offer) (*Model, error) {
	defer w.files.use(f.SHA256)()
	path, err := w.files.path(ctx, f)
	if err != nil {
		return nil, err
	}
	m, err := w.conf.Open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if w.describe(m) {
		if err := w.hello(ctx); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// describe sets provider and precision on the worker's card and reports whether they changed.
func (w *Worker) describe(s *Model) bool {
	w.greeting.Lock()
	defer w.greeting.Unlock()
	c := &w.conf.Card
	changed := c.Provider != s.Provider || c.Precision != s.Precision
	c.Provider, c.Precision = s.Provider, s.Precision
	return changed
}

// leave makes the present offer begin no more games and gives its unused numbers back to the server.
func (w *Worker) leave() {
	t := w.now
	if t == nil {
		return
	}
	close(t.leave)
	var given []uint64
	for {
		select {
		case n := <-t.stock:
			given = append(given, n)
			w.mu.Lock()
			delete(w.held, n)
			w.mu.Unlock()
			continue
		default:
		}
		break
	}
	if len(given) > 0 {
		w.publish(verbRelease, beat{Held: given})
	}
}

// play plays an assignment until its games are over or the context ends.
func (w *Worker) play(ctx context.Context, t *assignment, stop context.CancelCauseFunc) {
	if err := t.session.Play(ctx, t.model.Evaluator, selfplay.Goal{}); err != nil {
		stop(err)
		return
	}
	select {
	case <-t.leave:
	default:
		return // interrupted
	}
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.all, t); i >= 0 {
		w.all = slices.Delete(slices.Clone(w.all), i, i+1)
		t.model.Close()
	}
}

// finish puts a game into the spool.
func (w *Worker) finish(t *assignment, f *selfplay.Finished) error {
	if w.spoil != nil {
		w.spoil(f)
	}
	data, err := selfplay.Marshal(f)
	if err != nil {
		return err
	}
	if err := w.spool.put(f, t.offer.ID, data); err != nil {
		w.conf.Log.Error("a game cannot be kept on disk, only in memory", "error", err)
	}
	w.mu.Lock()
	w.games++
	w.mu.Unlock()
	return nil
}

// exam answers the exam of a network. passed is false if the exam must be answered again.
func (w *Worker) exam(ctx context.Context, x *Exam, e nn.Evaluator) (passed bool, err error) {
	a, err := answerExam(ctx, x, e)
	if err != nil {
		return false, err
	}
	r, err := ask[receipt](ctx, w.conf.Conn, verbExam, pack(a), 30*time.Second)
	switch {
	case err != nil:
		pause(ctx, backoff(4))
	case r.Verdict == rejected:
		return false, fmt.Errorf("%w: %s", ErrRefused, r.Reason)
	case r.Verdict == later:
		pause(ctx, backoff(4))
		if r.Reason == needHello {
			return false, w.hello(ctx)
		}
	default:
		return true, nil
	}
	return false, nil
}
