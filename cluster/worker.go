package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"kosumi/nn"
	"kosumi/train/selfplay"
)

// Seat is an open network that a worker plays with.
type Seat struct {
	Evaluator nn.Evaluator
	Provider  string
	Precision string
	Close     func()
}

// WorkerConfig says how a worker works. Conn, Card.ID, Open and Dir are needed.
type WorkerConfig struct {
	Conn *nats.Conn
	Card Card
	Dir  string // for networks and games
	// InMemory keeps finished games in memory until they are confirmed, for a
	// worker in the server's own process.
	InMemory bool
	Parallel int // games at a time; 0: as the recipe says
	// Open opens a network for the recipe's boards. Answers must be functions of
	// the query: a cache must be exact.
	Open func(ctx context.Context, path string, o *Offer) (*Seat, error)
	// Poll is how often the worker looks for other work; 0 means 5 s.
	Poll time.Duration
	// Hands do other tasks than self-play, by kind; Programs are those that the
	// owner allows tasks to start.
	Hands    map[string]Hand
	Programs []string
	Log      *slog.Logger
}

// Worker plays games for a server.
type Worker struct {
	conf  WorkerConfig
	run   string
	spool *spool
	low   chan struct{} // capacity 1: numbers are wanted
	began time.Time
	spoil func(f *selfplay.Finished) // for tests of bad workers
	hands hands

	greeting sync.Mutex // held while saying hello

	sending sync.WaitGroup // from the first Run to Close
	hangUp  context.CancelFunc

	mu    sync.Mutex
	held  map[uint64]bool
	games int64
	now   *table
	all   []*table
}

// table is a session for one offer.
type table struct {
	offer   Offer
	seat    *Seat
	session *selfplay.Session
	stock   chan uint64
	leave   chan struct{} // closed when no new games are to begin
}

// ErrRefused says that the server does not want this worker.
var ErrRefused = errors.New("the server refuses this worker")

// NewWorker makes a worker. Run starts it.
func NewWorker(c WorkerConfig) (*Worker, error) {
	if c.Poll == 0 {
		c.Poll = 5 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Card.Protocol = [2]int{ProtocolMin, Protocol}
	return &Worker{conf: c, low: make(chan struct{}, 1), held: map[uint64]bool{}, began: time.Now(),
		hands: hands{held: map[string]context.CancelFunc{}, used: map[string]int{}, freed: make(chan struct{}, 1)}}, nil
}

// Games counts the games finished so far, and those that are not confirmed yet.
func (w *Worker) Games() (finished int64, waiting int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spool != nil {
		waiting = w.spool.len()
	}
	return w.games, waiting
}

// Run works until the context ends, which is no error, or the server refuses the
// worker: then the error wraps ErrRefused. It may be called again and goes on with
// the games under way. Finished games are sent until Close, also between two runs.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.hello(ctx); err != nil {
		return quiet(ctx, err)
	}
	if w.spool == nil {
		dir := ""
		if !w.conf.InMemory {
			dir = filepath.Join(w.conf.Dir, "spool", w.run)
		}
		var err error
		if w.spool, err = openSpool(dir); err != nil {
			return err
		}
		var sending context.Context
		sending, w.hangUp = context.WithCancel(context.Background())
		w.sending.Go(func() { w.upload(sending) })
	}
	playing, stop := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	for _, t := range w.all {
		work.Go(func() { w.play(playing, t, stop) })
	}
	work.Go(func() { w.beats(playing) })
	if len(w.conf.Hands) > 0 {
		work.Go(func() {
			if err := w.takeTasks(playing); err != nil {
				stop(err)
			}
		})
	}
	err := w.lease(playing, &work, stop)
	if cause := context.Cause(playing); err == nil && ctx.Err() == nil {
		err = cause
	}
	stop(nil)
	work.Wait()
	return quiet(ctx, err)
}

// quiet drops errors that the end of a context brought about.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Close gives the games back that were not finished and waits for a while until
// those that were are confirmed; what is left lies on disk. Not while Run runs.
func (w *Worker) Close(patience time.Duration) {
	if w.spool != nil {
		for end := time.Now().Add(patience); time.Now().Before(end) && w.spool.len() > 0; {
			time.Sleep(20 * time.Millisecond)
		}
		w.hangUp()
		w.sending.Wait()
	}
	if len(w.held) > 0 {
		w.conf.Conn.Publish(subjectRelease, pack(beat{Worker: w.conf.Card.ID, Held: w.holds()}))
		w.conf.Conn.FlushTimeout(time.Second)
	}
	for _, t := range w.all {
		if t.seat != nil {
			t.seat.Close()
		}
	}
	w.all, w.now = nil, nil
}

// ask sends a request and waits for its reply.
func ask[T any](ctx context.Context, conn *nats.Conn, subject string, data []byte, patience time.Duration) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := conn.RequestWithContext(ctx, subject, data)
	if err != nil {
		return nil, err
	}
	v := new(T)
	return v, json.Unmarshal(m.Data, v)
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// hello introduces the worker, again and again until somebody answers.
func (w *Worker) hello(ctx context.Context) error {
	w.greeting.Lock()
	defer w.greeting.Unlock()
	for n := 1; ctx.Err() == nil; n++ {
		a, err := ask[welcome](ctx, w.conf.Conn, subjectHello, pack(w.conf.Card), 10*time.Second)
		switch {
		case err != nil:
			if n == 3 {
				w.conf.Log.Warn("nobody answers; the worker goes on trying", "error", err)
			}
			pause(ctx, backoff(n))
		case a.Refused != "" && a.WaitMS > 0:
			w.conf.Log.Warn("the worker has to wait", "reason", a.Refused)
			pause(ctx, time.Duration(a.WaitMS)*time.Millisecond)
		case a.Refused != "":
			return fmt.Errorf("%w: %s", ErrRefused, a.Refused)
		case w.run != "" && w.run != a.Run:
			return fmt.Errorf("%w: another loop answers than before; start the worker again", ErrRefused)
		default:
			w.run = a.Run
			return nil
		}
	}
	return ctx.Err()
}

// lease keeps numbers in stock and changes over to new work.
func (w *Worker) lease(ctx context.Context, work *sync.WaitGroup, stop context.CancelCauseFunc) error {
	failures, faults := 0, 0
	for ctx.Err() == nil {
		r, err := ask[lease](ctx, w.conf.Conn, subjectLease, pack(request{w.conf.Card.ID, w.wants(), w.holds()}), 10*time.Second)
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
			t, err := w.sit(ctx, r.Offer)
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
		if r.Exam {
			if err := w.exam(ctx); err != nil {
				return err
			}
			continue
		}
		w.keep(r)
		wait := w.conf.Poll
		if r.WaitMS > 0 {
			wait = min(wait, time.Duration(r.WaitMS)*time.Millisecond)
			w.rest(ctx, wait)
			continue
		}
		select {
		case <-w.low:
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// rest waits, whatever is wanted.
func (w *Worker) rest(ctx context.Context, d time.Duration) {
	pause(ctx, d)
	select {
	case <-w.low:
	default:
	}
}

// keep puts leased numbers into the stock.
func (w *Worker) keep(r *lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range r.Numbers {
		select {
		case w.now.stock <- n:
			w.held[n] = true
		default: // more than was asked for
		}
	}
}

// wants is how many numbers are missing.
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
	held := make([]uint64, 0, len(w.held))
	for n := range w.held {
		held = append(held, n)
	}
	return held
}

// sit prepares to play for an offer.
func (w *Worker) sit(ctx context.Context, o *Offer) (*table, error) {
	t := &table{offer: *o, leave: make(chan struct{}), seat: &Seat{Close: func() {}}}
	recipe := o.Recipe
	if w.conf.Parallel > 0 {
		recipe.Parallel = w.conf.Parallel
	}
	t.stock = make(chan uint64, min(maxLease, recipe.Parallel))
	if recipe.Search.Method == selfplay.Random {
		t.stock = make(chan uint64, maxLease)
	} else {
		path, err := w.file(ctx, File{o.File, o.SHA256, o.Bytes})
		if err != nil {
			return nil, err
		}
		if t.seat, err = w.conf.Open(ctx, path, o); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
		if w.describe(t.seat) {
			if err := w.hello(ctx); err != nil {
				return nil, err
			}
		}
	}
	var err error
	t.session, err = selfplay.NewSessionOf(recipe, o.Seed, func(ctx context.Context) (uint64, bool) { return w.number(ctx, t) },
		func(f *selfplay.Finished) (int, error) { return 0, w.finish(t, f) })
	w.conf.Log.Info("new work", "network", o.Network, "offer", o.ID)
	return t, err
}

// describe notes what the worker plays with, and tells whether that is new.
func (w *Worker) describe(s *Seat) bool {
	w.greeting.Lock()
	defer w.greeting.Unlock()
	c := &w.conf.Card
	changed := c.Provider != s.Provider || c.Precision != s.Precision
	c.Provider, c.Precision = s.Provider, s.Precision
	return changed
}

// number takes a number out of the stock.
func (w *Worker) number(ctx context.Context, t *table) (uint64, bool) {
	select {
	case <-t.leave:
		return 0, false
	default:
	}
	if len(t.stock) <= cap(t.stock)/2 {
		select {
		case w.low <- struct{}{}:
		default:
		}
	}
	select {
	case n := <-t.stock:
		return n, true
	case <-t.leave:
	case <-ctx.Done():
	}
	return 0, false
}

// leave lets the games of the present offer come to their end and begins no more.
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
		w.conf.Conn.Publish(subjectRelease, pack(beat{Worker: w.conf.Card.ID, Held: given}))
	}
}

// play plays at a table until its games are over or the context ends.
func (w *Worker) play(ctx context.Context, t *table, stop context.CancelCauseFunc) {
	if err := t.session.Play(ctx, t.seat.Evaluator, selfplay.Goal{}); err != nil {
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
	for i := range w.all {
		if w.all[i] == t {
			w.all = append(w.all[:i:i], w.all[i+1:]...)
			t.seat.Close()
			break
		}
	}
}

// finish keeps a game until it is confirmed.
func (w *Worker) finish(t *table, f *selfplay.Finished) error {
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

// exam answers the exam of the present network.
func (w *Worker) exam(ctx context.Context) error {
	a, err := answerExam(ctx, &w.now.offer, w.now.seat.Evaluator)
	if err != nil {
		return err
	}
	a.Worker = w.conf.Card.ID
	r, err := ask[receipt](ctx, w.conf.Conn, subjectExam, pack(a), 30*time.Second)
	switch {
	case err != nil:
		pause(ctx, backoff(4))
	case r.Verdict == rejected:
		return fmt.Errorf("%w: %s", ErrRefused, r.Reason)
	case r.Verdict == later:
		pause(ctx, backoff(4))
		if r.Reason == needHello {
			return w.hello(ctx)
		}
	}
	return nil
}

// beats tells the server now and then that the worker lives.
func (w *Worker) beats(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, 10*time.Second)
		games, waiting := w.Games()
		w.conf.Conn.Publish(subjectBeat, pack(beat{w.conf.Card.ID, w.holds(), waiting, games, time.Since(w.began).Seconds(), processorTime().Seconds()}))
	}
}

// fetch asks for a file piece by piece.
func (w *Worker) fetch(ctx context.Context, f File, out io.Writer) error {
	sum := sha256.New()
	failures := 0
	for at := int64(0); at < f.Bytes; {
		m, err := func() (*nats.Msg, error) {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			return w.conf.Conn.RequestWithContext(ctx, subjectNet, pack(wanted{f.SHA256, at}))
		}()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(m.Data) == 0 {
			if failures++; failures > 100 || err == nil && failures > 10 {
				return fmt.Errorf("the network %s cannot be had: %w", f.Name, errors.Join(err, errors.New("no answer, or another network plays by now")))
			}
			pause(ctx, backoff(failures))
			continue
		}
		failures = 0
		sum.Write(m.Data)
		if _, err := out.Write(m.Data); err != nil {
			return err
		}
		at += int64(len(m.Data))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != f.SHA256 {
		return fmt.Errorf("the network %s arrived damaged: sha256 %s, %s is expected", f.Name, got, f.SHA256)
	}
	return nil
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
