package engine

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search"
	"kosumi/sgf"
)

// anySize is a network of pseudo-random opinions for every board.
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

func play(t *testing.T, e *Engine, moves string) {
	t.Helper()
	c := board.Black
	for _, v := range strings.Fields(moves) {
		p, err := e.game.Size().ParseVertex(v)
		require.NoError(t, err)
		require.NoError(t, e.Play(c, p))
		c = c.Opponent()
	}
}

func TestGenMovePlaysLegalMovesToTheEnd(t *testing.T) {
	for _, ponder := range []bool{false, true} {
		e := newEngine(t, 5, func(c *Config) { c.Ponder, c.Resign.Enabled, c.Limits.Visits = ponder, false, 20 })
		for range 60 {
			before := e.game.NumMoves()
			c := e.game.ToMove()
			check, err := board.NewGame(e.game.Size(), e.game.Rules())
			require.NoError(t, err)
			check.CopyFrom(e.game)
			m, err := e.GenMove(context.Background(), MoveRequest{Color: c})
			require.NoError(t, err)
			require.NoError(t, check.Play(c, m.Point), "the move must be legal")
			require.Equal(t, before+1, e.game.NumMoves())
			require.Equal(t, check.Hash(), e.game.Hash())
		}
	}
}

func TestGenMoveForTheSideThatJustMoved(t *testing.T) {
	e := newEngine(t, 9, nil)
	play(t, e, "E5")
	m, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black})
	require.NoError(t, err)
	require.False(t, m.Resign)
	require.Equal(t, 2, e.game.NumMoves())
	require.Equal(t, board.White, e.game.ToMove())
}

func TestDeterministicMoveLeavesEverything(t *testing.T) {
	e := newEngine(t, 9, nil)
	play(t, e, "E5 C3")
	require.NoError(t, e.SetClock(TimeSettings{System: AbsoluteTime, Main: 10 * sec}))
	hash, clocks := e.game.Hash(), e.clocks
	r := MoveRequest{Color: board.Black, Keep: true, Deterministic: true}
	first, err := e.GenMove(context.Background(), r)
	require.NoError(t, err)
	for range 3 {
		_, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black, Keep: true})
		require.NoError(t, err)
		again, err := e.GenMove(context.Background(), r)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
	require.Equal(t, hash, e.game.Hash())
	require.Equal(t, clocks, e.clocks)
	require.Equal(t, 2, e.game.NumMoves())
}

func TestTheTreeFollowsTheGame(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits.Visits = 400 })
	_, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black})
	require.NoError(t, err)
	require.True(t, e.tree.Matches(e.game))
	kept := e.tree.Visits()
	require.Positive(t, kept)
	for _, c := range []struct {
		name   string
		change func() error
	}{
		{"komi", func() error { return e.SetKomi(6) }},
		{"rules", func() error { return e.SetRules(board.Japanese()) }},
		{"undo", func() error { return e.Undo(1) }},
		{"turn", func() error { return e.Play(e.game.ToMove().Opponent(), board.Pass) }},
		{"set-up", func() error { return e.Setup([]board.Point{40}, []board.Point{41}, board.White) }},
		{"set-up with the other side to move", func() error { return e.Setup([]board.Point{40}, []board.Point{41}, board.Black) }},
		{"a record", func() error { return e.LoadSGF([]byte("(;SZ[9]KM[6]RU[Japanese];B[ee];W[gc])"), 0) }},
		{"the same stones by other moves", func() error { return e.LoadSGF([]byte("(;SZ[9]KM[6]RU[Japanese]AB[ee];W[gc])"), 0) }},
		{"new game", func() error { return e.NewGame(board.Square(9)) }},
		{"handicap", func() error {
			return errors.Join(e.NewGame(board.Square(9)), e.SetHandicap([]board.Point{20, 60}))
		}},
		{"size", func() error { return e.NewGame(board.Square(7)) }},
	} {
		_, err := e.GenMove(context.Background(), MoveRequest{Color: e.game.ToMove()})
		require.NoError(t, err)
		require.NoError(t, c.change(), c.name)
		require.False(t, e.tree.Matches(e.game), c.name)
		e.syncTree(e.game)
		require.Zero(t, e.tree.Visits(), c.name)
		require.True(t, e.tree.Matches(e.game), c.name)
	}
}

// TestTheTreeIsKept wherever it stays right.
func TestTheTreeIsKept(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Limits.Visits = 400 })
	play(t, e, "C4 E7") // at the root of a symmetric position, copies of moves would be dropped
	_, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black})
	require.NoError(t, err)
	for name, change := range map[string]func() error{
		"the same komi":       func() error { return e.SetKomi(e.game.Rules().Komi) },
		"the same rules":      func() error { return e.SetRules(e.game.Rules()) },
		"an illegal move":     func() error { e.Play(board.White, e.game.LastMove(0).Point); return nil },
		"a clock":             func() error { return e.SetClock(TimeSettings{System: AbsoluteTime, Main: 100 * sec}) },
		"a setting of choice": func() error { return e.SetParams(map[string]string{"lcbStdevs": "4"}) },
		"other limits":        func() error { return e.SetParams(map[string]string{"maxVisits": "500"}) },
		"other threads":       func() error { return e.SetParams(map[string]string{"numSearchThreads": "2"}) },
		"a move that was kept": func() error {
			_, err := e.GenMove(context.Background(), MoveRequest{Color: board.White, Keep: true})
			return err
		},
		"a score": func() error { _, err := e.FinalScore(context.Background()); return err },
	} {
		before := e.tree.Visits()
		require.Positive(t, before)
		require.NoError(t, change(), name)
		require.GreaterOrEqual(t, e.tree.Visits(), before, name)
		require.True(t, e.tree.Matches(e.game), name)
	}
	// The opponent's reply keeps what was searched below it.
	var r search.Result
	e.tree.Snapshot(&r)
	reply := r.Moves[0]
	require.NoError(t, e.Play(board.White, reply.Move))
	require.Equal(t, reply.Visits, e.tree.Visits())
	// A setting that changes what is found drops it.
	require.NoError(t, e.SetParams(map[string]string{"cpuctExploration": "1.5"}))
	require.Zero(t, e.tree.Visits())
}

func TestUndo(t *testing.T) {
	e := newEngine(t, 9, nil)
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

func TestHandicapStonesAreChecked(t *testing.T) {
	e := newEngine(t, 9, nil)
	for _, stones := range [][]board.Point{nil, {3}, {3, 3}, {3, board.Pass}, {3, 81}} {
		require.ErrorIs(t, e.SetHandicap(stones), ErrHandicapStones)
	}
	for n := 2; n <= maxFreeHandicap(board.Square(9)); n++ {
		stones, err := e.FreeHandicap(context.Background(), n)
		require.NoError(t, err)
		require.Len(t, stones, n)
		require.NoError(t, e.SetHandicap(stones))
		require.NoError(t, e.NewGame(board.Square(9)))
	}
	_, err := e.FreeHandicap(context.Background(), 21)
	require.ErrorIs(t, err, ErrHandicapStones)
}

func TestBreachesOfRulesArePlayedButOccupiedPointsAreNot(t *testing.T) {
	e := newEngine(t, 5, nil)
	play(t, e, "B3 C3 C4 D4 C2 D2 A1 E3 D3")
	require.Equal(t, board.Empty, e.game.At(e.game.Size().Point(2, 2)), "Black has captured the ko")
	ko, err := e.game.Size().ParseVertex("C3")
	require.NoError(t, err)
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
		r.Root.Value = v
		return e.resigns(r, e.game)
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
	b, err := board.ParseDiagram(diagram)
	require.NoError(t, err)
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

func TestScoringOfAFinishedPosition(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 7 })
	setUp(t, e, lifeAndDeath, board.Black)
	status, err := e.FinalStatus(context.Background())
	require.NoError(t, err)
	size := e.game.Size()
	require.Equal(t, Dead, status[size.Point(1, 1)])
	require.Equal(t, Dead, status[size.Point(5, 5)])
	require.Equal(t, Alive, status[size.Point(2, 0)])
	require.Equal(t, WhiteTerritory, status[size.Point(0, 0)])
	require.Equal(t, BlackTerritory, status[size.Point(6, 6)])
	score, err := e.FinalScore(context.Background())
	require.NoError(t, err)
	require.Equal(t, 21.0-28.0+7.0, score)
}

// TestRecordCountsAsFinalScore: the result in a record has the dead stones taken off;
// where the clock leaves no time to tell them it waits until somebody asks.
func TestRecordCountsAsFinalScore(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 6.5 })
	setUp(t, e, lifeAndDeath, board.Black)
	require.NoError(t, e.SetClock(TimeSettings{System: AbsoluteTime, Main: 3 * time.Second}))
	result := func() string {
		data, err := e.SaveSGF(t.Context())
		require.NoError(t, err)
		_, text, _ := strings.Cut(string(data), "RE[")
		text, _, _ = strings.Cut(text, "]")
		return text
	}
	require.Empty(t, result())
	play(t, e, "pass pass")
	require.Empty(t, result())
	_, err := e.FinalScore(t.Context())
	require.NoError(t, err)
	require.Equal(t, "B+0.5", result())
	require.NotEqual(t, -0.5, float64(e.game.Score()), "as it stands")
	require.NoError(t, e.SetClock(TimeSettings{}))
	e.judged = judgement{}
	require.Equal(t, "B+0.5", result())
}

// In the middle of a game the score is the lead that a search finds, not what a count
// would make of an open board; once both sides have passed it is counted.
func TestFinalScoreUnderWay(t *testing.T) {
	ctx := context.Background()
	e := newEngine(t, 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 7 })
	for i, p := range []board.Point{24, 17, 31} {
		require.NoError(t, e.Play([]board.Color{board.Black, board.White}[i%2], p))
	}
	lead, err := e.Estimate(ctx)
	require.NoError(t, err)
	score, err := e.FinalScore(ctx)
	require.NoError(t, err)
	require.InDelta(t, lead.Lead, score, 0.5)
	require.Equal(t, math.Trunc(score), score, "what a game can end with")
	require.NoError(t, e.Play(board.White, board.Pass))
	require.NoError(t, e.Play(board.Black, board.Pass))
	j, err := e.judge(ctx, e.game)
	require.NoError(t, err)
	score, err = e.FinalScore(ctx)
	require.NoError(t, err)
	require.InDelta(t, e.game.ScoreWithDead(j.dead), score, 0)
}

func TestCleanupCapturesBeforePassing(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = board.Chinese() })
	setUp(t, e, lifeAndDeath, board.Black)
	dead := e.game.Size().Point(5, 5)
	for range 12 {
		m, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black, Cleanup: true})
		require.NoError(t, err)
		if e.game.At(dead) == board.Empty {
			return
		}
		require.NotEqual(t, board.Pass, m.Point, "no pass while a dead stone is on the board")
		require.NoError(t, e.Play(board.White, board.Pass))
	}
	t.Fatal("the dead stone was never captured")
}

func TestStrictRulesCaptureInSureTerritoryBeforePassing(t *testing.T) {
	e := newEngine(t, 7, nil)
	// Black lives for sure, with a white stone inside.
	setUp(t, e, `
. X . X X . .
X X X X . X X
. X . O X . .
X X X X X X X
O O O O O O O
. O . O . O .
O . O . O . O
`, board.Black)
	p := e.beforePass(context.Background(), e.game, &search.Result{}, false, false)
	require.NotEqual(t, board.Pass, p)
	require.NoError(t, e.game.Legal(board.Black, p))
	e.cfg.Rules.FriendlyPassOk = true
	rules := e.game.Rules()
	rules.FriendlyPassOk = true
	require.NoError(t, e.SetRules(rules))
	_, err := e.judge(context.Background(), e.game)
	require.NoError(t, err)
	e.judged.sure = true
	require.Equal(t, board.Pass, e.beforePass(context.Background(), e.game, &search.Result{}, false, false))
	e.judged.sure = false // the opponent may not agree
	require.Equal(t, p, e.beforePass(context.Background(), e.game, &search.Result{}, false, false))
	e.judged.sure = true
	require.Equal(t, p, e.beforePass(context.Background(), e.game, &search.Result{}, false, true), "nothing is judged in a hurry")
}

// TestHurried: a clock that allows less than half a second for a move
// leaves no time to judge chains; without a clock there is always time.
// TestWhetherToCleanUp: dead stones in sure territory are taken where that is asked
// for under any rules, and under none where it is not wanted.
func TestWhetherToCleanUp(t *testing.T) {
	for _, c := range []struct {
		rules    board.Rules
		cleanUp  Whether
		friendly Whether
		takes    bool
	}{
		{board.TrompTaylor(), ByRules, ByRules, true},
		{board.TrompTaylor(), Never, ByRules, false},
		{board.TrompTaylor(), ByRules, Always, false},
		{board.TrompTaylor(), Always, ByRules, true},
		{board.Japanese(), ByRules, ByRules, false},
		{board.Japanese(), Always, ByRules, true},
	} {
		e := engineOver(t, nntest.Uniform(), 7, func(conf *Config) { conf.Rules, conf.CleanUp, conf.FriendlyPass = c.rules, c.cleanUp, c.friendly })
		require.Equal(t, c.takes, e.cleansUp(context.Background(), e.game, false), "%v", c)
	}
}

func TestHurried(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Rules = board.Chinese() })
	require.False(t, e.hurried(board.Black))
	for _, c := range []struct {
		set     TimeSettings
		hurried bool
	}{
		{TimeSettings{System: AbsoluteTime, Main: time.Minute}, false},
		{TimeSettings{System: AbsoluteTime, Main: 3 * time.Second}, true},
		{TimeSettings{System: CanadianByoyomi, Period: 2 * time.Second, Stones: 20}, true},
		{TimeSettings{System: JapaneseByoyomi, Period: time.Second, Periods: 2}, false},
	} {
		require.NoError(t, e.SetClock(c.set))
		require.Equal(t, c.hurried, e.hurried(board.White), "%+v", c.set)
	}
	require.NoError(t, e.SetClock(TimeSettings{System: AbsoluteTime, Main: time.Minute}))
	require.NoError(t, e.TimeLeft(board.White, time.Second, 0))
	require.True(t, e.hurried(board.White))
	require.False(t, e.hurried(board.Black), "each colour has its own clock")
	require.NoError(t, e.Play(board.Black, board.Pass))
	e.lastEvent = time.Now()
	_, err := e.GenMove(context.Background(), MoveRequest{Color: board.White})
	require.NoError(t, err)
	require.False(t, e.judged.done, "a move in a hurry judges nothing")
}

func TestRecords(t *testing.T) {
	e := newEngine(t, 9, nil)
	play(t, e, "E5 C3 pass D4")
	data, err := e.SaveSGF(t.Context())
	require.NoError(t, err)
	hash := e.game.Hash()
	require.NoError(t, e.NewGame(board.Square(5)))
	require.NoError(t, e.LoadSGF(data, 0))
	require.Equal(t, hash, e.game.Hash())
	require.NoError(t, e.LoadSGF(data, 3))
	require.Equal(t, 2, e.game.NumMoves())
	for name, bad := range map[string]string{
		"empty": "", "no record": "hello", "cut off": "(;B[aa", "huge board": "(;SZ[99]B[aa])", "move off the board": "(;SZ[5]B[zz])",
	} {
		before := e.game.Hash()
		require.ErrorIs(t, e.LoadSGF([]byte(bad), 0), ErrRecord, name)
		require.Equal(t, before, e.game.Hash(), name)
	}
	require.NoError(t, e.LoadSGF([]byte("(;SZ[9]KM[0.5]RU[Japanese]HA[2]AB[cc][gg];W[ee])"), 0))
	require.Equal(t, board.ScoringTerritory, e.game.Rules().Scoring)
	require.Equal(t, float32(0.5), e.game.Rules().Komi)
	require.Equal(t, 2, e.Handicap())
}

// TestAnalysisIsNotPlay: analysis widens the root, and minds neither the moves
// before nor an opponent who copies them.
func TestAnalysisIsNotPlay(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.AnalysisWideNoise = 0.25 })
	play, analysis := e.searchParams(), e.analysisParams()
	require.True(t, play.AntiMirror)
	require.False(t, analysis.AntiMirror)
	require.False(t, play.Pass.IgnorePreRootHistory)
	require.True(t, analysis.Pass.IgnorePreRootHistory)
	require.Zero(t, play.Root.WideNoise)
	require.InDelta(t, 0.25, analysis.Root.WideNoise, 0)
}

func TestParams(t *testing.T) {
	e := newEngine(t, 9, nil)
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
	// Every setting of the search is one, and changes what the tree does.
	for _, s := range search.Settings() {
		require.Equal(t, s.GetKataGo(&e.cfg.Search), values[s.Param()], s.Name)
	}
	require.NoError(t, e.SetParams(map[string]string{"cpuctExploration": "0.7", "useGraphSearch": "false", "virtualLossForm": "count"}))
	require.InDelta(t, 0.7, e.tree.Params().PUCT.Exploration, 0)
	require.False(t, e.tree.Params().Graph.Use)
	require.Equal(t, search.CountOnly, e.tree.Params().VirtualLoss.Form)
	require.ErrorIs(t, e.SetParams(map[string]string{"cpuctExploration": "0.8", "useGraphSearch": "maybe"}), ErrParam)
	require.InDelta(t, 0.7, e.cfg.Search.PUCT.Exploration, 0)
}

func TestPonderingStopsAndKeepsItsVisits(t *testing.T) {
	e := newEngine(t, 9, func(c *Config) { c.Ponder = true })
	_, err := e.GenMove(context.Background(), MoveRequest{Color: board.Black})
	require.NoError(t, err)
	require.NotNil(t, e.pondering)
	server := e.net.(anySize).Server
	before := server.Stats()
	require.Eventually(t, func() bool { s := server.Stats(); return s.Rows+s.Hits > before.Rows+before.Hits+200 }, time.Minute, time.Millisecond)
	e.Stop() // returns only when nothing is searched any more
	stopped := server.Stats()
	require.Greater(t, e.tree.Visits(), int64(50))
	time.Sleep(20 * time.Millisecond)
	require.Equal(t, stopped, server.Stats(), "no evaluation after that")
	require.True(t, e.tree.Matches(e.game))
	require.NoError(t, e.SetKomi(5.5))
}

func TestAnalyzeReportsTheAnalysedSide(t *testing.T) {
	e := newEngine(t, 9, nil)
	play(t, e, "E5")
	for _, c := range []board.Color{board.Black, board.White} {
		ctx, cancel := context.WithCancel(context.Background())
		reports := 0
		err := e.Analyze(ctx, AnalyzeRequest{Color: c, Interval: 20 * time.Millisecond}, func(r *search.Result) {
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
	e := newEngine(t, 9, nil)
	only := []board.Point{40, 41}
	err := e.Analyze(context.Background(), AnalyzeRequest{
		Color: board.White, Limits: search.Limits{Visits: 100},
		Restrict: []search.Restriction{{Color: board.White, Points: only, Depth: 1, Allow: true}},
	}, func(r *search.Result) {
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
	m, err := e.GenMove(ctx, MoveRequest{Color: board.Black}) // without the context it would take an hour
	require.NoError(t, err)
	require.False(t, m.Resign)
}

// TestSettingsReadThemselves: what a setting returns is what it reads.
func TestSettingsReadThemselves(t *testing.T) {
	rules := []string{"tromp-taylor", "chinese", "chinese-ogs", "japanese", "aga", "aga-button", "new-zealand", "stone-scoring", "ancient-territory", `{"ko":"SPIGHT"}`}
	for _, r := range rules {
		c := Defaults()
		require.NoError(t, Settings().Set(&c, "rules", r))
		again := Defaults()
		require.NoError(t, Settings().Set(&again, "rules", Settings().Find("rules").Get(&c)), r)
		require.Equal(t, c, again)
	}
	for _, s := range Settings() {
		c := Defaults()
		if s.Name == "max-memory" {
			continue // 0 is the search's own default
		}
		require.NoError(t, s.Set(&c, s.Get(&c)), s.Name)
		require.Equal(t, Defaults(), c, s.Name)
	}
}

// TestRecordsHoldThoughts plays both sides, takes moves back, sends the game anew,
// and resigns.
func TestRecordsHoldThoughts(t *testing.T) {
	e := newEngine(t, 5, func(c *Config) { c.Name, c.Limits.Visits, c.Rules = "Kosumi 1", 8, board.TrompTaylor() })
	record := func() *sgf.Record {
		data, err := e.SaveSGF(t.Context())
		require.NoError(t, err)
		roots, err := sgf.Parse(data)
		require.NoError(t, err)
		r, err := sgf.RecordOf(roots[0])
		require.NoError(t, err)
		rules, err := r.BoardRules()
		require.NoError(t, err)
		require.Equal(t, e.game.Rules(), rules, "the rules are read back")
		return r
	}
	play(t, e, "C3")
	require.Empty(t, record().White.Name, "nothing was chosen here")
	m, err := e.GenMove(t.Context(), MoveRequest{Color: board.White})
	require.NoError(t, err)
	r := record()
	require.Equal(t, "Kosumi 1", r.White.Name)
	require.Empty(t, r.Black.Name)
	require.Equal(t, "Tromp-Taylor", r.Rules)
	require.Equal(t, time.Now().Year(), mustDate(t, r.Date).Year())
	require.Empty(t, r.Steps[0].Comment)
	require.Regexp(t, `^(Black|White) [0-9.]+ %, [-+][0-9.]+ points, 8 visits\n`, r.Steps[1].Comment)
	data, err := e.SaveSGF(t.Context())
	require.NoError(t, err)
	require.Regexp(t, `SBKV\[[0-9.]+\]SBKS\[-?[0-9.]+\]`, string(data))

	// A client that sends the game anew finds the thoughts again.
	require.NoError(t, e.NewGame(board.Square(5)))
	play(t, e, "C3")
	require.NoError(t, e.Play(board.White, m.Point))
	require.Equal(t, r.Steps[1].Comment, record().Steps[1].Comment)
	require.NoError(t, e.Undo(1))
	require.Len(t, record().Steps, 1)

	e.resigned = resigned{board.White, e.game.Hash()}
	r = record()
	require.Equal(t, "B+R", r.Result)
	require.Equal(t, "Kosumi 1", r.White.Name)
	play(t, e, "A1")
	require.Empty(t, record().Result, "the game went on")
}

func mustDate(t *testing.T, text string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return day
}
