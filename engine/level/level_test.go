package level

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/models"
	"kosumi/search"
	"kosumi/search/thinking"
)

func TestRanks(t *testing.T) {
	seen := map[string]bool{}
	for r := Lowest; r <= Highest; r++ {
		back, err := ParseRank(r.String())
		require.NoError(t, err)
		require.Equal(t, r, back)
		seen[r.String()] = true
	}
	require.Len(t, seen, 39)
	require.True(t, seen["30k"] && seen["20k"] && seen["1k"] && seen["1d"] && seen["9d"])
	for _, bad := range []string{"", "k", "0k", "31k", "10d", "0d", "5", "d5", "5p", "-1k"} {
		_, err := ParseRank(bad)
		require.Error(t, err, bad)
	}
}

func FuzzParseLadders(f *testing.F) {
	f.Add(ladderFile)
	f.Add([]byte(`[{"size":9,"supports":[{"dial":0},{"dial":1}]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ParseLadders(data)
		if err != nil {
			return
		}
		for r := Lowest; r <= Highest; r++ {
			s, err := Find(all, "", board.Square(9), r)
			if len(all) == 0 {
				require.Error(t, err)
				continue
			}
			require.NoError(t, err)
			require.True(t, s.Dial >= Strongest && s.Dial <= Weakest, "%v", s.Dial)
		}
	})
}

// TestDialsRiseAsRanksFall: a lower rank never has a lower dial, whatever the noise of the
// measurement; a rank beyond the network's reach is reported.
func TestDialsRiseAsRanksFall(t *testing.T) {
	ladders := []Ladder{{Network: "n", SHA256: "x", Size: 9, Support: []Support{
		{Dial: 0, Elo: 200}, {Dial: 2, Elo: 150}, {Dial: 4, Elo: 190, Error: 200}, {Dial: 6, Elo: -100, Error: 200}, {Dial: 10, Elo: -450}}}}
	find := func(sha string, side int, r Rank) Setting {
		s, err := Find(ladders, sha, board.Square(side), r)
		require.NoError(t, err)
		return s
	}
	last := math.Inf(1)
	for r := Lowest; r <= Highest; r++ {
		dial := find("x", 9, r).Dial
		require.LessOrEqual(t, dial, last, r)
		last = dial
	}
	top := find("x", 9, Highest)
	require.Contains(t, top.Note, "9d is not served by n on 9x9: 19k to 6k are. It plays at 6k")
	require.Zero(t, top.Dial)
	require.ErrorContains(t, top.Refusal, "19k to 6k are")
	sure := find("x", 9, anchorRank)
	require.Contains(t, sure.Note, "extrapolated on 9x9 from games between levels, give or take 5 ranks", "3 of GNU Go's and 4 of the games")
	require.NoError(t, sure.Refusal)
	ladders[0].Pairs = []Pair{{"loss:0", "GNU Go 3.8 level 10", 8, 10}, {"loss:6", "GNU Go 3.8 level 10", 3, 10}, {"loss:10", "GNU Go 3.8 level 10", 0, 10}}
	require.Contains(t, find("x", 9, anchorRank).Note, "10k: measured on 9x9, give or take 5 ranks")
	require.Contains(t, find("x", 9, anchorRank-6).Note, "16k: extrapolated on 9x9", "of ten games none was won")
	require.Contains(t, find("y", 9, anchorRank).Note, "not measured with this network")
	require.Contains(t, find("x", 19, anchorRank).Note, "not measured on 19x19")
}

// TestLaddersInside: the built-in network has its own ladders on three sizes, which can be written
// and read back.
func TestLaddersInside(t *testing.T) {
	all := Ladders()
	data, err := json.Marshal(all)
	require.NoError(t, err)
	again, err := ParseLadders(data)
	require.NoError(t, err)
	require.Equal(t, all, again)
	for _, side := range []int{9, 13, 19} {
		found, err := Find(all, models.SHA256, board.Square(side), anchorRank)
		require.NoError(t, err)
		require.NotContains(t, found.Note, "not measured", "%dx%d", side, side)
	}
}

// situation has three moves: a good one, one that loses two points and a likely one that loses
// fifteen.
func situation(t *testing.T) *Situation {
	g, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	return &Situation{Game: g, Candidates: []Candidate{{Move: 40, Prior: 0.4, Loss: 15}, {Move: 30, Prior: 0.3, Loss: 0}, {Move: 20, Prior: 0.3, Loss: 2}}}
}

// TestLossRisesWithTheDial: the higher the dial, the more points are lost.
func TestLossRisesWithTheDial(t *testing.T) {
	last := -1.0
	for _, dial := range []float64{0, 2, 4, 6, 8} {
		rng := rand.New(rand.NewPCG(1, 2))
		lost := 0.0
		const draws = 4000
		for i := range draws {
			s := situation(t)
			s.Seed = uint64(i) * 7919 // a different game has different errors of judgement
			lost += s.Candidates[s.choose(dial, rng)].Loss / draws
		}
		require.Greater(t, lost, last, "dial %g", dial)
		last = lost
	}
}

// TestMisjudgementLasts: a misjudgment stays while the stones around the move stay.
func TestMisjudgementLasts(t *testing.T) {
	s := situation(t)
	s.Seed = 5
	was := s.misjudged(40, 0)
	require.NoError(t, s.Game.Play(board.Black, 8)) // far away
	require.Equal(t, was, s.misjudged(40, 0))
	require.NoError(t, s.Game.Play(board.White, 41)) // next to the point
	require.NotEqual(t, was, s.misjudged(40, 0))
	s.Seed = 6
	require.NotEqual(t, was, s.misjudged(40, 0))
}

// TestDrawsWhatIsThere: at every dial a candidate is chosen, even if a loss is unknown or there
// is only one candidate.
func TestDrawsWhatIsThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, dial := range []float64{0, 3.3, Reading, 10.1, Weakest} {
		s := situation(t)
		s.Candidates[2].Loss = math.NaN()
		at := s.choose(dial, rng)
		require.True(t, at >= 0 && at < 3, dial)
		s.Candidates = s.Candidates[:1]
		require.Zero(t, s.choose(dial, rng), dial)
	}
}

// gameFrom sets up a diagram: X is Black, O is White, and toMove moves next.
func gameFrom(t *testing.T, toMove board.Color, rows ...string) *board.Game {
	t.Helper()
	b := testshared.Diagram(t, strings.Join(rows, "\n"))
	g, err := board.NewGame(b.Size(), board.Chinese())
	require.NoError(t, err)
	require.NoError(t, g.SetupBoard(b, toMove))
	return g
}

func TestScreen(t *testing.T) {
	for _, c := range []struct {
		name    string
		rows    []string
		x, y    int
		loss    float64
		decided bool
		refuses bool
	}{
		{"own eye of a living group", []string{".X.X.", "XXXXX", ".....", ".....", "....."}, 0, 0, math.NaN(), false, true},
		{"open space", []string{".....", ".....", ".....", ".....", "....."}, 2, 2, math.NaN(), false, false},
		{"five stones into atari", []string{"XXXX..", "OOOO..", "....OO", "......", "......", "......"}, 4, 0, math.NaN(), false, false},
		{"five stones into atari", []string{"XXXX..", "OOOOO.", "....OO", "......", "......", "......"}, 4, 0, math.NaN(), false, true},
		{"as the search would", []string{"XXXX..", "OOOOO.", "....OO", "......", "......", "......"}, 4, 0, 0, false, false},
		{"in a game that is decided", []string{"XXXX..", "OOOOO.", "....OO", "......", "......", "......"}, 4, 0, 0, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gameFrom(t, board.Black, c.rows...)
			p := g.Size().Point(c.x, c.y)
			require.NoError(t, g.Legal(board.Black, p))
			s := newScreen(g)
			s.decided = c.decided
			require.Equal(t, c.refuses, s.refuses(p, 0.3, c.loss, 0.5))
		})
	}
	g := gameFrom(t, board.Black, ".....", ".....", ".....", ".....", ".....")
	require.True(t, newScreen(g).refuses(0, 0.01, 0, 1), "the corner in the opening")
	require.False(t, newScreen(g).refuses(0, 0.3, 0, 1), "unless the network likes it")
	g = gameFrom(t, board.Black, ".....", ".....", ".X...", ".....", "...O.")
	size := g.Size()
	require.True(t, newScreen(g).refuses(size.Point(0, 0), 0.01, 0, 0.5), "an edge without stones")
	require.False(t, newScreen(g).refuses(size.Point(2, 4), 0.01, 0, 0.5), "beside a stone")
	require.False(t, newScreen(g).refuses(size.Point(0, 3), 0.01, 0, 0.5), "diagonally beside one")
}

func TestPassesWithTheSearch(t *testing.T) {
	g := gameFrom(t, board.Black, "XX.OO", "XX.OO", "XX.OO", "XX.OO", "XX.OO")
	p := Player{Dial: 5}
	pass := thinking.Move{Move: board.Pass, SymmetryOf: board.NoPoint, Visits: 30, Selection: 30, Value: thinking.Value{Lead: -1}}
	r := search.Result{Analysis: thinking.Analysis{Size: g.Size(), ToMove: board.Black, Moves: []thinking.Move{pass}, Policy: make([]float32, 26)}}
	c, ok := p.Choose(g, &r, rand.New(rand.NewPCG(1, 1)))
	require.True(t, ok)
	require.Equal(t, board.Pass, c.Move)
}
