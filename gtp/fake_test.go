package gtp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/search/setting"
	"kosumi/search/thinking"
	"kosumi/sgf"
)

// fakeEngine is a player without a network: it keeps a real game, chooses the first sensible
// legal move, and its searches only take time, visitTime per visit.
type fakeEngine struct {
	game    *board.Game
	params  []setting.Param
	clock   clock.Settings
	left    [3]time.Duration
	loading <-chan struct{} // if set, commands that need a network wait for it
	stops   atomic.Int32
	caches  int
	panics  bool
	late    chan struct{} // if set, Analyze reports once more after it has returned, then closes this channel
	most    time.Duration // longest search, if not 0
}

var _ Engine = (*fakeEngine)(nil)

func (f *fakeEngine) FreeHandicap(_ context.Context, n int) (points []board.Point, err error) {
	for p := range board.Point(n) {
		points = append(points, p)
	}
	return points, nil
}

const visitTime = 20 * time.Microsecond

func newFake() *fakeEngine {
	r := board.TrompTaylor()
	g, err := board.NewGame(board.Square(19), r)
	if err != nil {
		panic(err)
	}
	return &fakeEngine{game: g, params: []setting.Param{
		{Name: "maxVisits", Value: "50", Info: setting.Info{Kind: setting.Number}},
		{Name: "maxPlayouts", Value: "1000000000", Info: setting.Info{Kind: setting.Number}},
		{Name: "maxTime", Value: "1000000", Info: setting.Info{Kind: setting.Number}},
		{Name: "numSearchThreads", Value: "1", Info: setting.Info{Kind: setting.Number}},
		{Name: "ponderingEnabled", Value: "false", Info: setting.Info{Kind: setting.Bool}},
		{Name: "allowResignation", Value: "true", Info: setting.Info{Kind: setting.Bool}},
		{Name: "analysisWideRootNoise", Value: "0", Info: setting.Info{Kind: setting.Number}},
		{Name: "playoutDoublingAdvantage", Value: "0", Info: setting.Info{Kind: setting.Number}},
		{Name: "style", Value: "plain", Info: setting.Info{Kind: setting.Choice, Words: []string{"plain", "wild"}}},
		{Name: "humanSLProfile", Value: ""},
	}}
}

func (f *fakeEngine) Game() *board.Game {
	if f.panics {
		panic("the game is gone")
	}
	return f.game
}

func (f *fakeEngine) NewGame(s board.Size) error {
	g, err := board.NewGame(s, f.game.Rules())
	if err == nil {
		f.game = g
	}
	return err
}

func (f *fakeEngine) SetRules(r board.Rules) error                  { return f.game.SetRules(r) }
func (f *fakeEngine) Play(c board.Color, p board.Point) error       { return f.game.PlayTolerant(c, p) }
func (f *fakeEngine) Setup(b, w []board.Point, c board.Color) error { return f.game.Setup(b, w, c) }

func (f *fakeEngine) SetKomi(k float32) error {
	if k > 400 || k < -400 {
		return errors.New("out of range")
	}
	f.game.SetKomi(k)
	return nil
}

func (f *fakeEngine) Undo(n int) error {
	if n > f.game.NumMoves() {
		return errors.New("not that many moves")
	}
	for range n {
		f.game.Undo()
	}
	return nil
}

func (f *fakeEngine) SetHandicap(stones []board.Point) error {
	if len(stones) < 2 || len(stones) >= f.game.Size().Area() {
		return errors.New("too few or too many")
	}
	if err := f.game.Setup(stones, nil, board.White); err != nil {
		return err
	}
	f.game.SetHandicapStones(len(stones))
	return nil
}

func (f *fakeEngine) wait(ctx context.Context) error {
	if f.loading == nil {
		return nil
	}
	select {
	case <-f.loading:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *fakeEngine) param(name string) string {
	i := slices.IndexFunc(f.params, func(p setting.Param) bool { return p.Name == name })
	return f.params[i].Value
}

func (f *fakeEngine) number(name string) float64 {
	n, err := strconv.ParseFloat(f.param(name), 64)
	if err != nil {
		panic(err)
	}
	return n
}

func (f *fakeEngine) budget(c board.Color, useClock bool) time.Duration {
	visits := min(f.number("maxVisits"), f.number("maxPlayouts"))
	d := min(visits*visitTime.Seconds(), f.number("maxTime"))
	if useClock && f.clock.System != clock.None {
		d = min(d, max(f.left[c]+f.clock.Period+f.clock.Increment, 0).Seconds()/1000)
	}
	if f.most > 0 {
		d = min(d, f.most.Seconds())
	}
	return time.Duration(d * float64(time.Second))
}

// think waits for d and reports at intervals, at least once.
func (f *fakeEngine) think(ctx context.Context, d time.Duration, r *thinking.Request, report func(*thinking.Analysis)) {
	began := time.Now()
	snapshot := func() {
		if report != nil {
			report(f.analysis(r, 1+int64(time.Since(began)/visitTime)))
		}
	}
	defer snapshot()
	over := time.NewTimer(d)
	defer over.Stop()
	var tick <-chan time.Time
	if r != nil && r.Interval > 0 {
		ticker := time.NewTicker(r.Interval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			var wg sync.WaitGroup // reports may come from any goroutine
			wg.Go(snapshot)
			wg.Wait()
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (f *fakeEngine) GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error) {
	f.wait(ctx)
	began := time.Now()
	if !r.Keep {
		f.game.SetToMove(r.Color)
	}
	f.think(ctx, f.budget(r.Color, !r.Deterministic), cmp.Or(r.Analysis, &thinking.Request{Color: r.Color}), r.Report)
	if !r.Keep {
		f.left[r.Color] -= time.Since(began)
	}
	if f.hopeless(r.Color) {
		return thinking.Decision{Resign: true}, nil
	}
	p := f.choose(r)
	if r.Keep {
		return thinking.Decision{Point: p}, nil
	}
	return thinking.Decision{Point: p}, f.game.Play(r.Color, p)
}

// hopeless reports whether c may resign and is behind by more points than the board has.
func (f *fakeEngine) hopeless(c board.Color) bool {
	lead := float64(f.game.Score())
	if c == board.Black {
		lead = -lead
	}
	return f.param("allowResignation") == "true" && lead < -float64(f.game.Size().Area()+1)
}

// choose returns the first candidate or, in a cleanup, a liberty of a dead chain of the opponent.
// If there is none, it passes.
func (f *fakeEngine) choose(r thinking.MoveRequest) board.Point {
	g := f.game
	if r.Cleanup {
		for p, st := range f.statuses() {
			if st != thinking.Dead || g.At(board.Point(p)) != r.Color.Opponent() {
				continue
			}
			for _, q := range g.Board().LibertyPoints(nil, board.Point(p)) {
				if g.Legal(r.Color, q) == nil {
					return q
				}
			}
		}
		return board.Pass
	}
	if moves := f.candidates(r.Color, cmp.Or(r.Analysis, &thinking.Request{})); len(moves) > 0 {
		return moves[0]
	}
	return board.Pass
}

// candidates are the legal points that are not eyes and that the request allows.
func (f *fakeEngine) candidates(c board.Color, r *thinking.Request) []board.Point {
	g := f.game
	var moves []board.Point
	for p := range board.Point(g.Size().Area()) {
		eye := true
		for _, q := range g.Board().Neighbors(p) {
			eye = eye && g.At(q) == c
		}
		if !eye && g.Legal(c, p) == nil && thinking.Permits(r.Restrictions, c, p, 0) {
			moves = append(moves, p)
		}
	}
	return moves
}

// analysis makes up a snapshot: the board's score, and visits halved from move to move.
func (f *fakeEngine) analysis(r *thinking.Request, visits int64) *thinking.Analysis {
	g := f.game
	lead := float64(g.Score())
	if r.Color == board.Black {
		lead = -lead
	}
	winrate := 1 / (1 + math.Exp(-lead/10))
	a := &thinking.Analysis{ToMove: r.Color, Ownership: f.ownership(r.Color), OwnershipStdev: make([]float32, g.Size().Area())}
	a.Root = thinking.Root{Visits: visits, Value: thinking.Value{Winrate: winrate, Lead: lead}, Raw: thinking.Raw{VarTimeLeft: -1}}
	moves := f.candidates(r.Color, r)
	if len(moves) == 0 {
		moves = []board.Point{board.Pass}
	}
	for i, p := range moves {
		n := visits >> (i + 1)
		if n == 0 && i >= max(r.MinMoves, 1) {
			break
		}
		a.Moves = append(a.Moves, thinking.Move{
			Move: p, Visits: max(n, int64(1-min(i, 1))), EdgeVisits: n, Value: thinking.Value{Winrate: winrate, Lead: lead, ScoreStdev: 10}, LCB: winrate - 0.1,
			Prior: 1 / float32(len(moves)), SymmetryOf: board.NoPoint,
			PV: []board.Point{p, board.Pass}, PVVisits: []int64{n, 1}, PVEdgeVisits: []int64{n, 1},
			Ownership: a.Ownership, OwnershipStdev: a.OwnershipStdev,
		})
	}
	return a
}

func (f *fakeEngine) ownership(view board.Color) []float32 {
	list := make([]float32, f.game.Size().Area())
	for p, c := range f.game.Owners(nil) {
		switch c {
		case board.Empty:
		case view:
			list[p] = 1
		default:
			list[p] = -1
		}
	}
	return list
}

func (f *fakeEngine) Analyze(ctx context.Context, r thinking.Request, report func(*thinking.Analysis)) error {
	if err := f.wait(ctx); err != nil {
		return err
	}
	f.think(ctx, f.budget(r.Color, false), &r, report)
	if f.late != nil {
		go func() {
			time.Sleep(20 * time.Millisecond)
			report(f.analysis(&r, 5))
			close(f.late)
		}()
	}
	return nil
}

func (f *fakeEngine) Evaluate(ctx context.Context, r thinking.EvaluationRequest) (*thinking.Evaluation, error) {
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	g := f.game
	moves := f.candidates(r.Color, &thinking.Request{})
	o := &thinking.Evaluation{Win: 0.5, Loss: 0.5, Lead: float64(g.Score()), Ownership: f.ownership(board.White)}
	o.Policy = slices.Repeat([]float32{-1}, g.Size().Area()+1)
	for _, p := range moves {
		o.Policy[p] = 1 / float32(len(moves)+1)
	}
	o.Policy[g.Size().Area()] = 1 / float32(len(moves)+1)
	return o, nil
}

func (f *fakeEngine) Stop()       { f.stops.Add(1) }
func (f *fakeEngine) ClearCache() { f.caches++ }

func (f *fakeEngine) SetClock(s clock.Settings) error {
	f.clock = s
	f.left = [3]time.Duration{board.Black: s.Main, board.White: s.Main}
	return nil
}

func (f *fakeEngine) TimeLeft(c board.Color, left time.Duration, _ int) error {
	f.left[c] = left
	return nil
}

func (f *fakeEngine) FinalScore(ctx context.Context) (float64, error) {
	if err := f.wait(ctx); err != nil {
		return 0, err
	}
	var dead []board.Point
	for p, st := range f.statuses() {
		if st == thinking.Dead {
			dead = append(dead, board.Point(p))
		}
	}
	return float64(f.game.ScoreWithDead(dead)), nil
}

func (f *fakeEngine) Estimate(ctx context.Context) (*thinking.Estimate, error) {
	score, err := f.FinalScore(ctx)
	if err != nil {
		return nil, err
	}
	e := &thinking.Estimate{Lead: score, Low: score - 3, High: score + 3, Winrate: 0.5, Visits: 1, Open: f.game.Size().Area()}
	for p := range board.Point(f.game.Size().Area()) {
		if f.game.At(p) != board.Empty && f.game.Board().ChainHead(p) == p {
			e.Unsettled = append(e.Unsettled, f.game.Board().Chain(nil, p))
		}
	}
	return e, nil
}

func (f *fakeEngine) FinalStatus(ctx context.Context) ([]thinking.Status, error) {
	if err := f.wait(ctx); err != nil {
		return nil, err
	}
	return f.statuses(), nil
}

// statuses treats stones in the opponent's pass-alive area as dead.
func (f *fakeEngine) statuses() []thinking.Status {
	b := f.game.Board()
	owners := b.PassAlive(nil, f.game.Rules().Suicide)
	list := make([]thinking.Status, len(owners))
	for p, owner := range owners {
		switch c := b.At(board.Point(p)); {
		case c == owner && c != board.Empty, c != board.Empty && owner == board.Empty:
			list[p] = thinking.Alive
		case c != board.Empty:
			list[p] = thinking.Dead
		case owner == board.Black:
			list[p] = thinking.BlackTerritory
		case owner == board.White:
			list[p] = thinking.WhiteTerritory
		default:
			list[p] = thinking.Dame
		}
	}
	return list
}

// LoadSGF reads the main line of the first record.
func (f *fakeEngine) LoadSGF(data []byte, before int) error {
	trees, err := sgf.Parse(data)
	if err != nil {
		return err
	}
	root, _ := sgf.First(trees)
	record, err := sgf.RecordOf(root)
	if err == nil && len(record.Steps) == 0 {
		err = record.Fault
	}
	if err != nil {
		return err
	}
	rules, _ := record.RulesOr(f.game.Rules())
	g, err := record.Game(rules, before-1) // 0 becomes -1, which means all moves
	if err == nil {
		f.game = g
	}
	return err
}

// SaveSGF returns a record with blank lines, which a reply must not contain.
func (f *fakeEngine) SaveSGF(context.Context) ([]byte, error) {
	g := f.game
	var b strings.Builder
	fmt.Fprintf(&b, "(;GM[1]FF[4]SZ[%d]KM[%.1f]\n\nC[a comment\n\n=with lines]\n", g.Size().W, g.Rules().Komi)
	for _, m := range g.Moves() {
		fmt.Fprintf(&b, ";%s[%s]", strings.ToUpper(m.Color.String()[:1]), sgf.FormatPoint(g.Size(), m.Point))
	}
	b.WriteString(")\n")
	return []byte(b.String()), nil
}

func (f *fakeEngine) Params() []setting.Param { return slices.Clone(f.params) }

func (f *fakeEngine) SetParams(values map[string]string) error {
	params := slices.Clone(f.params)
	for name, value := range values {
		i := slices.IndexFunc(params, func(p setting.Param) bool { return p.Name == name })
		if i < 0 {
			return fmt.Errorf("unknown parameter %q", name)
		}
		switch n, err := strconv.ParseFloat(value, 64); {
		case params[i].Kind == setting.Number && (err != nil || !(n >= 0)):
			return fmt.Errorf("parameter %s wants a number", name)
		case params[i].Kind == setting.Bool && value != "true" && value != "false":
			return fmt.Errorf("parameter %s wants true or false", name)
		}
		params[i].Value = value
	}
	f.params = params
	return nil
}
