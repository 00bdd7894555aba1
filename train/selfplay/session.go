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

	moves atomic.Int64
	mu    sync.Mutex
	stats Stats // without moves
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
	s := &Session{seed: seed, next: next, take: take}
	if err := s.SetConfig(c); err != nil {
		return nil, err
	}
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

// Play plays with an evaluator until the goal is reached, no game number is left or the context ends; none
// of these is an error. When it returns, it has handed over all games that ended before the goal was reached.
func (s *Session) Play(ctx context.Context, e nn.Evaluator, goal Goal) error {
	r := &run{session: s, goal: goal, before: s.Stats(), done: make(chan *Finished, len(s.players))}
	waiting := s.beyond
	s.beyond = nil
	for _, f := range waiting {
		r.collect(f)
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
		r.collect(f)
	}
	return errors.Join(r.takeErr, r.playErr)
}

type run struct {
	session *Session
	goal    Goal
	before  Stats
	paused  atomic.Bool
	done    chan *Finished
	takeErr error // the first error of take; only collect uses it

	once    sync.Once
	playErr error // the first error of a player
}

// work plays with one player until the run pauses.
func (r *run) work(ctx context.Context, p *player) {
	s := r.session
	for !r.paused.Load() && ctx.Err() == nil {
		if !p.active {
			number, ok := p.id.Number, true
			if p.next == nil {
				number, ok = s.next(ctx)
			}
			if !ok {
				return
			}
			if err := p.begin(number, s.seed); err != nil {
				r.fail(err)
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
		s.moves.Add(1)
	}
}

func (r *run) fail(err error) {
	r.once.Do(func() { r.playErr = err })
	r.paused.Store(true)
}

// enough reports whether the goal of games is reached.
func (r *run) enough(now Stats) bool {
	return r.goal.Games > 0 && now.Games-r.before.Games >= r.goal.Games
}

// collect hands over a finished game and checks the goal.
func (r *run) collect(f *Finished) {
	s := r.session
	if r.takeErr != nil {
		return
	}
	if r.enough(s.Stats()) {
		s.beyond = append(s.beyond, f)
		return
	}
	n, err := s.take(f)
	if err != nil {
		r.takeErr = err
		r.paused.Store(true)
		return
	}
	s.count(f, n)
	if now := s.Stats(); r.enough(now) || r.goal.Rows > 0 && now.Rows-r.before.Rows >= r.goal.Rows {
		r.paused.Store(true)
	}
}

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
	// Tested counts games played on after a side would have resigned, WrongResigns those of them
	// that this side won.
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

func (s *Session) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	st.Moves = s.moves.Load()
	return st
}

func (s *Session) count(f *Finished, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.stats
	st.Games++
	st.Rows += rows
	st.Length += int64(f.Final.NumMoves())
	switch f.Game.End.Winner {
	case board.Black:
		st.Black++
	case board.White:
		st.White++
	default:
		st.Draws++
	}
	if f.Game.End.HitLimit {
		st.Limit++
	}
	if f.Resigned != board.Empty {
		st.Resigned++
	}
	if f.Tested {
		st.Tested++
	}
	if f.WrongResign {
		st.WrongResigns++
	}
}
