package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/nn/nntest"
	"kosumi/sgf"
)

// TestRecordCountsAsFinalScore: the result in a record takes dead stones as captured. If the clock leaves
// no time to judge them, the record has no result until the score is asked for.
func TestRecordCountsAsFinalScore(t *testing.T) {
	e := engineOver(t, nntest.Uniform(), 7, func(c *Config) { c.Rules = board.Chinese(); c.Rules.Komi = 6.5 })
	setUp(t, e, lifeAndDeath, board.Black)
	require.NoError(t, e.SetClock(clock.Settings{System: clock.Absolute, Main: 3 * time.Second}))
	result := func() string {
		_, text, _ := strings.Cut(printed(t, e), "RE[")
		text, _, _ = strings.Cut(text, "]")
		return text
	}
	require.Empty(t, result())
	play(t, e, "pass pass")
	require.Empty(t, result())
	finalScore(t, e)
	require.Equal(t, "B+0.5", result())
	require.NotEqual(t, -0.5, float64(e.game.Score()), "as it stands")
	require.NoError(t, e.SetClock(clock.Settings{}))
	e.judge.judged = judgement{}
	require.Equal(t, "B+0.5", result())
}

func TestRecords(t *testing.T) {
	e := newEngine(t, 9, nil)
	play(t, e, "E5 C3 pass D4")
	data := printed(t, e)
	hash := e.game.Hash()
	require.NoError(t, e.NewGame(board.Square(5)))
	require.NoError(t, e.LoadSGF([]byte(data), 0))
	require.Equal(t, hash, e.game.Hash())
	require.NoError(t, e.LoadSGF([]byte(data), 3))
	require.Equal(t, 2, e.game.NumMoves())
	for name, bad := range map[string]string{
		"empty": "", "no record": "hello", "huge board": "(;SZ[99]B[aa])", "move off the board": "(;SZ[5]B[zz])", "taken": "(;SZ[5]AB[aa];B[aa])", "chess": "(;GM[3]SZ[5];B[aa])",
	} {
		before := e.game.Hash()
		require.ErrorIs(t, e.LoadSGF([]byte(bad), 0), ErrRecord, name)
		require.Equal(t, before, e.game.Hash(), name)
	}
	require.NoError(t, e.LoadSGF([]byte("(;SZ[9]KM[0.5]RU[Japanese]HA[2]AB[cc][gg];W[ee])"), 0))
	require.Equal(t, board.ScoringTerritory, e.game.Rules().Scoring)
	require.Equal(t, float32(0.5), e.game.Rules().Komi)
	require.Equal(t, 2, e.handicap)
}

// TestRecordsThatAreDamaged: the readable part of a record is loaded, and komi is always a
// multiple of half a point.
func TestRecordsThatAreDamaged(t *testing.T) {
	e := newEngine(t, 9, nil)
	for text, want := range map[string]struct {
		moves int
		komi  float32
	}{
		"(;SZ[9]KM[3.75]RU[Chinese];B[aa];W[bb":                {2, 7.5},
		"(;SZ[9]KM[6.75]RU[Chinese];B[aa];W[zz];B[bb])":        {1, 7.5},
		"(;SZ[9]KM[6,5]RU[日本ルール];B[aa];W[aa])":                 {1, 6.5},
		"(;CA[big5]SZ[9]KM[700]PB[周俊勳];B[ee];W[cc])":           {2, 7},
		"(;SZ[9]KM[6 1/2]RU[Japanese rules];B[ee];W[cc]C;B[])": {3, 6.5},
	} {
		require.NoError(t, e.LoadSGF([]byte(text), 0), text)
		require.Equal(t, want.moves, e.game.NumMoves(), text)
		require.Equal(t, want.komi, e.game.Rules().Komi, text)
	}
}

func saved(t *testing.T, e *Engine) *sgf.Record {
	t.Helper()
	roots, err := sgf.Parse([]byte(printed(t, e)))
	require.NoError(t, err)
	r, err := sgf.RecordOf(roots[0])
	require.NoError(t, err)
	return r
}

// TestRecordsKeepWhatTheySay: a loaded record keeps its date, names and comments when it is
// printed, and its result if no other move was played.
func TestRecordsKeepWhatTheySay(t *testing.T) {
	const text = "(;SZ[9]KM[6.5]RU[Japanese]PB[Ada]BR[3d]PW[Bob]WT[Team]DT[1999-12-31]EV[Cup]GN[Final]RE[W+12.5]C[hello];B[ee]C[one];W[cc]C[two]WL[30];B[gg]C[three])"
	e := newEngine(t, 9, nil)
	record := func() *sgf.Record { return saved(t, e) }
	require.NoError(t, e.LoadSGF([]byte(text), 0))
	r := record()
	require.Equal(t, [8]string{"Ada", "3d", "Bob", "Team", "1999-12-31", "Cup", "Final", "hello"},
		[8]string{r.Black.Name, r.Black.Rank, r.White.Name, r.White.Team, r.Date, r.Event, r.Name, r.Comment})
	require.Equal(t, "W+12.5", r.Result)
	require.Equal(t, []string{"one", "two", "three"}, []string{r.Steps[0].Comment, r.Steps[1].Comment, r.Steps[2].Comment})
	require.Equal(t, 30.0, r.Steps[1].White.Seconds)

	require.NoError(t, e.Undo(2))
	require.NoError(t, e.Play(board.White, board.Square(9).Point(3, 5))) // two black stones would be a handicap
	r = record()
	require.Equal(t, "Ada", r.Black.Name)
	require.Empty(t, r.Result, "another game now")
	require.Equal(t, []string{"one", ""}, []string{r.Steps[0].Comment, r.Steps[1].Comment})

	require.NoError(t, e.LoadSGF([]byte(text), 3))
	r = record()
	require.Len(t, r.Steps, 2)
	require.Empty(t, r.Result)
	require.Equal(t, "two", r.Steps[1].Comment)

	require.NoError(t, e.LoadSGF([]byte("(;SZ[9]DT[2001-01-01];B[aa];W[bb];AE[aa];B[ee]C[behind a set-up])"), 0))
	require.Equal(t, "behind a set-up", record().Steps[0].Comment)

	require.NoError(t, e.NewGame(board.Square(9)))
	require.Empty(t, record().Black.Name)
}

// TestRecordsHoldThoughts plays both sides, takes moves back, replays the game, and resigns: the
// record has the evaluations of the engine's moves.
func TestRecordsHoldThoughts(t *testing.T) {
	e := newEngine(t, 5, func(c *Config) { c.Name, c.Limits.Visits, c.Rules = "Kosumi 1", 8, board.TrompTaylor() })
	record := func() *sgf.Record {
		r := saved(t, e)
		rules, err := r.BoardRules()
		require.NoError(t, err)
		require.Equal(t, e.game.Rules(), rules, "the rules are read back")
		return r
	}
	play(t, e, "C3")
	require.Empty(t, record().White.Name, "nothing was chosen here")
	m := genmove(t, e, board.White)
	r := record()
	require.Equal(t, "Kosumi 1", r.White.Name)
	require.Empty(t, r.Black.Name)
	require.Equal(t, "Tromp-Taylor", r.Rules)
	day, err := time.Parse(time.DateOnly, r.Date)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), day, 48*time.Hour)
	require.Empty(t, r.Steps[0].Comment)
	require.Regexp(t, `^(Black|White) [0-9.]+ %, [-+][0-9.]+ points, 8 visits\n`, r.Steps[1].Comment)
	require.Regexp(t, `SBKV\[[0-9.]+\]SBKS\[-?[0-9.]+\]`, printed(t, e))

	// If a client replays the game, its moves have the same evaluations again.
	require.NoError(t, e.NewGame(board.Square(5)))
	play(t, e, "C3")
	require.NoError(t, e.Play(board.White, m.Point))
	require.Equal(t, r.Steps[1].Comment, record().Steps[1].Comment)
	require.NoError(t, e.Undo(1))
	require.Len(t, record().Steps, 1)

	e.records.resigned = resigned{board.White, e.game.Hash()}
	r = record()
	require.Equal(t, "B+R", r.Result)
	require.Equal(t, "Kosumi 1", r.White.Name)
	play(t, e, "A1")
	require.Empty(t, record().Result, "the game went on")
}

// TestQuarterKomi: a komi that is no multiple of half a point is refused, in a configuration and by
// command, since score, record and GTP would write it differently.
func TestQuarterKomi(t *testing.T) {
	c := Defaults()
	c.Size, c.Rules.Komi = board.Square(9), 3.75
	require.ErrorContains(t, c.Validate(), "komi 3.75 must be a multiple of 0.5")
	c.Rules.Komi = -3.5
	require.NoError(t, c.Validate())
	e := newEngine(t, 9, func(*Config) {})
	before := e.game.Rules()
	require.ErrorIs(t, e.SetKomi(3.75), ErrKomi)
	require.Equal(t, before, e.game.Rules())
}

// TestHandicapStonesThatArriveAsMoves: Black's moves before White's first count as handicap
// stones. White's bonus, the network's komi and the record are the same as after
// set_free_handicap.
func TestHandicapStonesThatArriveAsMoves(t *testing.T) {
	rules := board.Chinese()
	rules.Komi = 0.5
	stones := []board.Point{20, 24, 56}
	byCommand := newEngine(t, 9, func(c *Config) { c.Rules = rules })
	require.NoError(t, byCommand.SetHandicap(stones))
	byMoves := newEngine(t, 9, func(c *Config) { c.Rules = rules })
	for _, p := range stones {
		require.NoError(t, byMoves.Play(board.Black, p))
	}
	for _, e := range []*Engine{byCommand, byMoves} {
		require.EqualValues(t, 3, e.game.HandicapBonusScore())
		require.EqualValues(t, 3.5, e.game.SelfKomi(0.5))
		require.NoError(t, e.Play(board.White, 40))
		require.EqualValues(t, -3.5, e.game.SelfKomi(0.5))
	}
	require.Equal(t, printed(t, byCommand), printed(t, byMoves))
	require.Contains(t, printed(t, byMoves), "HA[3]")

	require.NoError(t, byMoves.Undo(3))
	require.Zero(t, byMoves.game.HandicapBonusScore(), "one stone is not a handicap")
	require.NoError(t, byMoves.Setup([]board.Point{1, 2}, []board.Point{3}, board.Black))
	require.Zero(t, byMoves.game.HandicapBonusScore(), "a position is none")
	for moves, handicap := range map[string]string{
		"A1 pass C3": "HA[2]", "b:A1 b:pass b:C3 w:D4": "HA[2]", // passes remain moves
		"b:A1 b:B2 w:C3 w:D4": "", // two white moves in a row set up a position, which has no handicap
	} {
		e := newEngine(t, 9, func(c *Config) { c.Rules = rules })
		play(t, e, moves)
		n := e.game.NumMoves()
		data := printed(t, e)
		require.Equal(t, handicap != "", strings.Contains(data, "HA["), moves)
		require.Contains(t, data, handicap, moves)
		bonus := e.game.HandicapBonusScore()
		require.NoError(t, e.LoadSGF([]byte(data), 0))
		require.Equal(t, n, e.game.NumMoves())
		require.Equal(t, bonus, e.game.HandicapBonusScore(), moves)
	}
	// Handicap stones sent as moves are not a handicap once they are taken back.
	for _, text := range []string{"(;SZ[9]KM[0.5]RU[Chinese]HA[2];B[cc];B[gg];W[ee])", "(;SZ[9]KM[0.5]RU[Chinese];B[cc];B[gg];W[ee])"} {
		e := newEngine(t, 9, func(c *Config) { c.Rules = rules })
		require.NoError(t, e.LoadSGF([]byte(text), 0))
		require.EqualValues(t, 2, e.game.HandicapBonusScore(), text)
		require.NoError(t, e.Undo(2))
		require.Zero(t, e.game.HandicapBonusScore(), text)
		require.NotContains(t, printed(t, e), "HA[", text)
	}
}
