package match

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/internal/testshared"
	"kosumi/match/elo"
	"kosumi/sgf"
)

// small returns the configuration of a match between the commands a and b on 5x5, which takes seconds.
func small(a, b string) Config {
	return Config{
		A: Program{Command: a}, B: Program{Command: b},
		Games: 2, Size: board.Square(5), Rules: "chinese",
		MoveTimeout: 20 * time.Second,
	}
}

func runMatch(t *testing.T, c Config) Summary {
	t.Helper()
	s, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, s.Games, s.A.Wins+s.B.Wins+s.Draws)
	_, err = json.Marshal(s)
	require.NoError(t, err)
	return s
}

func TestRandomPlayers(t *testing.T) {
	t.Parallel()
	c := small(guestCommand("-seed", "1"), guestCommand("-seed", "2", "-mode", "lower"))
	c.Games, c.Parallel, c.Dir = 6, 2, filepath.Join(t.TempDir(), "games")
	var seen []int
	c.Progress = func(p Progress) {
		seen = append(seen, p.Summary.Games)
		require.NotNil(t, p.Game)
		require.Equal(t, 6, p.Total)
	}
	s := runMatch(t, c)
	require.Equal(t, 6, s.Games)
	require.Equal(t, []int{1, 2, 3, 4, 5, 6}, seen)
	require.Equal(t, "guest", s.A.Name)
	require.Equal(t, "guest lower", s.B.Name)
	require.Zero(t, s.IllegalA+s.IllegalB+s.CrashesA+s.CrashesB+s.TimeoutsA+s.TimeoutsB+s.RefusalsA+s.RefusalsB)
	require.InDelta(t, 1, s.A.ScoreRate+s.B.ScoreRate, 1e-9)
	require.Greater(t, s.MeanMoves, 4.0)
	require.Len(t, s.Warnings, 2, "guests cannot be told rules")
	require.LessOrEqual(t, s.Low, s.High)
	requireGames(t, c)
}

// TestEngineIsTheProgramItself: a command that begins with "engine" runs Config.Engine, but only if
// PATH has no program of that name.
func TestEngineIsTheProgramItself(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	c := small("engine guest -seed 1", guestCommand("-seed", "2"))
	_, err := Run(t.Context(), c)
	require.ErrorContains(t, err, "cannot start engine")
	c.Engine = os.Args[0]
	require.Equal(t, 2, runMatch(t, c).Games)
	if runtime.GOOS == "windows" {
		return // no shell scripts here
	}
	other := filepath.Join(os.Getenv("PATH"), "engine")
	require.NoError(t, os.WriteFile(other, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	_, err = Run(t.Context(), c)
	require.ErrorIs(t, err, ErrConfig)
}

// requireGames replays every game of a match and compares it with the journal.
func requireGames(t *testing.T, c Config) {
	t.Helper()
	p, err := newPlan(c)
	require.NoError(t, err)
	j, results, err := openJournal(p.Journal, p.identity())
	require.NoError(t, err)
	j.close()
	require.Len(t, results, c.Games)
	for i, r := range results {
		require.Equal(t, i+1, r.Game)
		require.Equal(t, []string{"a", "b"}[i%2], r.Black)
		roots, err := sgf.ReadFile(filepath.Join(c.Dir, r.SGF))
		require.NoError(t, err)
		rec, err := sgf.RecordOf(roots[0])
		require.NoError(t, err)
		require.Equal(t, r.Result, rec.Result)
		require.Equal(t, float64(p.rules.Komi), rec.Komi)
		require.Len(t, rec.Steps, r.Moves)
		g, err := board.NewGame(p.Size, p.rules)
		require.NoError(t, err)
		for _, m := range rec.Moves() {
			require.NoError(t, g.Play(m.Color, m.Point), "game %d", r.Game)
		}
		require.Equal(t, r.Reason == ReasonScore, g.Ended())
		names := []string{r.NameA, r.NameB}
		require.Equal(t, sgf.Player{Name: names[i%2]}, rec.Black)
		require.Equal(t, sgf.Player{Name: names[1-i%2]}, rec.White)
	}
}

// TestFaults: in every case program a wins, and the fault is counted once per game.
func TestFaults(t *testing.T) {
	for reason, modes := range map[Reason][]string{
		ReasonIllegal: {"occupied", "word", "empty"},
		ReasonRefusal: {"error", "refuse"},
		ReasonCrash:   {"crash", "answer-and-crash", "flood", "long-line", "flood-reply", "child", "close-stdout"},
		ReasonTimeout: {"hang"},
		ReasonResign:  {"resign"},
	} {
		how := cmp.Or(map[Reason]string{ReasonTimeout: "T", ReasonResign: "R"}[reason], "F")
		for _, mode := range modes {
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				faults(t, mode, reason, how)
			})
		}
	}
}

// faults plays two games against a guest that misbehaves.
func faults(t *testing.T, mode string, reason Reason, how string) {
	c := small(guestCommand(), guestCommand("-mode", mode))
	c.Dir = t.TempDir()
	if reason == ReasonTimeout {
		c.MoveTimeout = 5 * time.Second
	}
	var results []GameResult
	c.Progress = func(p Progress) { results = append(results, *p.Game) }
	s := runMatch(t, c)
	require.Equal(t, 2, s.A.Wins)
	require.Equal(t, 1, s.A.WinsBlack)
	require.Equal(t, map[Reason]int{reason: 2}, s.Reasons)
	for kind, n := range map[Reason]int{ReasonIllegal: s.IllegalB, ReasonCrash: s.CrashesB, ReasonTimeout: s.TimeoutsB, ReasonRefusal: s.RefusalsB} {
		require.Equal(t, kind == reason, n == 2, "%s: %d", kind, n)
	}
	require.Zero(t, s.IllegalA+s.CrashesA+s.TimeoutsA+s.RefusalsA)
	require.Equal(t, []string{"B+" + how, "W+" + how}, []string{results[0].Result, results[1].Result})
	for _, r := range results {
		for _, f := range r.Faults {
			require.True(t, strings.IndexFunc(f.Detail, func(r rune) bool { return r < ' ' && r != '\n' }) < 0, "%q", f.Detail)
		}
	}
	if mode == "crash" {
		require.Contains(t, results[0].Faults[0].Detail, "exit status 3")
		require.Contains(t, results[0].Faults[0].Detail, "boom: assertion failed")
		require.Equal(t, 2, strings.Count(stderrOf(t, c, "b"), "boom"))
	}
}

// TestHarmlessOddities: odd behaviour that does no harm is not a fault.
func TestHarmlessOddities(t *testing.T) {
	for _, args := range [][]string{
		{"-mode", "junk"}, {"-mode", "greet"}, {"-mode", "greet", "-no-ids"}, {"-no-ids"}, {"-mode", "no-list"},
		{"-mode", "flood-stderr"}, {"-mode", "no-quit"}, {"-late", "30ms"}, {"-mode", "loads"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			s := runMatch(t, small(guestCommand(), guestCommand(args...)))
			require.Empty(t, s.IllegalB+s.CrashesB+s.TimeoutsB+s.RefusalsB, "%+v", s)
			require.Equal(t, 2, s.Games)
		})
	}
}

// TestProgramThatNeverStarts: if a program does not start, the match ends at once with an error, and
// the other program has won no game.
func TestProgramThatNeverStarts(t *testing.T) {
	t.Parallel()
	good, bad := guestCommand(), guestCommand("-mode", "exit")
	for want, c := range map[string]Config{
		"program b does not start": small(good, bad),
		"program a does not start": small(bad, good),
		"does not start":           small(bad, bad),
	} {
		c.Games, c.Parallel, c.Dir = 50, 2, t.TempDir()
		s, err := Run(t.Context(), c)
		require.ErrorIs(t, err, ErrConfig)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "exit status 3")
		require.Zero(t, s.Games)
	}
}

// TestProgramThatNeverMoves: a match ends early if a program would lose every game without having
// made a move; when the match is resumed, the games lost that way do not count.
func TestProgramThatNeverMoves(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand("-mode", "crash", "-at", "1"))
	c.Games, c.Dir = 50, t.TempDir()
	c.Openings = [][]board.Move{{{Color: board.Black, Point: 12}}}
	_, err := Run(t.Context(), c)
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "program b has failed before its first move in 3 games in a row")
	require.ErrorContains(t, err, "boom")
	var first Progress
	c.Progress = func(p Progress) {
		if first.Total == 0 {
			first = p
		}
	}
	_, err = Run(t.Context(), c)
	require.ErrorIs(t, err, ErrConfig)
	require.Equal(t, 1, first.Game.Game, "what was lost before the first move is played again")
	require.Zero(t, first.Summary.Resumed)
}

// TestRefusedLimits: each bad number is refused by its own name, and by one sentence.
func TestRefusedLimits(t *testing.T) {
	nan := math.NaN()
	for want, change := range map[string]func(*Config){
		"parallel must not be negative":                                      func(c *Config) { c.Parallel = -1 },
		"max-moves must not be negative\nstart-timeout must not be negative": func(c *Config) { c.MaxMoves, c.StartTimeout = -1, -1 },
		"invalid rules: komi NaN, want -10000 to 10000":                      func(c *Config) { c.Komi = &nan },
	} {
		c := small("a", "b")
		change(&c)
		_, err := newPlan(c)
		require.EqualError(t, err, ErrConfig.Error()+": "+want)
	}
}

// TestRepeatedGames: identical games count once, so twelve games of two deterministic programs
// count as two.
func TestRepeatedGames(t *testing.T) {
	t.Parallel()
	a, b := guestCommand("-mode", "same", "-seed", "5"), guestCommand("-mode", "same", "-seed", "6")
	c := small(a, b)
	c.Games, c.Dir, c.Parallel = 12, t.TempDir(), 2
	c.SPRT = &elo.SPRT{Elo0: 0, Elo1: 1000}
	s := runMatch(t, c)
	require.Equal(t, 12, s.Games)
	require.Equal(t, 10, s.Repeats)
	require.Equal(t, 2, s.Distinct.Games())
	require.Equal(t, elo.Of(s.Distinct.Wins, s.Distinct.Draws, s.Distinct.Losses), s.Estimate)
	require.Equal(t, c.SPRT.Test(s.Distinct.Wins, s.Distinct.Draws, s.Distinct.Losses), *s.SPRT)
	again := runMatch(t, c)
	require.Equal(t, s.Repeats, again.Repeats, "known from the journal too")

	c = small(a, b)
	c.Games, c.Openings = 8, [][]board.Move{{{Color: board.Black, Point: 12}}, {{Color: board.Black, Point: 0}}}
	s = runMatch(t, c)
	require.Equal(t, 4, s.Repeats)
	require.Equal(t, 2, s.Pairs[0]+s.Pairs[1]+s.Pairs[2]+s.Pairs[3]+s.Pairs[4])

	turned := func(points ...board.Point) (steps []sgf.Step) {
		for _, p := range points {
			steps = append(steps, sgf.Step{Move: board.Move{Color: board.Black, Point: p}})
		}
		return steps
	}
	size := board.Square(5)
	require.Equal(t, lineOf(size, turned(0, 6, board.Pass)), lineOf(size, turned(4, 8, board.Pass)), "the board is turned")
	require.NotEqual(t, lineOf(size, turned(0, 6, board.Pass)), lineOf(size, turned(4, 6, board.Pass)))

	s = runMatch(t, small(guestCommand("-seed", "5"), guestCommand("-seed", "6")))
	require.Zero(t, s.Repeats)
	require.Equal(t, s.Games, s.Distinct.Games())
}

// TestInstantResignations: identical games count once, so if one program always resigns at once, only two of eight
// games count, one with each colour. A sequential test ends undecided after 20 repeats in a row.
func TestInstantResignations(t *testing.T) {
	t.Parallel()
	c := small(guestCommand("-mode", "resign", "-at", "1"), guestCommand("-mode", "same", "-seed", "6"))
	c.Games = 8
	s := runMatch(t, c)
	require.Equal(t, []int{8, 6, 2}, []int{s.B.Wins, s.Repeats, s.Distinct.Games()})

	c.Games, c.SPRT = 0, &elo.SPRT{Elo0: 0, Elo1: 10}
	var lines []string
	c.Progress = func(p Progress) { lines = append(lines, p.Line()) }
	s = runMatch(t, c)
	require.Equal(t, []int{22, 20}, []int{s.Games, s.Repeats})
	require.Contains(t, lines[0], "1 of at most 100000")
	var out strings.Builder
	s.Print(&out)
	require.Contains(t, out.String(), "  SPRT: undecided between elo0 (0) and elo1 (10); ratio ")
}

// TestJournalOfAnotherKind: a file that is not a journal stays unchanged, with or without a final
// line end, and so do the games in a folder without a journal.
func TestJournalOfAnotherKind(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand("-seed", "6"))
	for _, text := range []string{"(;GM[1]SZ[5])", "(;GM[1]SZ[5])\n", `{"kosumi_matches":1}`, "{}\n", `{"kosumi_match":99}` + "\n"} {
		c.Journal = filepath.Join(t.TempDir(), "mine")
		require.NoError(t, os.WriteFile(c.Journal, []byte(text), 0o644))
		_, err := Run(t.Context(), c)
		require.ErrorIs(t, err, ErrJournal, text)
		require.ErrorContains(t, err, "name another journal or folder")
		left, err := os.ReadFile(c.Journal)
		require.NoError(t, err)
		require.Equal(t, text, string(left))
	}
	require.NoError(t, os.WriteFile(c.Journal, []byte(`{"kosumi_ma`), 0o644)) // cut short
	require.Equal(t, 2, runMatch(t, c).Games)
	c.Journal, c.Dir = "", t.TempDir()
	mine := filepath.Join(c.Dir, "game-00001.sgf")
	require.NoError(t, os.WriteFile(mine, []byte("mine"), 0o644))
	_, err := Run(t.Context(), c)
	require.ErrorIs(t, err, ErrConfig)
	left, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.Equal(t, "mine", string(left))
}

func TestMatchThatCannotBePlayed(t *testing.T) {
	good := guestCommand()
	tests := map[string]Config{
		"no such program":  small(good, "/no/such/program --gtp"),
		"not a program":    small(good, os.TempDir()),
		"size refused":     small(good, guestCommand("-mode", "small")),
		"komi refused":     small(guestCommand("-mode", "no-komi"), good),
		"no command":       small(good, "  "),
		"unclosed quote":   small("'abc", good),
		"bad rules":        {A: Program{Command: good}, B: Program{Command: good}, Rules: "draughts"},
		"bad size":         {A: Program{Command: good}, B: Program{Command: good}, Size: board.Square(40)},
		"negative games":   {A: Program{Command: good}, B: Program{Command: good}, Games: -1},
		"bad sprt":         {A: Program{Command: good}, B: Program{Command: good}, SPRT: &elo.SPRT{Elo0: 5}},
		"odd openings":     {A: Program{Command: good}, B: Program{Command: good}, Games: 5, Openings: [][]board.Move{{{Color: 1, Point: 3}}}},
		"illegal opening":  {A: Program{Command: good}, B: Program{Command: good}, Openings: [][]board.Move{{{Color: 1, Point: 3}, {Color: 2, Point: 3}}}},
		"finished opening": {A: Program{Command: good}, B: Program{Command: good}, Openings: [][]board.Move{{{Color: 1, Point: -1}, {Color: 2, Point: -1}}}},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Run(t.Context(), c)
			require.ErrorIs(t, err, ErrConfig)
			require.NotContains(t, strings.SplitN(err.Error(), "\n", 2)[0], "%!")
		})
	}
}

func TestMaxMoves(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand())
	c.MaxMoves = 4
	s := runMatch(t, c)
	require.Equal(t, map[Reason]int{ReasonMaxMoves: 2}, s.Reasons)
	require.Zero(t, s.Unscored)
	require.Equal(t, 4.0, s.MeanMoves)
	c.Rules = "japanese"
	s = runMatch(t, c)
	require.Equal(t, 2, s.Unscored)
}

func TestRulesAndExplanations(t *testing.T) {
	t.Parallel()
	c := small(guestCommand("-list", "kata-set-rules gomill-explain_last_move"), guestCommand("-list", "kgs-rules"))
	c.Dir, c.Games = t.TempDir(), 1
	c.Rules = "Japanese"
	s := runMatch(t, c)
	require.Empty(t, s.Warnings)
	require.Contains(t, stderrOf(t, c, "a"), "got: kata-set-rules Japanese\n")
	require.Contains(t, stderrOf(t, c, "b"), "got: kgs-rules japanese\n")
	text, err := os.ReadFile(filepath.Join(c.Dir, "game-00001.sgf"))
	require.NoError(t, err)
	require.Contains(t, string(text), "move 1\nof mine")
	require.Contains(t, string(text), "RU[Japanese]")

	c.Dir = t.TempDir()
	c.A.Command = guestCommand("-list", "kata-set-rules", "-mode", "deaf-to-kata-set-rules")
	s = runMatch(t, c)
	require.Len(t, s.Warnings, 1)
	require.Contains(t, stderrOf(t, c, "a"), `kata-set-rules {"`)
}

func stderrOf(t *testing.T, c Config, side string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "stderr-"+side+"-1.log"))
	require.NoError(t, err)
	return string(text)
}

func TestClock(t *testing.T) {
	t.Parallel()
	testshared.Slow(t)
	control, err := clock.Parse("byoyomi 0 2 2")
	require.NoError(t, err)
	c := small(guestCommand("-list", "kata-time_settings time_left"), guestCommand("-late", "1m", "-list", "time_settings time_left"))
	c.Time, c.Dir, c.Games = control, t.TempDir(), 1
	s := runMatch(t, c)
	require.Equal(t, 1, s.A.Wins)
	require.Equal(t, 1, s.TimeoutsB)
	require.Equal(t, map[Reason]int{ReasonTime: 1}, s.Reasons)
	require.Contains(t, stderrOf(t, c, "a"), "got: kata-time_settings byoyomi 0 2 2\n")
	require.Contains(t, stderrOf(t, c, "a"), "got: time_left black 2 2\n")
	require.Contains(t, stderrOf(t, c, "b"), "got: time_settings 2 2 1\n")
	text, err := os.ReadFile(filepath.Join(c.Dir, "game-00001.sgf"))
	require.NoError(t, err)
	require.Contains(t, string(text), "RE[B+T]")
	require.Contains(t, string(text), "BL[2]OB[2]")
}

func TestSPRTStopsTheMatch(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand("-mode", "resign", "-at", "1"))
	c.Games, c.Parallel, c.Dir = 1000, 2, t.TempDir()
	c.SPRT = &elo.SPRT{Elo0: 0, Elo1: 300}
	s := runMatch(t, c)
	require.Equal(t, elo.AcceptH1, s.SPRT.Decision)
	require.Less(t, s.Games, 20)
	require.Equal(t, s.Games, s.A.Wins)
	require.GreaterOrEqual(t, s.SPRT.LLR, s.SPRT.Upper)

	again := runMatch(t, c)
	require.Equal(t, s.Games, again.Games, "a decided match is not played on")
	require.Equal(t, s.Games, again.Resumed)
}

func TestOpeningsArePairs(t *testing.T) {
	t.Parallel()
	c := small(guestCommand(), guestCommand("-mode", "resign", "-at", "1"))
	c.Games, c.Dir = 6, t.TempDir()
	c.Openings = [][]board.Move{
		{{Color: board.Black, Point: 12}, {Color: board.White, Point: 6}},
		{{Color: board.Black, Point: 0}},
	}
	s := runMatch(t, c)
	require.Equal(t, [5]int{0, 0, 0, 0, 3}, *s.Pairs)
	for game, want := range map[int]string{1: "12", 2: "12", 3: "0", 4: "0", 5: "12"} {
		roots, err := sgf.ReadFile(filepath.Join(c.Dir, "game-0000"+strconv.Itoa(game)+".sgf"))
		require.NoError(t, err)
		rec, err := sgf.RecordOf(roots[0])
		require.NoError(t, err)
		require.Equal(t, want, strconv.Itoa(int(rec.Steps[0].Move.Point)), "game %d", game)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	c := small(guestCommand("-mode", "hang", "-at", "1"), guestCommand())
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(cause) })
	_, err := Run(ctx, c) // one of the programs hangs for an hour
	require.ErrorIs(t, err, cause)
}
