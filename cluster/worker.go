package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"kosumi/nn"
	"kosumi/train/selfplay"
)

// Model is an open network that a worker plays with.
type Model struct {
	Evaluator nn.Evaluator
	Provider  string
	Precision string
	Close     func()
}

// WorkerConfig holds the settings of a worker. Conn, Open and Dir are needed. The connection's
// key is the worker's identity.
type WorkerConfig struct {
	Conn *Conn
	Card Card
	Dir  string // folder for networks and games
	// InMemory keeps finished games in memory until they are confirmed, for a
	// worker in the server's own process.
	InMemory bool
	Parallel int // games played at once; 0: as the recipe says
	// Open opens a network for the boards of an offer's recipe or, if o is nil, for those of a gating
	// match. Evaluations must depend on the query alone: a cache must be exact.
	Open func(ctx context.Context, path string, o *Offer) (*Model, error)
	// Poll is how often the worker looks for other work; 0 means 5 s.
	Poll time.Duration
	Log  *slog.Logger
}

// Worker plays games for a server.
type Worker struct {
	conf  WorkerConfig
	low   chan struct{} // capacity 1: numbers are wanted
	began time.Time
	spoil func(f *selfplay.Finished) // lets tests spoil games
	files *fileCache

	greeting sync.Mutex // held while saying hello; guards conf.Card

	sending sync.WaitGroup // goroutines that send, from the first Run to Close
	hangUp  context.CancelFunc

	mu    sync.Mutex
	run   string // the loop's id, from the first greeting on
	spool *spool // from the first Run on
	held  map[uint64]bool
	games int64
	now   *assignment
	all   []*assignment
}

// ErrRefused reports that the server refuses this worker.
var ErrRefused = errors.New("the server refuses this worker")

// NewWorker makes a worker. Run starts it.
func NewWorker(c WorkerConfig) (*Worker, error) {
	c.Poll = cmp.Or(c.Poll, 5*time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Card.Protocol = [2]int{ProtocolMin, Protocol}
	return &Worker{conf: c, low: make(chan struct{}, 1), held: map[uint64]bool{}, began: time.Now(),
		files: newFileCache(filepath.Join(c.Dir, "networks"), c.Conn)}, nil
}

// Games returns the number of games finished and the number of games that wait to be confirmed.
func (w *Worker) Games() (finished int64, waiting int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spool != nil {
		waiting = w.spool.len()
	}
	return w.games, waiting
}

// Run works until the context ends, which is no error, or until the server refuses the worker, which
// is an error that wraps ErrRefused. It may be called again and resumes the games under way.
// Finished games are sent until Close, also between two runs.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.hello(ctx); err != nil {
		return quiet(ctx, err)
	}
	if err := w.startSending(); err != nil {
		return err
	}
	playing, stop := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	for _, t := range w.all {
		work.Go(func() { w.play(playing, t, stop) })
	}
	work.Go(func() { w.beats(playing) })
	work.Go(func() {
		if err := w.PlayMatches(playing); err != nil {
			stop(err)
		}
	})
	err := w.lease(playing, &work, stop)
	if cause := context.Cause(playing); cause != nil && ctx.Err() == nil {
		err = cause // the first failure rather than its consequences
	}
	stop(nil)
	work.Wait()
	return quiet(ctx, err)
}

// startSending opens the spool and begins to send its games, at the first run.
func (w *Worker) startSending() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spool != nil {
		return nil
	}
	dir := ""
	if !w.conf.InMemory {
		dir = filepath.Join(w.conf.Dir, "spool", w.run)
	}
	var err error
	if w.spool, err = openSpool(dir); err != nil {
		return err
	}
	ctx, hangUp := context.WithCancel(context.Background())
	w.hangUp = hangUp
	w.sending.Go(func() { w.upload(ctx) })
	return nil
}

// quiet drops errors after the end of a context.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Close waits, for a limited time, until finished games are confirmed; unconfirmed ones stay on disk.
// Then it gives the numbers of unfinished games back to the server. Run must have returned.
func (w *Worker) Close(patience time.Duration) {
	if w.spool != nil {
		for end := time.Now().Add(patience); time.Now().Before(end) && w.spool.len() > 0; {
			time.Sleep(20 * time.Millisecond)
		}
		w.hangUp()
		w.sending.Wait()
	}
	if len(w.held) > 0 {
		w.publish(verbRelease, beat{Held: w.holds()})
		w.conf.Conn.nats.FlushTimeout(time.Second)
	}
	for _, t := range w.all {
		if t.model != nil {
			t.model.Close()
		}
	}
	w.all, w.now = nil, nil
}

// publish sends the server a message without a reply.
func (w *Worker) publish(verb string, v any) {
	w.conf.Conn.nats.Publish(w.conf.Conn.subject(verb), pack(v))
}

// ask sends a request under the connection's id and waits for its reply.
func ask[T any](ctx context.Context, conn *Conn, verb string, data []byte, patience time.Duration) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := conn.nats.RequestWithContext(ctx, conn.subject(verb), data)
	if err != nil {
		return nil, err
	}
	v := new(T)
	return v, json.Unmarshal(m.Data, v)
}

// pause waits for d or the end of the context.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// hello introduces the worker, as often as needed until the server accepts or refuses it.
func (w *Worker) hello(ctx context.Context) error {
	w.greeting.Lock()
	defer w.greeting.Unlock()
	for n := 1; ctx.Err() == nil; n++ {
		a, err := ask[welcome](ctx, w.conf.Conn, verbHello, pack(w.conf.Card), 10*time.Second)
		switch {
		case err != nil:
			if n == 3 {
				w.conf.Log.Warn("no answer; the worker tries again", "error", err)
			}
			pause(ctx, backoff(n))
		case a.Refused != "" && a.WaitMS > 0:
			w.conf.Log.Warn("the worker has to wait", "reason", a.Refused)
			pause(ctx, time.Duration(a.WaitMS)*time.Millisecond)
		case a.Refused != "":
			return fmt.Errorf("%w: %s", ErrRefused, a.Refused)
		case !w.join(a.Run):
			return fmt.Errorf("%w: another loop answers than before; start the worker again", ErrRefused)
		default:
			return nil
		}
	}
	return ctx.Err()
}

// join notes which loop answers, and reports whether it is the one that answered before.
func (w *Worker) join(run string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run = cmp.Or(w.run, run)
	return w.run == run
}

// beats reports to the server every ten seconds.
func (w *Worker) beats(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, 10*time.Second)
		games, waiting := w.Games()
		w.publish(verbBeat, beat{w.holds(), waiting, games, time.Since(w.began).Seconds(), nn.ProcessorTime().Seconds()})
	}
}
