package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"kosumi/nn"
	"kosumi/search"
)

// Config says how thoroughly a game is reviewed. Start from [Defaults].
type Config struct {
	// Search holds the settings of each search; noise and other features that are not repeatable
	// are switched off.
	Search search.Params
	// First is the number of visits of every position in the first pass.
	First int64
	// Visits is a game's budget: mean visits per position. Unless it is above First, there is no second pass.
	Visits int64
	// Time, if not 0, is a game's budget instead of Visits. Once it is used up, the remaining
	// positions of the first pass get one visit each.
	Time time.Duration
	// Most bounds the visits of one position; 0 is 64 times First.
	Most int64
	// Parallel is how many positions are searched at once; it changes no result.
	Parallel int
	// Player selects the side to review by a part of the player's name; mistakes of the other
	// side are not listed. Empty: both.
	Player string
	// Network is the network's name, for the report.
	Network string
	// Partial, unless nil, gets the unfinished report after the first pass and between the
	// rounds of the second, at most every two seconds.
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

// Progress is the progress of a review.
type Progress struct {
	// Pass is 1 or 2.
	Pass int
	// Visits is the number of visits done so far, out of Budget; both are 0 if the budget is a time.
	Visits, Budget int64
	// Searched is the number of searched positions, out of Positions.
	Searched, Positions int
	Elapsed             time.Duration // time of this run
	Left                time.Duration // remaining time, estimated; 0: unknown
	// Ply and Position are the position just searched.
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
	past  time.Duration // time spent in earlier runs
	pass  int

	mu     sync.Mutex
	evals  []*Eval   // results by position
	moved  []float64 // points by which the newest search of a position changed its lead
	first  []float64 // lead found by the first search of a position
	visits int64     // sum of the visits of evals
	fresh  int64     // number of visits searched by this run
	paces  []pace    // states after the newest searches
}

// pace is the state of a run at some time.
type pace struct {
	at    time.Duration // since the start of the run
	fresh int64
}

// pacesKept is the number of newest searches from which the remaining time is estimated. The first searches
// are slow, since they wait for the network; several are needed, since any of them may wait for others.
const pacesKept = 24

// Run reviews a game. progress, if not nil, is called after each search, by one goroutine
// at a time. When ctx ends, the result is unfinished and the error is the context's. Every
// finished search is in the store.
func Run(ctx context.Context, g *Game, net nn.Evaluator, c Config, store *Store, progress func(Progress)) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Most = cmp.Or(c.Most, 64*c.First)
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
			res, faulty := r.result(ctx, false, nil)
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
	if err != nil {
		workers = nil
	}
	result, faulty := r.result(ctx, err == nil, workers)
	if faulty != nil && ctx.Err() != nil { // ctx ended during the searches that explain mistakes
		err = context.Cause(ctx)
		result, faulty = r.result(ctx, false, nil)
	}
	if err == nil && faulty == nil {
		err = prove(ctx, g, result)
	}
	return result, errors.Join(err, faulty)
}

// partialEvery is the minimum time between two unfinished reports.
const partialEvery = 2 * time.Second

type task struct {
	ply    int
	visits int64
}

// searchAll does tasks in order, several at a time.
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

// do searches the position of a task, or takes the result from the store.
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

// progress returns the state after the search of a position. The caller holds mu.
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
	if r.paces = append(r.paces, pace{p.Elapsed, r.fresh}); len(r.paces) > pacesKept {
		r.paces = r.paces[1:]
	}
	p.Left = left(r.paces, p.Budget-p.Visits)
	return p
}

// left estimates the time that visits take at the pace of the newest searches; 0 while that is unknown.
func left(paces []pace, visits int64) time.Duration {
	first, last := paces[0], paces[len(paces)-1]
	if len(paces) < pacesKept/4 || last.fresh <= first.fresh {
		return 0
	}
	return time.Duration(float64(last.at-first.at) / float64(last.fresh-first.fresh) * float64(max(0, visits)))
}

// budget returns the number of visits for all positions together.
func (r *run) budget() int64 { return max(r.conf.First, r.conf.Visits) * int64(len(r.evals)) }
