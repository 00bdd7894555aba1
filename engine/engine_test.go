package engine

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search"
	"kosumi/search/thinking"
)

// anySize is a network with pseudo-random answers for every board.
type anySize struct{ *nn.Server }

func (anySize) Serves(board.Size) error { return nil }

func newEngine(t testing.TB, size int, change func(*Config)) *Engine {
	t.Helper()
	return engineOver(t, nntest.HashModel(1), size, change)
}

func engineOver(t testing.TB, m nn.Model, size int, change func(*Config)) *Engine {
	t.Helper()
	server, err := nn.NewServer(m, nn.ServerConfig{Sessions: 2, MaxBatch: 8, CacheBytes: 1 << 20, Seed: 1})
	require.NoError(t, err)
	c := Defaults()
	c.Size, c.Rules = board.Square(size), board.TrompTaylor()
	c.Limits.Visits = 50
	c.Search.Parallel.Workers = 4
	c.Seed = 7
	if change != nil {
		change(&c)
	}
	e, err := New(c, anySize{server}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() {
		e.Close()
		require.NoError(t, server.Close())
	})
	return e
}

// replaceNetwork gives an engine another network and a new tree.
func replaceNetwork(t *testing.T, e *Engine, net nn.Network) {
	t.Helper()
	tree, err := search.New(e.cfg.Search, net, e.log)
	require.NoError(t, err)
	e.net, e.thinker.net, e.judge.net, e.rank.net, e.thinker.tree = net, net, net, net, tree
}

// hooked is a network that calls a function before each evaluation.
type hooked struct {
	nn.Wrapper
	before func()
}

func (h *hooked) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	h.before()
	return h.Network.Evaluate(ctx, q, out)
}

// hook makes an engine's network call a function before each evaluation.
func hook(t *testing.T, e *Engine, before func()) {
	t.Helper()
	replaceNetwork(t, e, &hooked{nn.Wrapper{Network: e.net}, before})
}

// play plays moves such as "E5 pass w:C3"; a move without a colour is played by the side to move.
func play(t *testing.T, e *Engine, moves string) {
	t.Helper()
	for _, v := range strings.Fields(moves) {
		c, err := e.game.ToMove(), error(nil)
		if color, rest, ok := strings.Cut(v, ":"); ok {
			c, err = board.ParseColor(color)
			require.NoError(t, err)
			v = rest
		}
		p, err := e.game.Size().ParseVertex(v)
		require.NoError(t, err)
		require.NoError(t, e.Play(c, p))
	}
}

// genmove makes the engine move.
func genmove(t testing.TB, e *Engine, c board.Color) thinking.Decision {
	t.Helper()
	d, err := e.GenMove(t.Context(), thinking.MoveRequest{Color: c})
	require.NoError(t, err)
	return d
}

func finalScore(t testing.TB, e *Engine) float64 {
	t.Helper()
	score, err := e.FinalScore(t.Context())
	require.NoError(t, err)
	return score
}

// printed returns the engine's record of the game.
func printed(t testing.TB, e *Engine) string {
	t.Helper()
	data, err := e.SaveSGF(t.Context())
	require.NoError(t, err)
	return string(data)
}

func TestGenMovePlaysLegalMovesToTheEnd(t *testing.T) {
	for _, ponder := range []bool{false, true} {
		e := newEngine(t, 5, func(c *Config) { c.Ponder, c.Resign.Enabled, c.Limits.Visits = ponder, false, 20 })
		for range 60 {
			before := e.game.NumMoves()
			c := e.game.ToMove()
			check := new(board.Game)
			check.CopyFrom(e.game)
			m := genmove(t, e, c)
			require.NoError(t, check.Play(c, m.Point), "the move must be legal")
			require.Equal(t, before+1, e.game.NumMoves())
			require.Equal(t, check.Hash(), e.game.Hash())
		}
	}
}

func TestGenMoveForTheSideThatJustMoved(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	play(t, e, "E5")
	require.False(t, genmove(t, e, board.Black).Resign)
	require.Equal(t, 2, e.game.NumMoves())
	require.Equal(t, board.White, e.game.ToMove())
}

func TestDeterministicMoveLeavesEverything(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	play(t, e, "E5 C3")
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Absolute, Main: 10 * sec}))
	hash, clocks := e.game.Hash(), e.timer.clocks
	r := thinking.MoveRequest{Color: board.Black, Keep: true, Deterministic: true}
	first, err := e.GenMove(context.Background(), r)
	require.NoError(t, err)
	for range 3 {
		_, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: board.Black, Keep: true})
		require.NoError(t, err)
		again, err := e.GenMove(context.Background(), r)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
	require.Equal(t, hash, e.game.Hash())
	require.Equal(t, clocks, e.timer.clocks)
	require.Equal(t, 2, e.game.NumMoves())
}

func TestUndo(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	play(t, e, "E5 C3 D4")
	require.ErrorIs(t, e.Undo(4), ErrCannotUndo)
	require.Equal(t, 3, e.game.NumMoves(), "all or nothing")
	require.NoError(t, e.Undo(3))
	require.ErrorIs(t, e.Undo(1), ErrCannotUndo)
	require.NoError(t, e.SetHandicap([]board.Point{10, 20}))
	require.Equal(t, board.White, e.game.ToMove())
	require.ErrorIs(t, e.Undo(1), ErrCannotUndo, "handicap stones are no moves")
	require.ErrorIs(t, e.SetHandicap([]board.Point{10, 20}), ErrBoardNotEmpty)
}

// TestUndoTakesTimeBack: undo restores both clocks as they were before the move, any number of
// times, even if a controller has set a clock since; new time settings are kept.
func TestUndoTakesTimeBack(t *testing.T) {
	for _, s := range []clock.Settings{
		{System: clock.Fischer, Main: 60 * sec, Increment: 30 * sec},
		{System: clock.CappedFischer, Main: 60 * sec, Increment: 30 * sec, MainLimit: 65 * sec, MoveLimit: -1},
		{System: clock.Byoyomi, Main: 60 * sec, Period: 30 * sec, Periods: 3},
		{System: clock.Canadian, Period: 60 * sec, Stones: 5},
		{System: clock.Absolute, Main: 60 * sec},
	} {
		e := newEngine(t, 9, func(*Config) {})
		require.NoError(t, e.SetClock(s))
		start := e.timer.clocks
		for range 3 {
			genmove(t, e, board.Black)
			require.NotEqual(t, start, e.timer.clocks, s)
			require.NoError(t, e.Undo(1))
			require.Equal(t, start, e.timer.clocks, s)
		}
		genmove(t, e, board.Black)
		genmove(t, e, board.White)
		two := e.timer.clocks
		require.NoError(t, e.TimeLeft(board.Black, 20*sec, s.Stones+s.Periods))
		play(t, e, "J1")
		genmove(t, e, board.White)
		require.NoError(t, e.TimeLeft(board.White, 10*sec, s.Stones+s.Periods))
		require.NoError(t, e.Undo(1))
		require.NoError(t, e.TimeLeft(board.Black, 10*sec, s.Stones+s.Periods))
		genmove(t, e, board.White)
		require.NoError(t, e.Undo(2))
		require.Equal(t, two[1], e.timer.clocks[1], s)
		require.Equal(t, 20*sec, e.timer.clocks[0].Total()-time.Duration(max(0, s.Periods-1))*s.Period, "as it was set before the move")
		require.NoError(t, e.Undo(2))
		require.Equal(t, start, e.timer.clocks, s)

		genmove(t, e, board.Black)
		require.NoError(t, e.SetClock(s))
		set := e.timer.clocks
		play(t, e, "J1 J2")
		genmove(t, e, board.Black)
		require.NoError(t, e.Undo(4))
		require.Equal(t, set, e.timer.clocks, "the move before them had other clocks")
		genmove(t, e, board.Black)
		require.NoError(t, e.NewGame(board.Square(9)))
		now := e.timer.clocks
		play(t, e, "J1")
		require.NoError(t, e.Undo(1))
		require.Equal(t, now, e.timer.clocks, "clocks stay in a new game")
	}
}

func TestHandicapStonesAreChecked(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	for _, stones := range [][]board.Point{nil, {3}, {3, 3}, {3, board.Pass}, {3, 81}} {
		require.ErrorIs(t, e.SetHandicap(stones), ErrHandicapStones)
	}
	for n := 2; n < 81; n += 1 + n/4 {
		stones, err := e.FreeHandicap(context.Background(), n)
		require.NoError(t, err)
		require.Len(t, stones, n)
		require.NoError(t, e.SetHandicap(stones))
		require.NoError(t, e.NewGame(board.Square(9)))
	}
	_, err := e.FreeHandicap(context.Background(), 81)
	require.ErrorIs(t, err, ErrHandicapStones)
}

func TestBreachesOfRulesArePlayedButOccupiedPointsAreNot(t *testing.T) {
	e := newEngine(t, 5, nil)
	play(t, e, "B3 C3 C4 D4 C2 D2 A1 E3 D3")
	ko := e.game.Size().Point(2, 2)
	require.Equal(t, board.Empty, e.game.At(ko), "Black has captured the ko")
	require.Error(t, e.game.Legal(board.White, ko))
	require.NoError(t, e.Play(board.White, ko))
	before := e.game.Hash()
	require.Error(t, e.Play(board.Black, ko))
	require.Equal(t, before, e.game.Hash())
}

func TestResignation(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Resign = Resignation{Enabled: true, Threshold: -0.9, Turns: 3} })
	lost := func(v float64) bool {
		r := &search.Result{}
		r.Root.TreeWinLoss = v
		e.values = e.values.with(e.game, r.Root.TreeWinLoss)
		return e.values.resigns(e.game, r.Root.Lead, headStart(e.game))
	}
	require.False(t, lost(-0.95))
	require.False(t, lost(-0.95))
	require.True(t, lost(-0.95))
	require.False(t, lost(-0.5))
	require.False(t, lost(-0.95))
	require.False(t, lost(-0.95))
	require.True(t, lost(-0.95))
	e.cfg.Resign.Enabled = false
	require.False(t, lost(-1))
}

// lifeAndDeath is a finished position on 7x7: a black stone is dead at B6 and a
// white one at F2.
const lifeAndDeath = `
. . O X . . .
. X O X . . .
. . O X . . .
O O O X X X X
. . O X . . .
. . O X . O .
. . O X . . .
`

func setUp(t *testing.T, e *Engine, diagram string, toMove board.Color) {
	t.Helper()
	b := testshared.Diagram(t, diagram)
	var black, white []board.Point
	for p := range board.Point(b.Size().Area()) {
		switch b.At(p) {
		case board.Black:
			black = append(black, p)
		case board.White:
			white = append(white, p)
		}
	}
	require.NoError(t, e.NewGame(b.Size()))
	require.NoError(t, e.Setup(black, white, toMove))
}

// TestHurried: with less than half a second for a move there is no time to judge chains; without
// a clock there always is.
func TestHurried(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Rules = board.Chinese() })
	require.False(t, hurried(e.budget(board.Black), 0))
	for _, c := range []struct {
		set     clock.Settings
		hurried bool
	}{
		{clock.Settings{System: clock.Absolute, Main: time.Minute}, false},
		{clock.Settings{System: clock.Absolute, Main: 3 * time.Second}, true},
		{clock.Settings{System: clock.Canadian, Period: 2 * time.Second, Stones: 20}, true},
		{clock.Settings{System: clock.Byoyomi, Period: time.Second, Periods: 2}, false},
	} {
		require.NoError(t, e.SetClock(c.set))
		require.Equal(t, c.hurried, hurried(e.budget(board.White), 0), "%+v", c.set)
	}
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Absolute, Main: time.Minute}))
	require.NoError(t, e.TimeLeft(board.White, time.Second, 0))
	require.True(t, hurried(e.budget(board.White), 0))
	require.False(t, hurried(e.budget(board.Black), 0), "each colour has its own clock")
	require.NoError(t, e.Play(board.Black, board.Pass))
	e.timer.lastEvent = time.Now()
	genmove(t, e, board.White)
	require.False(t, e.judge.knows(e.game), "a move in a hurry judges nothing")
}

// TestAnalysisIsNotPlay: analysis widens the root, and ignores the history and mirror Go.
func TestAnalysisIsNotPlay(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.AnalysisWideNoise = 0.25 })
	play, analysis := e.thinker.params(), e.cfg.analysisParams()
	require.True(t, play.AntiMirror)
	require.False(t, analysis.AntiMirror)
	require.False(t, play.Pass.IgnorePreRootHistory)
	require.True(t, analysis.Pass.IgnorePreRootHistory)
	require.Zero(t, play.Root.WideNoise)
	require.InDelta(t, 0.25, analysis.Root.WideNoise, 0)
}

func TestParams(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	require.NoError(t, e.SetParams(map[string]string{"maxVisits": "123", "ponderingEnabled": "true", "analysisWideRootNoise": "0.1"}))
	values := map[string]string{}
	for _, p := range e.Params() {
		values[p.Name] = p.Value
	}
	require.Equal(t, "123", values["maxVisits"])
	require.Equal(t, "true", values["ponderingEnabled"])
	for _, bad := range []map[string]string{
		{"maxVisits": "x"}, {"maxVisits": "-1"}, {"maxVisits": "NaN"}, {"nonsense": "1"}, {"maxVisits": "5", "resignThreshold": "7"},
	} {
		require.ErrorIs(t, e.SetParams(bad), ErrParam)
	}
	require.Equal(t, int64(123), e.cfg.Limits.Visits, "all or none")
	require.NoError(t, e.SetParams(map[string]string{"maxVisits": "1125899906842624"}))
	require.Zero(t, e.cfg.Limits.Visits)
	// Every setting of the search can be changed, and changes the tree's parameters.
	for _, s := range search.Settings() {
		require.Equal(t, s.GetParam(&e.cfg.Search), values[s.Param()], s.Name)
	}
	require.NoError(t, e.SetParams(map[string]string{"cpuctExploration": "0.7", "useGraphSearch": "false"}))
	require.InDelta(t, 0.7, e.thinker.tree.Params().PUCT.Exploration, 0)
	require.False(t, e.thinker.tree.Params().Graph.Use)
	require.ErrorIs(t, e.SetParams(map[string]string{"cpuctExploration": "0.8", "useGraphSearch": "maybe"}), ErrParam)
	require.InDelta(t, 0.7, e.cfg.Search.PUCT.Exploration, 0)
}

func TestAnalyzeReportsTheAnalysedSide(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	play(t, e, "E5")
	for _, c := range []board.Color{board.Black, board.White} {
		ctx, cancel := context.WithCancel(context.Background())
		reports := 0
		err := e.Analyze(ctx, thinking.Request{Color: c, Interval: 20 * time.Millisecond}, func(r *thinking.Analysis) {
			if reports++; reports == 2 {
				cancel()
			}
			require.Equal(t, c, r.ToMove)
			require.NotEmpty(t, r.Moves)
			require.Equal(t, r.Moves[0].Move, r.Moves[0].PV[0])
		})
		cancel()
		require.NoError(t, err)
		require.Greater(t, reports, 1)
	}
	require.Equal(t, 1, e.game.NumMoves())
	require.Equal(t, board.White, e.game.ToMove())
}

func TestAnalyzeWithinRestrictions(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	only := []board.Point{40, 41}
	err := e.AnalyzeWithin(context.Background(), thinking.Request{
		Color:        board.White,
		Restrictions: []thinking.Restriction{{Color: board.White, Points: only, Depth: 1, Allow: true}},
	}, search.Limits{Visits: 100}, func(r *search.Result) {
		for _, m := range r.Moves {
			require.Contains(t, only, m.Move)
		}
	})
	require.NoError(t, err)
}

func TestCancelledGenMoveStillMoves(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits = search.Limits{}; c.DefaultTime = time.Hour })
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	m, err := e.GenMove(ctx, thinking.MoveRequest{Color: board.Black}) // without ctx, GenMove would search for an hour
	require.NoError(t, err)
	require.False(t, m.Resign)
}

// TestSettingsReadThemselves: each setting can read the text that it returns, the rules setting for
// all named rules.
func TestSettingsReadThemselves(t *testing.T) {
	rules := []string{"tromp-taylor", "chinese", "chinese-ogs", "japanese", "aga", "aga-button", "new-zealand", "stone-scoring", "ancient-territory", `{"ko":"SPIGHT"}`}
	for _, r := range rules {
		c := Defaults()
		require.NoError(t, Settings().Set(&c, "rules", r))
		again := Defaults()
		require.NoError(t, Settings().Set(&again, "rules", Settings().Find("rules").Get(&c)), r)
		require.Equal(t, c, again)
	}
	c := Defaults()
	c.Search.Memory.MaxBytes = 16 << 20
	for _, s := range Settings() {
		again := Defaults()
		require.NoError(t, s.Set(&again, s.Get(&c)), s.Name)
		require.Equal(t, s.Get(&c), s.Get(&again), s.Name)
	}
}

// TestParamsGoBack: every parameter accepts the value that it shows, alone and together with the
// others, and keeps it, also without a human SL network.
func TestParamsGoBack(t *testing.T) {
	e := newEngine(t, 9, func(*Config) {})
	shown := func() (texts []string) {
		for _, p := range e.Params() {
			texts = append(texts, p.Name+"="+p.Value)
		}
		return texts
	}
	before, all := shown(), map[string]string{}
	for _, p := range e.Params() {
		require.NoError(t, e.SetParams(map[string]string{p.Name: p.Value}), p.Name)
		all[p.Name] = p.Value
	}
	require.NoError(t, e.SetParams(all))
	require.Equal(t, before, shown())
	err := e.SetParams(map[string]string{"humanSLChosenMoveProp": "0.5"})
	require.ErrorContains(t, err, "--human-model")
	require.NotContains(t, err.Error(), "b18c384nbt")
	for _, wrong := range []string{"0", "1025", "1.5", "x", "NaN"} {
		require.ErrorContains(t, e.SetParams(map[string]string{"numSearchThreads": wrong}), "must be an integer from 1 to 1024", wrong)
	}
	require.Equal(t, before, shown())
}
