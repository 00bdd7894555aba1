package engine

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/life"
	"kosumi/nn/model"
	"kosumi/search/thinking"
	"kosumi/sgf"
)

// builtIn returns an engine with the built-in network.
func builtIn(t testing.TB, change func(*Config)) *Engine {
	t.Helper()
	m, err := model.Open("", model.Config{Provider: model.Kernel, Precision: "auto"})
	require.NoError(t, err)
	return engineOver(t, m, 19, func(c *Config) {
		*c = Defaults()
		c.Seed, c.Search.Parallel.Workers, c.Resign.Enabled = 7, 1, false
		if change != nil {
			change(c)
		}
	})
}

func under(t testing.TB, e *Engine, name string) {
	t.Helper()
	rules, err := board.ParseRules(name)
	require.NoError(t, err)
	require.NoError(t, e.SetRules(rules))
}

// place begins a game from a diagram under rules; nothing of the previous game is kept.
func place(t *testing.T, e *Engine, diagram string, toMove board.Color, rules string) {
	t.Helper()
	require.NoError(t, e.SetRules(board.Chinese()))
	setUp(t, e, diagram, toMove)
	under(t, e, rules)
}

// counts is an engine's count of a position before both sides pass, and after.
type counts struct {
	before, estimate, after string
	dead                    []string
}

func countsOf(t *testing.T, e *Engine, komi float64) (c counts) {
	t.Helper()
	require.NoError(t, e.SetKomi(float32(komi)))
	before := finalScore(t, e)
	estimate, err := e.Estimate(t.Context())
	require.NoError(t, err)
	play(t, e, "pass pass")
	after := finalScore(t, e)
	status, err := e.FinalStatus(t.Context())
	require.NoError(t, err)
	for p, s := range status {
		if s == thinking.Dead {
			c.dead = append(c.dead, e.game.Size().Vertex(board.Point(p)))
		}
	}
	require.NoError(t, e.Undo(2))
	c.before, c.estimate, c.after = sgf.ScoreResult(before), sgf.ScoreResult(estimate.Lead), sgf.ScoreResult(after)
	return c
}

// wall draws a board divided by a black and a white wall side by side. The argument before is the
// number of empty columns left of both walls. If whiteFirst is set, the white wall is the left one.
func wall(size, before int, whiteFirst bool) string {
	row := []byte(strings.Repeat(".", size))
	row[before], row[before+1] = 'X', 'O'
	if whiteFirst {
		row[before], row[before+1] = 'O', 'X'
	}
	return strings.Repeat(string(row)+"\n", size)
}

// TestWallsLive: no stone of a dividing wall is dead under any komi, and the score is the same
// before and after both sides pass.
func TestWallsLive(t *testing.T) {
	e := builtIn(t, nil)
	for _, c := range []struct {
		rules        string
		size, before int
		komi         float64
		want         string
	}{
		{"japanese", 5, 1, 6.5, "W+11.5"},
		{"japanese", 5, 2, 6.5, "W+1.5"},
		{"japanese", 5, 1, -5.5, "B+0.5"},
		{"korean", 5, 1, 6.5, "W+11.5"},
		{"japanese", 7, 1, 6.5, "W+27.5"},
		{"japanese", 9, 5, 18.5, "B+8.5"},
		{"japanese", 9, 5, 20.5, "B+6.5"},
		{"japanese", 7, 4, 20.5, "B+0.5"},
		{"japanese", 7, 3, 6.5, "B+0.5"},
		{"chinese", 7, 3, 6.5, "B+0.5"},
		{"chinese", 7, 3, 4.5, "B+2.5"},
	} {
		place(t, e, wall(c.size, c.before, false), board.Black, c.rules)
		requireWall(t, e, c.size, c.before, c.komi, c.want)
	}
}

// requireWall requires that a board divided by walls has no dead stones and, after both sides pass,
// the score want. If there is no room for an invasion, want is also the score before they pass.
func requireWall(t *testing.T, e *Engine, size, before int, komi float64, want string) {
	t.Helper()
	got := countsOf(t, e, komi)
	show := fmt.Sprintf("%s %dx%[2]d, %d before, komi %v", e.game.Rules().Name(), size, before, komi)
	require.Equal(t, want, got.after, show)
	require.Empty(t, got.dead, show)
	if max(before, size-2-before) <= 4 {
		require.Equal(t, counts{want, want, want, nil}, got, show)
	}
}

// TestAllWalls is TestWallsLive for every wall and five komi: on 5x5 to 13x13 under four rule sets
// if KOSUMI_COUNT is set, otherwise on two boards under two rule sets.
func TestAllWalls(t *testing.T) {
	testshared.Long(t)
	sizes, rules := []int{5, 8}, []string{"japanese", "chinese"}
	if os.Getenv("KOSUMI_COUNT") != "" {
		sizes, rules = []int{5, 6, 7, 8, 9, 10, 11, 12, 13}, []string{"japanese", "korean", "chinese", "ancient-territory"}
	}
	testshared.Slow(t)
	e := builtIn(t, nil)
	for _, size := range sizes {
		for before := 1; before < size-2; before++ {
			for _, name := range rules {
				place(t, e, wall(size, before, before%2 == 1), board.Black, name)
				whites := float64(size * (size - 2 - 2*before))
				if before%2 == 1 {
					whites = -whites
				}
				for _, komi := range []float64{6.5, -25.5 - whites, -0.5 - whites, 0.5 - whites, 25.5 - whites} {
					requireWall(t, e, size, before, komi, sgf.ScoreResult(whites+komi))
				}
			}
		}
	}
}

// TestCountByHand checks scores of seki, neutral points, points that must be filled, and bent four.
func TestCountByHand(t *testing.T) {
	const seki = ".X.O.OX\nXXOOOOX\nOOXXXXX\n.OX....\nOOX....\n.OX...."
	const teire = "XX.....\nOXXXXXX\n.OOX...\nOOXX.XX\n.O.XXXX\nOOOOOX.\nO.O.OXX" // White has to connect at A5
	const bentFour = "XXXOX.OO.\n.O.OX.O.O\nOOOOX.OOO\nXXXXX..O.\n.....XXOO\n....X.XO.\n.....X.XO\n....X..XO\n.......XO"
	e := builtIn(t, nil)
	for _, c := range []struct {
		name, rules, diagram, want, dead string
	}{
		{"seki", "chinese", seki, "B+4.5", ""},
		{"seki", "japanese", seki, "B+3.5", ""},
		{"three neutral points", "chinese", "..X.O..\n..X.O..\n..X.O..\n..XXO..\n..XXO..\n..XXO..\n..XXO..", "W+2.5", ""},
		{"a neutral line", "japanese", "..X.O..\n..X.O..\n..X.O..\n..X.O..\n..X.O..\n..X.O..\n..X.O..", "W+6.5", ""},
		{"a point to fill", "japanese", teire, "B+0.5", ""},
		{"bent four", "japanese", bentFour, "B+35.5", "A7 B7 B8 C7 D7 D8 D9"},
	} {
		place(t, e, c.diagram, board.White, c.rules)
		got := countsOf(t, e, 6.5)
		require.Equal(t, c.want, got.after, c.name)
		if c.name != "bent four" { // White may still invade there
			require.Equal(t, c.want, got.before, c.name)
		}
		slices.Sort(got.dead)
		require.Equal(t, c.dead, strings.Join(got.dead, " "), c.name)
	}
}

// TestFinishedPositions: finished positions have the right score before and after both sides pass.
// Most are from games between levels, and a strong network named the dead stones; some are made by
// hand.
func TestFinishedPositions(t *testing.T) {
	testshared.Long(t)
	data, err := os.ReadFile("testdata/finished.txt")
	require.NoError(t, err)
	e := builtIn(t, nil)
	for text := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		head, diagram, _ := strings.Cut(text, "\n")
		rules, want, _ := strings.Cut(head, " ")
		place(t, e, diagram, board.Black, rules)
		got := countsOf(t, e, 6.5)
		got.dead = nil
		require.Equal(t, counts{want, want, want, nil}, got, text)
	}
}

// gamesToCount returns how many games tests play to the end: KOSUMI_COUNT, or the given small
// number.
func gamesToCount(t *testing.T, few int) int {
	testshared.Slow(t)
	if n, err := strconv.Atoi(os.Getenv("KOSUMI_COUNT")); err == nil {
		return n
	}
	return few
}

// playLevels plays two levels against each other; false if the game does not end with two passes.
func playLevels(t *testing.T, e *Engine, levels [2]string) bool {
	t.Helper()
	for e.game.NumMoves() < 3*e.game.Size().Area() && !e.game.Ended() {
		c := e.game.ToMove()
		require.NoError(t, e.SetParams(map[string]string{"level": levels[c-board.Black]}))
		genmove(t, e, c)
	}
	require.NoError(t, e.SetParams(map[string]string{"level": ""}))
	return e.game.Ended() && e.game.LastMove(0).Point == board.Pass
}

// TestNoCountContradictsAProof plays games between levels to the end. The dead stones are the same
// under any komi and with either side to move. A stone that is proved alive is not among them; a
// stone that is proved dead is, unless only dead stones could capture it.
func TestNoCountContradictsAProof(t *testing.T) {
	ranks := []string{"30k", "22k", "15k", "10k", "7k", "4k", "1k", "2d", "5d", "9d"}
	sizes := []int{7, 9, 7, 13, 9, 7, 9, 19}
	for n := range gamesToCount(t, 2) {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			e := builtIn(t, func(c *Config) { c.Seed = uint64(n + 1) })
			require.NoError(t, e.NewGame(board.Square(sizes[n%len(sizes)])))
			under(t, e, []string{"japanese", "chinese", "korean", "aga"}[n/2%4])
			if !playLevels(t, e, [2]string{ranks[n%10], ranks[n*7/3%10]}) {
				return
			}
			first := countsOf(t, e, 6.5).dead
			for i, komi := range []float32{-30.5, 0.5, 40.5} {
				e.ClearCache()
				require.NoError(t, e.SetKomi(komi))
				if i == 1 {
					require.NoError(t, e.Undo(1))
				}
				require.Equal(t, first, countsOf(t, e, float64(komi)).dead, e.game.Board().String())
			}
			contradictions(t, e.game, first)
		})
	}
}

// TestOpinionsAreDoubted: the network is sure that Black's T11 is dead, although it lives, and just as
// sure that White's R12 lives, although it is dead. A proof contradicts the first opinion; therefore
// [life.Fates] looks for a proof about R12 too.
func TestOpinionsAreDoubted(t *testing.T) {
	testshared.Long(t)
	e := builtIn(t, nil)
	place(t, e, `
		...................
		......OXXXOOOOO..OO
		..OO..OXOOXXXXOOO..
		..O.O.OOOX.XXXXOXOO
		.O..OOOXXX...X.XXOX
		..OOXXXXOOXXX...XXX
		..OXOOOO.OOX....OX.
		........OOX.....OX.
		..O..O.OXOX....XXOX
		.......OXX..X.XXOOX
		......OOOXX....XXO.
		...OXXXOOX..O.OXO.O
		...OO.OXXX...OX.OO.
		...O.OOOOXXX...XOX.
		...OOXXXX..XX..XXX.
		..O.OOX.XX.XOX.....
		..OOXXXXXOXXO..X...
		...OXOXOOOOOOXX....
		..OXX.OO.XO.XX.....`, board.Black, "chinese")
	dead := countsOf(t, e, 6.5).dead
	require.Contains(t, dead, "R12")
	contradictions(t, e.game, dead)
}

// contradictions fails if a list of dead stones contradicts a proof.
func contradictions(t *testing.T, g *board.Game, list []string) {
	t.Helper()
	var dead []board.Point
	for _, v := range list {
		p, err := g.Size().ParseVertex(v)
		require.NoError(t, err)
		dead = append(dead, p)
	}
	q := life.QuestionOf(g)
	q.Ko, q.KoSide = board.NoPoint, board.Empty
	for p := range board.Point(g.Size().Area()) {
		if g.At(p) == board.Empty || g.Board().ChainHead(p) != p {
			continue
		}
		q.Targets = []board.Point{p}
		q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
		s, err := life.Settled(t.Context(), q, 20000)
		require.NoError(t, err)
		show := fmt.Sprintf("%s is proved %s, dead are %v\n%s", g.Size().Vertex(p), s.Verdict, list, g.Board())
		switch isDead := slices.Contains(dead, p); s.Verdict {
		case life.Dead:
			without := g.OwnersWithDead(append(dead, g.Board().Chain(nil, p)...))
			require.True(t, isDead || without[p] == g.At(p), show)
		case life.Alive, life.Seki:
			require.False(t, isDead, show)
		}
	}
}

// TestCountsHoldWhenPlayedOn plays games between 10k levels to the end, then continues with searches
// of 400 visits: no counted point changes its owner, unless the owner was unsure with one side to
// move or a chain at the point was left in atari.
func TestCountsHoldWhenPlayedOn(t *testing.T) {
	games := gamesToCount(t, 1)
	for n := range games {
		e := builtIn(t, func(c *Config) { c.Seed, c.Limits.Visits = uint64(n+1), 400 })
		require.NoError(t, e.NewGame(board.Square(9)))
		under(t, e, "japanese")
		if !playLevels(t, e, [2]string{"10k", "10k"}) {
			continue
		}
		c, err := e.judge.count(t.Context(), e.game)
		require.NoError(t, err)
		v := e.judge.judged
		then := board.NewBoard(e.game.Size())
		then.CopyFrom(e.game.Board())
		end := then.String()
		setUp(t, e, end, e.game.ToMove())
		under(t, e, "tromp-taylor")
		for !e.game.Ended() && e.game.NumMoves() < 200 {
			genmove(t, e, e.game.ToMove())
		}
		for p, owner := range e.game.Owners(nil) {
			if c.owners[p] == owner || c.owners[p] == board.Empty || owner == board.Empty {
				continue
			}
			sign := sideSign(c.owners[p])
			t.Logf("game %d: %s was %v's, is %v's (%.2f with Black to move, %.2f with White)\n%s", n, e.game.Size().Vertex(board.Point(p)), c.owners[p], owner,
				sign*v.views[0][p], sign*v.views[1][p], end)
			require.True(t, min(sign*v.views[0][p], sign*v.views[1][p]) < settledOwner || inAtari(then, board.Point(p)), "game %d", n)
		}
	}
}

// inAtari reports whether a chain on a point or next to it has one liberty.
func inAtari(b *board.Board, p board.Point) bool {
	return slices.ContainsFunc(append(slices.Clone(b.Neighbors(p)), p), func(q board.Point) bool { return b.At(q) != board.Empty && b.Liberties(q) == 1 })
}
