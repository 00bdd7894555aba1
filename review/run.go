package review

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search"
)

// Config says how thoroughly a game is reviewed. Start from [Defaults].
type Config struct {
	// Search are the settings of each search; what would make it not repeatable,
	// such as noise, is switched off.
	Search search.Params
	// First is how many visits every position gets in the first pass.
	First int64
	// Visits is the budget of a game, as the mean over its positions. Less than
	// First means no second pass.
	Visits int64
	// Time is the budget of a game, instead of Visits where it is not 0. The first
	// pass is finished in any case: with single visits once the time is over.
	Time time.Duration
	// Most bounds the visits of one position; 0 is 64 times First.
	Most int64
	// Parallel is how many positions are searched at once; it changes no result.
	Parallel int
	// Player names the side to review, by a part of its name; the other side's
	// moves are judged too, but make no mistakes of the report. Empty: both.
	Player string
	// Network names what judges, for the report.
	Network string
	// Partial, unless nil, is given the report as far as it is: after the first
	// pass, and between the rounds of the second one, every other second at most.
	Partial func(*Result)
}

// Defaults returns the settings of a review that takes about a minute a game on
// two cores.
func Defaults() Config {
	return Config{Search: search.Defaults(), First: 16, Visits: 100, Parallel: 16}
}

// Validate reports every fault of the settings.
func (c Config) Validate() error {
	var faults []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	bad(c.First < 1 || c.First > 1<<20, "visits of the first pass %d: 1 to 1048576", c.First)
	bad(c.Visits < 0 || c.Visits > 1<<20, "visits a position %d: 0 to 1048576", c.Visits)
	bad(c.Most < 0, "most visits of a position %d: 0 or more", c.Most)
	bad(c.Time < 0, "time of a game %v: 0 or more", c.Time)
	bad(c.Parallel < 1 || c.Parallel > 4096, "positions at once %d: 1 to 4096", c.Parallel)
	if err := searchParams(c.Search).Validate(); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// Progress says how far a review is.
type Progress struct {
	// Pass is 1 or 2.
	Pass int
	// Visits were made of Budget; both are 0 where the budget is a time.
	Visits, Budget int64
	// Searched positions of all.
	Searched, Positions int
	Elapsed             time.Duration // in this run
	Left                time.Duration // estimated; 0: not known yet
	// Ply and Position are what has just been searched.
	Ply      int
	Position Position
}

// run is a review under way. Its fields below mu are shared by the workers.
type run struct {
	game  *Game
	conf  Config
	store *Store
	tell  func(Progress)
	start time.Time
	past  time.Duration // spent in earlier runs
	pass  int

	mu     sync.Mutex
	evals  []*Eval   // by position
	moved  []float64 // Points by which the newest search of a position changed its lead
	first  []float64 // lead by the first search of a position
	visits int64     // of evals
	fresh  int64     // visits that this run searched
}

// Run reviews a game. progress, if not nil, is called after each search, by one
// goroutine at a time. When ctx ends, the result holds what is known so far, and
// the error is the context's; every search that was finished is in the store.
func Run(ctx context.Context, g *Game, net nn.Evaluator, c Config, store *Store, progress func(Progress)) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Most == 0 {
		c.Most = 64 * c.First
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	r := &run{game: g, conf: c, store: store, tell: progress, start: time.Now(), past: store.Spent(), evals: make([]*Eval, len(g.Moves)+1), moved: make([]float64, len(g.Moves)+1), first: make([]float64, len(g.Moves)+1)}
	workers, err := NewJudges(net, c.Search, c.Parallel)
	if err != nil {
		return nil, err
	}
	r.pass = 1
	err = r.searchAll(ctx, workers, r.firstPass())
	r.pass = 2
	told := time.Time{}
	for err == nil {
		if c.Partial != nil && time.Since(told) > partialEvery {
			res, faulty := r.result(false)
			if faulty != nil {
				return nil, faulty
			}
			c.Partial(res)
			told = time.Now()
		}
		tasks := r.secondPass()
		if len(tasks) == 0 {
			break
		}
		err = r.searchAll(ctx, workers, tasks)
	}
	result, faulty := r.result(err == nil)
	if err == nil && faulty == nil {
		err = prove(ctx, g, result)
	}
	return result, errors.Join(err, faulty)
}

// partialEvery is the least time between reports of what is not finished.
const partialEvery = 2 * time.Second

// task asks for a position to be searched.
type task struct {
	ply    int
	visits int64
}

// searchAll carries tasks out, several at a time, in order.
func (r *run) searchAll(ctx context.Context, workers []*Judge, tasks []task) error {
	queue := make(chan task)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, w := range workers[:min(len(workers), len(tasks))] {
		wg.Go(func() {
			for t := range queue {
				if err := r.do(ctx, w, t); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, t := range tasks {
		if ctx.Err() != nil {
			break
		}
		if r.late() {
			if r.pass == 2 {
				break
			}
			t.visits = 1
		}
		queue <- t
	}
	close(queue)
	wg.Wait()
	return context.Cause(ctx)
}

// late reports whether a budget of time is used up.
func (r *run) late() bool {
	return r.conf.Time > 0 && r.past+time.Since(r.start) >= r.conf.Time
}

// do carries out one task, from the store where that has it.
func (r *run) do(ctx context.Context, w *Judge, t task) error {
	game, err := r.game.Position(t.ply)
	if err != nil {
		return err
	}
	e := r.store.get(t.ply, t.visits)
	known := e != nil
	if !known {
		if e, err = w.Search(ctx, r.game, t.ply, t.visits); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !known {
		if err := r.store.put(t.ply, t.visits, e, r.past+time.Since(r.start)); err != nil {
			return err
		}
		r.fresh += e.Visits
	}
	if old := r.evals[t.ply]; old != nil {
		r.visits -= old.Visits
		r.moved[t.ply] = math.Abs(e.Lead - old.Lead)
		if !known {
			r.fresh -= old.Visits
		}
	} else {
		r.first[t.ply] = e.Lead
	}
	r.evals[t.ply] = e
	r.visits += e.Visits
	r.tell(r.progress(t.ply, describe(game, e)))
	return nil
}

// progress says how far the review is. The caller holds mu.
func (r *run) progress(ply int, position Position) Progress {
	p := Progress{Pass: r.pass, Positions: len(r.evals), Elapsed: time.Since(r.start), Ply: ply, Position: position}
	for _, e := range r.evals {
		if e != nil {
			p.Searched++
		}
	}
	if r.conf.Time > 0 {
		p.Left = max(0, r.conf.Time-r.past-p.Elapsed)
		return p
	}
	p.Visits, p.Budget = r.visits, r.budget()
	if r.fresh > 0 {
		p.Left = time.Duration(float64(p.Elapsed) / float64(r.fresh) * float64(max(0, p.Budget-p.Visits)))
	}
	return p
}

// budget is how many visits all positions may have together.
func (r *run) budget() int64 { return max(r.conf.First, r.conf.Visits) * int64(len(r.evals)) }

// sign is 1 where Black moves at ply t, -1 for White.
func (r *run) sign(t int) float64 {
	if r.game.Moves[t].Color == board.White {
		return -1
	}
	return 1
}
