package selfplay

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn"
)

// Goal ends Play: after exactly Games more finished games, or at least Rows more rows; 0 is no
// goal. Unfinished games, and those that end beyond the goal, wait for the next Play.
type Goal struct {
	Games, Rows int
}

// NextGameID returns the number of the next game, false if there is none or the context has ended.
// Safe for concurrent use.
type NextGameID func(ctx context.Context) (uint64, bool)

// Session plays games, many at once. Only Stats may be called while Play runs.
type Session struct {
	conf    Config
	seed    uint64
	next    NextGameID
	take    func(f *Finished) (rows int, err error)
	players []*player
	beyond  []*Finished // games that ended after the goal had been reached
	stats   statsCounter
}

// NewSession returns a session whose games are numbered from first on. The same
// seed, number and network make the same game.
func NewSession(c Config, seed, first uint64, w *Writer) (*Session, error) {
	var next atomic.Uint64
	next.Store(first)
	return NewSessionOf(c, seed, func(context.Context) (uint64, bool) { return next.Add(1) - 1, true }, w.Add)
}

// NewSessionOf returns a session that gets the number of each game from a function and passes
// finished games to another function, one at a time. A game that branches off another has the same
// number.
func NewSessionOf(c Config, seed uint64, next NextGameID, take func(f *Finished) (rows int, err error)) (*Session, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("self-play settings: %w", err)
	}
	s := &Session{conf: c, seed: seed, next: next, take: take}
	for range c.Parallel {
		s.players = append(s.players, &player{c: &s.conf})
	}
	return s, nil
}

// SetConfig changes the recipe, also for unfinished games. The number of concurrent games stays the
// same.
func (s *Session) SetConfig(c Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("self-play settings: %w", err)
	}
	s.conf = c
	return nil
}

func (s *Session) Drop() {
	for _, p := range s.players {
		p.active, p.next = false, nil
	}
	s.beyond = nil
}

func (s *Session) Stats() Stats { return s.stats.read() }

// Play plays with an evaluator until the goal is reached, no number is left or the context ends;
// that is no error. By then all games that count have been handed over.
func (s *Session) Play(ctx context.Context, e nn.Evaluator, goal Goal) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{session: s, goal: goal, cancel: cancel, done: make(chan *Finished, len(s.players))}
	before := s.stats.read()
	waiting := s.beyond
	s.beyond = nil
	for _, f := range waiting {
		r.collect(f, before)
	}
	var workers sync.WaitGroup
	for _, p := range s.players {
		p.setEvaluator(e, s.seed)
		workers.Go(func() { r.work(ctx, p) })
	}
	go func() {
		workers.Wait()
		close(r.done)
	}()
	for f := range r.done {
		r.collect(f, before)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.err, r.failure)
}

type run struct {
	session *Session
	goal    Goal
	cancel  context.CancelCauseFunc
	paused  atomic.Bool
	done    chan *Finished
	err     error // error of collect

	mu      sync.Mutex
	failure error // error of a player
}

// work plays with one player until the run pauses.
func (r *run) work(ctx context.Context, p *player) {
	s := r.session
	for !r.paused.Load() && ctx.Err() == nil {
		if !p.active {
			if err := r.begin(ctx, p); err != nil {
				if !errors.Is(err, errNoNumber) {
					r.fail(err)
				}
				return
			}
		}
		f, err := p.step(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			p.rewind() // the turn is played again later
			return
		case err != nil:
			r.fail(fmt.Errorf("self-play, game %d: %w", p.id.Number, err))
			return
		case f != nil:
			r.done <- f
		}
		s.stats.moves.Add(1)
	}
}

var errNoNumber = errors.New("no game is left to be played")

func (r *run) begin(ctx context.Context, p *player) error {
	number := uint64(0)
	if p.next == nil {
		n, ok := r.session.next(ctx)
		if !ok {
			return errNoNumber
		}
		number = n
	}
	return p.begin(number, r.session.seed)
}

func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
	r.paused.Store(true)
}

// collect hands over a finished game and checks the goal.
func (r *run) collect(f *Finished, before Stats) {
	s := r.session
	if r.err != nil {
		return
	}
	if r.goal.Games > 0 && s.stats.read().Games-before.Games >= r.goal.Games {
		s.beyond = append(s.beyond, f)
		return
	}
	n, err := s.take(f)
	if err != nil {
		r.err = err
		r.paused.Store(true)
		return
	}
	s.stats.finish(f, n)
	now := s.stats.read()
	if r.goal.Games > 0 && now.Games-before.Games >= r.goal.Games || r.goal.Rows > 0 && now.Rows-before.Rows >= r.goal.Rows {
		r.paused.Store(true)
	}
}

// setEvaluator gives a player the network for its further moves.
func (p *player) setEvaluator(e nn.Evaluator, seed uint64) {
	if p.net == e {
		return
	}
	if p.net != nil && p.active {
		p.changed = true
	}
	p.net, p.eval, p.tree = e, Steady(e, seed, false), nil
}

// Stats counts games, moves and rows. Of an unfinished game only the moves count.
type Stats struct {
	Games    int   `json:"games"`
	Rows     int   `json:"rows"`
	Moves    int64 `json:"moves"`
	Length   int64 `json:"length"` // moves of the finished games
	Black    int   `json:"black"`  // games won by Black
	White    int   `json:"white"`
	Draws    int   `json:"draws"` // and games without result
	Limit    int   `json:"limit"` // games that hit the move limit
	Resigned int   `json:"resigned"`
	// Tested counts games played on after a resignation would have ended them, WrongResigns those
	// that the side did not lose.
	Tested       int `json:"tested"`
	WrongResigns int `json:"wrong_resigns"`
}

// Sub returns the difference from earlier statistics.
func (s Stats) Sub(o Stats) Stats {
	return Stats{s.Games - o.Games, s.Rows - o.Rows, s.Moves - o.Moves, s.Length - o.Length, s.Black - o.Black, s.White - o.White,
		s.Draws - o.Draws, s.Limit - o.Limit, s.Resigned - o.Resigned, s.Tested - o.Tested, s.WrongResigns - o.WrongResigns}
}

// MeanLength is the mean number of moves of the finished games.
func (s *Stats) MeanLength() float64 { return float64(s.Length) / float64(max(1, s.Games)) }

type statsCounter struct {
	moves atomic.Int64
	mu    sync.Mutex
	stats Stats
}

func (c *statsCounter) read() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Moves = c.moves.Load()
	return s
}

func (c *statsCounter) finish(f *Finished, rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.stats
	s.Games++
	s.Rows += rows
	s.Length += int64(f.Final.NumMoves())
	switch e := f.Game.End; {
	case e.Winner == board.Black:
		s.Black++
	case e.Winner == board.White:
		s.White++
	default:
		s.Draws++
	}
	if f.Game.End.HitLimit {
		s.Limit++
	}
	if f.Resigned != board.Empty {
		s.Resigned++
	}
	if f.Tested {
		s.Tested++
	}
	if f.WrongResign {
		s.WrongResigns++
	}
}
