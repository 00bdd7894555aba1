package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/search"
	"kosumi/thinking"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// seat is the engine of one game. Its engine is made when it is first needed.
type seat struct {
	s   *Server
	mu  sync.Mutex
	e   *engine.Engine
	net string // what the tree was searched with
	has int64  // bytes that its tree may take
}

// Bounds of the trees of seats and analyses: of one, of all together, and what
// each has at least however many there are.
const (
	seatBytes  = 256 << 20
	allBytes   = 2 << 30
	leastBytes = 8 << 20
)

// grant gives a tree its room: half of what is left. A hundred pages take 3 GiB at
// the most.
func (s *Server) grant() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := max(leastBytes, min(seatBytes, s.conf.Engine.Search.Memory.MaxBytes, (allBytes-s.granted)/2))
	s.granted += n
	return n
}

func (s *Server) giveBack(n int64) {
	s.mu.Lock()
	s.granted -= n
	s.mu.Unlock()
}

// with lets f use the engine with the game on its board.
func (st *seat) with(g *board.Game, handicap int, f func(*engine.Engine) error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.e == nil {
		conf := st.s.conf.Engine
		conf.Size, conf.Rules = g.Size(), g.Rules()
		has := st.s.grant()
		conf.Search.Memory.MaxBytes = has
		e, err := engine.New(conf, st.s.conf.Backend, st.s.log)
		if err != nil {
			st.s.giveBack(has)
			return err
		}
		st.e, st.net, st.has = e, "", has
	}
	if net := st.s.conf.Backend.Status().Name; net != st.net {
		if st.net != "" {
			st.e.ClearCache()
		}
		st.net = net
	}
	if err := st.e.Follow(g, handicap); err != nil {
		return err
	}
	return f(st.e)
}

func (st *seat) close() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.e != nil {
		st.e.Close()
		st.e = nil
		st.s.giveBack(st.has)
	}
}

// thought is the engine at work for a game.
type thought struct{ cancel context.CancelFunc }

// stopThinking ends what the engine does for the game. The caller holds mu.
func (g *game) stopThinking() {
	if g.thinks != nil {
		g.thinks.cancel()
		g.thinks = nil
	}
}

// takeSeat returns the game's engine. The caller holds mu.
func (g *game) takeSeat() *seat {
	if g.seat == nil {
		g.seat = &seat{s: g.s}
	}
	return g.seat
}

// leaveSeat lets go of the engine's memory. The caller holds mu.
func (g *game) leaveSeat() {
	if g.seat != nil {
		go g.seat.close()
		g.seat = nil
	}
}

// work runs f in the background with a copy of the game and takes its result to
// done, which holds mu, unless the game has gone on by then. The caller holds mu.
func (g *game) work(urgency int, f func(context.Context, *engine.Engine) error, done func(error)) {
	ctx, cancel := context.WithCancel(g.s.ctx)
	t := &thought{cancel}
	g.thinks = t
	st, rev, now, handicap := g.takeSeat(), g.rev, g.copyBoard(), len(g.setup)
	g.s.jobs.Go(func() {
		defer cancel()
		var err error
		ran := g.s.desk.do(ctx, urgency, func(ctx context.Context) {
			err = st.with(now, handicap, func(e *engine.Engine) error { return f(ctx, e) })
		})
		g.mu.Lock()
		defer g.mu.Unlock()
		if !ran || ctx.Err() != nil || g.rev != rev || g.thinks != t {
			return
		}
		g.thinks = nil
		if err != nil {
			g.s.log.Error("the engine failed in a game", "game", g.head.ID, "error", err)
			g.trouble = err.Error()
		} else {
			done(err)
		}
		g.goOn()
	})
}

func (g *game) copyBoard() *board.Game {
	c := new(board.Game)
	c.CopyFrom(g.board)
	return c
}

// humanPace is the least time that an answer takes at a human pace.
const humanPace = 400 * time.Millisecond

// think asks the engine for its move, or for its handicap stones.
func (g *game) think() {
	if g.phase == phasePlace {
		var stones []board.Point
		g.work(forMove, func(ctx context.Context, e *engine.Engine) (err error) {
			stones, err = e.FreeHandicap(ctx, g.head.Handicap)
			return err
		}, func(error) { g.owe(func() error { return g.putStones(stones) }) })
		return
	}
	var move engine.Move
	began := time.Now()
	color := g.board.ToMove()
	mine := g.clocks[color-board.Black]
	if !g.ran.IsZero() {
		mine.Run(began.Sub(g.ran))
	}
	g.work(forMove, func(ctx context.Context, e *engine.Engine) (err error) {
		if err := e.SetClock(mine.Settings); err != nil {
			return err
		}
		left, stones := mine.Shown()
		if err := e.TimeLeft(color, left, stones); err != nil {
			return err
		}
		if move, err = g.s.choose(ctx, e, color, g.head.Seat, mine.Limited()); err != nil {
			return err
		}
		if rest := humanPace - time.Since(began); g.head.Seat.Pace == "human" && rest > 0 {
			select {
			case <-time.After(rest):
			case <-ctx.Done():
			}
		}
		return nil
	}, func(error) {
		g.owe(func() error {
			if move.Resign {
				return g.commit(entry{K: "over", Result: winner(color.Opponent()) + "+R"})
			}
			return g.makeMove(move.Point, "move")
		})
	})
}

// putStones puts the engine's handicap stones down, as far as they are not.
func (g *game) putStones(stones []board.Point) error {
	for _, p := range stones {
		if g.phase != phasePlace || slices.Contains(g.setup, p) {
			continue
		}
		if err := g.commit(entry{K: "stone", M: g.size().Vertex(p)}); err != nil {
			return err
		}
	}
	return nil
}

// defaultSeconds is how long a move takes at full strength where nothing limits
// it.
const defaultSeconds = 2

// fullStrength chooses a move within the limits of the seat.
func fullStrength(ctx context.Context, e *engine.Engine, c board.Color, s api.Seat, clocked bool) (engine.Move, error) {
	seconds := s.Seconds
	if seconds == 0 && s.Visits == 0 && !clocked {
		seconds = defaultSeconds
	}
	if err := e.SetParams(map[string]string{"maxVisits": number(s.Visits), "maxTime": wire.Decimal(seconds)}); err != nil {
		return engine.Move{}, err
	}
	return e.GenMove(ctx, engine.MoveRequest{Color: c})
}

// judge asks the engine which stones are dead.
func (g *game) judge() {
	var status []thinking.Status
	g.work(forHelp, func(ctx context.Context, e *engine.Engine) (err error) {
		status, err = e.FinalStatus(ctx)
		return err
	}, func(error) {
		g.judged, g.isSure = nil, true
		for p, s := range status {
			if s == thinking.Dead {
				g.judged = append(g.judged, board.Point(p))
			}
		}
		if g.dead == nil {
			g.dead = map[board.Point]bool{}
			for _, p := range g.judged {
				g.dead[p] = true
			}
		}
	})
}

// searchFor analyses the position of a game for its player, as a help.
func (c *conn) searchFor(id string, rev int, r engine.AnalyzeRequest) (*search.Result, *game, error) {
	g, err := c.s.game(id)
	if err != nil {
		return nil, nil, err
	}
	g.mu.Lock()
	if g.rev != rev || g.phase != phasePlay || g.board.ToMove() != g.player() {
		g.mu.Unlock()
		return nil, nil, api.Refuse("stale", "the game has gone on")
	}
	st, now, handicap := g.takeSeat(), g.copyBoard(), len(g.setup)
	g.mu.Unlock()
	var last *search.Result
	r.Color = now.ToMove()
	ran := c.s.desk.do(c.ctx, forHelp, func(ctx context.Context) {
		err = st.with(now, handicap, func(e *engine.Engine) error {
			return e.Analyze(ctx, r, func(res *search.Result) { last = res })
		})
	})
	if err != nil {
		return nil, nil, api.Refuse("engine_failed", "%v", err)
	}
	if !ran || last == nil || len(last.Moves) == 0 {
		return nil, nil, api.Refuse("busy", "the engine had no time")
	}
	return last, g, nil
}

// hint helps the player with the next move; the record says that it did.
func (c *conn) hint(a *api.AskHint) (any, error) {
	if a.Stage < 1 || a.Stage > 3 {
		return nil, api.Refuse("bad_request", "stage: 1, 2 or 3")
	}
	r, g, err := c.searchFor(a.Game, a.Rev, engine.AnalyzeRequest{Limits: search.Limits{Visits: 400, Time: 2 * time.Second}})
	if err != nil {
		return nil, err
	}
	h := api.Hint{Stage: a.Stage, Rev: a.Rev}
	best := r.Moves[0]
	switch a.Stage {
	case 1:
		h.Region = region(r.Size, best.Move)
	case 2:
		for _, m := range r.Moves[:min(3, len(r.Moves))] {
			h.Moves = append(h.Moves, r.Size.Vertex(m.Move))
		}
		slices.Sort(h.Moves) // the order would say which is best
	case 3:
		h.Moves = []string{r.Size.Vertex(best.Move)}
		h.Line = wire.Vertices(r.Size, best.PV, 8)
		if len(r.Moves) > 1 {
			h.Loss = wire.Round(max(0, best.Lead-r.Moves[1].Lead), 1)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rev != a.Rev {
		return nil, api.Refuse("stale", "the game has gone on")
	}
	if err := g.commit(entry{K: "help", N: a.Stage}); err != nil {
		return nil, err
	}
	h.Rev = g.rev
	g.s.publish("game:"+g.head.ID, api.Event{T: "game.state", D: g.stateLocked()})
	return h, nil
}

// region returns the points of about a third of the board around a move, with
// the move anywhere in it.
func region(size board.Size, p board.Point) []int {
	if p == board.Pass {
		return nil
	}
	x, y := size.XY(p)
	span := func(at, n int) (from, to int) {
		wide := max(2, (n*3+4)/5)
		from = min(max(0, at-wide/2), n-wide)
		if from*2 < n/2 {
			from = 0
		} else if (n-from-wide)*2 < n/2 {
			from = n - wide
		}
		return from, min(n, from+wide)
	}
	x0, x1 := span(x, size.W)
	y0, y1 := span(y, size.H)
	var all []int
	for yy := y0; yy < y1; yy++ {
		for xx := x0; xx < x1; xx++ {
			all = append(all, int(size.Point(xx, yy)))
		}
	}
	return all
}

// openBelow is the ownership below which a point is not settled.
const openBelow = 0.6

// estimate says how the game stands. It costs the engine nothing of its clock.
func (c *conn) estimate(a *api.GameCommand) (any, error) {
	r, _, err := c.searchFor(a.Game, a.Rev, engine.AnalyzeRequest{Ownership: true, Limits: search.Limits{Visits: 60, Time: time.Second}})
	if err != nil {
		return nil, err
	}
	e := api.Estimate{Rev: a.Rev, Lead: wire.Round(wire.Blacks(r.ToMove, r.Root.Lead), 1), Spread: wire.Round(r.Root.ScoreStdev, 1), Ownership: wire.Ownership(r.Ownership, r.ToMove)}
	for _, v := range r.Ownership {
		if max(v, -v) < openBelow {
			e.Open++
		}
	}
	return e, nil
}
