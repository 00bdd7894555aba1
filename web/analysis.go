package web

import (
	"context"
	"encoding/base64"
	"math"
	"strconv"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/review"
	"kosumi/search"
	"kosumi/search/thinking"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/wire"
)

// unseenFor is how long an analysis continues while its page is hidden.
const unseenFor = 5 * time.Second

// run is the analysis of one connection: a goroutine that searches the position requested last.
// It keeps its own tree, so results survive going back and forth.
type run struct {
	c      *conn
	engine *engines.Engine
	done   chan struct{}

	mu    sync.Mutex
	want  api.Analyse
	gen   int // number of the latest request
	cut   context.CancelFunc
	woken chan struct{}

	human struct { // the last human policy and its request
		node         int
		doc, profile string
		rev          int
		policy       string
	}
	threads int // search threads set in the engine; 0: its default
}

// analyse sets what this connection analyses.
func (c *conn) analyse(a *api.Analyse) error {
	if a.Visits < 0 || a.Moves < 0 || a.Threads < 0 || a.Threads > 1024 || len(a.Human) > 40 || len(a.Avoid)+len(a.Allow) > board.MaxMoves || len(a.Focus) > board.MaxMoves {
		return api.Refuse("bad_request", "out of range")
	}
	if a.On {
		if _, err := c.s.docs.Open(a.Doc); err != nil {
			return err
		}
	}
	if c.run == nil {
		if !a.On {
			return nil
		}
		c.run = &run{c: c, engine: c.s.engines.Engine(), done: make(chan struct{}), woken: make(chan struct{}, 1)}
		go c.run.loop()
	}
	r := c.run
	r.mu.Lock()
	r.want = *a
	r.gen++
	if r.cut != nil {
		r.cut()
	}
	r.mu.Unlock()
	wire.Wake(r.woken)
	return nil
}

// close waits until the run has ended. The context of its connection must end first.
func (r *run) close() { <-r.done }

func (r *run) loop() {
	defer close(r.done)
	defer r.engine.Close()
	var idle <-chan time.Time
	for {
		select {
		case <-r.c.ctx.Done():
			return
		case <-idle: // free the tree's memory
			r.engine.Close()
			idle, r.threads = nil, 0
			continue
		case <-r.woken:
		}
		for r.c.ctx.Err() == nil && r.once() {
		}
		idle = time.After(30 * time.Second)
	}
}

// steadiness measures how long the best move and the lead have stayed the same.
type steadiness struct {
	move  board.Point
	lead  float64
	since time.Time
}

const steadyFor = 3 * time.Second

func (s *steadiness) see(m board.Point, lead float64) bool {
	now := time.Now()
	if m != s.move || math.Abs(lead-s.lead) > 0.1 || s.since.IsZero() {
		*s = steadiness{m, lead, now}
	}
	return now.Sub(s.since) > steadyFor
}

// once searches the latest request as long as the scheduler allows. It returns true if there is
// more to do.
func (r *run) once() bool {
	r.mu.Lock()
	want, gen := r.want, r.gen
	ctx, cut := context.WithCancel(r.c.ctx)
	r.cut = cut
	r.mu.Unlock()
	defer cut()
	if !want.On || !r.c.frames.isVisible() {
		return false
	}
	req, game, handicap, err := r.request(&want)
	if err != nil {
		r.fail(&want, err)
		return false
	}
	var last *search.Result
	var steady steadiness
	isSteady := false
	ran := r.c.s.engines.Scheduler.Do(ctx, engines.ForAnalysis, func(ctx context.Context) {
		inner, stop := context.WithCancel(ctx)
		defer stop()
		err = r.engine.With(game, handicap, func(e *engine.Engine) error {
			if err := r.adjust(inner, e, &want, req.Color); err != nil {
				return err
			}
			return e.AnalyzeWithin(inner, req, search.Limits{Visits: want.Visits}, func(res *search.Result) {
				if len(res.Moves) == 0 {
					return
				}
				last = res
				if want.Steady && steady.see(res.Moves[0].Move, res.Root.Lead) && res.Root.Visits >= 200 {
					isSteady = true
					stop()
				}
				r.show(&want, gen, res, "")
			})
		})
	})
	if !ran {
		return r.c.ctx.Err() == nil && r.changed(gen)
	}
	if err != nil {
		r.c.s.conf.Log.Error("an analysis failed", "error", err)
		r.fail(&want, err)
		return r.changed(gen)
	}
	if last == nil || r.changed(gen) {
		return true
	}
	final := ending(last, isSteady, want.Visits)
	if final != "" {
		r.show(&want, gen, last, final)
	}
	return final == ""
}

// fail tells the page why nothing is analysed.
func (r *run) fail(want *api.Analyse, err error) {
	r.c.frames.show(api.FrameNews.Of(api.Frame{Doc: want.Doc, Node: want.Node, Final: "failed", Error: err.Error(), Moves: []api.Candidate{}}))
}

// ending returns why an analysis is over; "" if it was only interrupted by another search.
func ending(last *search.Result, isSteady bool, visits int64) string {
	switch {
	case isSteady:
		return "steady"
	case visits > 0 && last.Root.Visits >= visits:
		return "visits"
	case last.Stop == search.StopMemory:
		return "memory"
	case last.Stop != search.StopCancelled:
		return "visits"
	}
	return ""
}

// adjust applies the settings of one request, and evaluates the human network once for each
// position.
func (r *run) adjust(ctx context.Context, e *engine.Engine, want *api.Analyse, c board.Color) error {
	if want.Threads != r.threads {
		threads := want.Threads
		if threads == 0 {
			threads = r.c.s.engines.Config.Search.Parallel.Workers
		}
		if err := e.SetParams(map[string]string{"numSearchThreads": strconv.Itoa(threads)}); err != nil {
			return err
		}
		r.threads = want.Threads
	}
	h := &r.human
	moves := e.Game().NumMoves()
	if want.Human == "" {
		h.policy, h.profile = "", ""
		return nil
	}
	if h.policy != "" && h.node == want.Node && h.doc == want.Doc && h.profile == want.Human && h.rev == moves {
		return nil
	}
	policy, err := e.HumanPolicy(ctx, c, want.Human)
	if err != nil {
		return err
	}
	h.node, h.doc, h.profile, h.rev, h.policy = want.Node, want.Doc, want.Human, moves, policyBytes(policy)
	return nil
}

// changed reports whether there is a newer request than gen.
func (r *run) changed(gen int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gen != gen
}

// unseen ends the search if its page stays hidden for unseenFor.
func (r *run) unseen() {
	time.AfterFunc(unseenFor, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.c.frames.isVisible() && r.cut != nil {
			r.cut()
		}
	})
}

// request converts a request of the page into one of the engine.
func (r *run) request(want *api.Analyse) (req thinking.Request, g *board.Game, handicap int, err error) {
	d, err := r.c.s.docs.Open(want.Doc)
	if err == nil {
		g, handicap, err = d.Position(want.Node)
	}
	if err != nil {
		return req, nil, 0, err
	}
	req = thinking.Request{Color: g.ToMove(), Interval: 100 * time.Millisecond, Want: thinking.Details{Ownership: want.Ownership}}
	for _, list := range []struct {
		vertices []string
		allow    bool
	}{{want.Avoid, false}, {want.Allow, true}} {
		if points := pointsOf(g.Size(), list.vertices); len(points) > 0 {
			req.Restrictions = append(req.Restrictions, thinking.Restriction{Color: g.ToMove(), Points: points, Depth: 1, Allow: list.allow})
		}
	}
	if points := pointsOf(g.Size(), want.Focus); len(points) > 0 {
		req.Focus = &thinking.Focus{Moves: points, Prob: 0.5}
	}
	return req, g, handicap, nil
}

// pointsOf returns the points named by vertices, without invalid names.
func pointsOf(size board.Size, vertices []string) (points []board.Point) {
	for _, v := range vertices {
		if p, err := size.ParseVertex(v); err == nil {
			points = append(points, p)
		}
	}
	return points
}

// show sends a result as a frame, unless there is a newer request.
func (r *run) show(want *api.Analyse, gen int, res *search.Result, final string) {
	if r.changed(gen) {
		return
	}
	f := frameOf(res, want)
	f.Final = final
	if want.Human != "" {
		f.Human = r.human.policy
	}
	r.c.frames.show(api.FrameNews.Of(f))
}

// longestLine is the maximum number of moves shown of a variation.
const longestLine = 24

func frameOf(res *search.Result, want *api.Analyse) api.Frame {
	most := want.Moves
	if most == 0 {
		most = 12
	}
	c := res.ToMove
	f := api.Frame{Doc: want.Doc, Node: want.Node, Visits: res.Root.Visits, Winrate: wire.Round(res.Root.Winrate, 4), Lead: wire.Round(wire.Blacks(c, res.Root.Lead), 2),
		Spread: wire.Round(res.Root.ScoreStdev, 1), Moves: []api.Candidate{}}
	if c == board.White {
		f.Winrate = wire.Round(1-res.Root.Winrate, 4)
	}
	if s := res.Stats.Elapsed.Seconds(); s > 0.05 {
		f.Speed = math.Round(float64(res.Stats.Playouts) / s)
	}
	asked := map[board.Point]bool{}
	for _, p := range pointsOf(res.Size, want.Focus) {
		asked[p] = true
		if m := res.Move(p); m != nil {
			asked[m.SymmetryOf] = true
		}
	}
	at := map[board.Point]int{}
	for i := range res.Moves {
		m := &res.Moves[i]
		if m.SymmetryOf != board.NoPoint { // a mirror image has no visits of its own, so the original lists it
			if k, listed := at[m.SymmetryOf]; listed {
				f.Moves[k].Mirrors = append(f.Moves[k].Mirrors, res.Size.Vertex(m.Move))
			}
			continue
		}
		if len(f.Moves) >= most && !asked[m.Move] || m.Visits == 0 && i > 0 {
			continue
		}
		at[m.Move] = len(f.Moves)
		loss := max(0, res.Moves[0].Lead-m.Lead)
		if i == 0 {
			loss = 0
		}
		f.Moves = append(f.Moves, api.Candidate{Move: res.Size.Vertex(m.Move), Visits: m.Visits, Winrate: wire.Round(m.Winrate, 4), Lead: wire.Round(m.Lead, 2),
			Loss: wire.Round(loss, 2), Class: review.ClassIndex(loss), Prior: wire.Round(float64(m.Prior), 4), PV: wire.Vertices(res.Size, m.PV, longestLine)})
	}
	if want.Ownership {
		f.Ownership = wire.Ownership(res.Ownership, c)
	}
	if want.Policy {
		f.Policy = policyBytes(res.Policy)
	}
	return f
}

// policyBytes packs each probability into a byte, as 255 times its square root, and returns base64.
func policyBytes(policy []float32) string {
	b := make([]byte, len(policy))
	for i, p := range policy {
		b[i] = byte(math.Round(255 * math.Sqrt(float64(min(1, max(0, p))))))
	}
	return base64.StdEncoding.EncodeToString(b)
}
