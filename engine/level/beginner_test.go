package level

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestBeginnersSeeLess: a beginner with a higher dial overlooks more moves far from the last moves,
// however likely they are, and near the last moves it follows the policy less.
func TestBeginnersSeeLess(t *testing.T) {
	size := board.Square(9)
	share := func(dial float64, best, other board.Point) float64 {
		rng := rand.New(rand.NewPCG(1, 2))
		played := 0.0
		const draws = 3000
		for i := range draws {
			g, err := board.NewGame(size, board.Chinese())
			require.NoError(t, err)
			require.NoError(t, g.Play(board.Black, size.Point(1, 1)))
			require.NoError(t, g.Play(board.White, size.Point(2, 2)))
			s := Situation{Game: g, Seed: uint64(i) * 7919, Candidates: []Candidate{{Move: best, Prior: 0.9}, {Move: other, Prior: 0.1}}}
			if s.choose(dial, rng) == 0 {
				played += 1.0 / draws
			}
		}
		return played
	}
	near, near2, far := size.Point(1, 2), size.Point(2, 1), size.Point(7, 7)
	for name, c := range map[string]struct{ best, other board.Point }{"far from the last moves": {far, near}, "near them": {near, near2}} {
		last := 1.0
		for _, dial := range []float64{Reading, 12.5, 15, 17.5, Weakest} {
			now := share(dial, c.best, c.other)
			require.Less(t, now, last, "%s, dial %g", name, dial)
			last = now
		}
	}
	require.Less(t, share(Weakest, far, near), 0.15, "it is hardly seen")
}

// TestOverlookedForAsLongAsTheShapeLasts: a point stays overlooked while the stones around it
// stay, and is seen once play comes near.
func TestOverlookedForAsLongAsTheShapeLasts(t *testing.T) {
	size := board.Square(9)
	g, err := board.NewGame(size, board.Chinese())
	require.NoError(t, err)
	require.NoError(t, g.Play(board.Black, size.Point(1, 1)))
	far := size.Point(7, 7)
	s := Situation{Game: g}
	for s.glance(far, 1, 0) > -notSeen/2 {
		s.Seed++
	}
	require.NoError(t, g.Play(board.White, size.Point(2, 1)))
	require.NoError(t, g.Play(board.Black, size.Point(1, 3)))
	require.Less(t, s.glance(far, 1, 0), -notSeen/2)
	require.NoError(t, g.Play(board.White, far+1))
	seen := 0
	for s.Seed = range uint64(100) {
		if s.glance(far, 1, 0) > -notSeen/2 {
			seen++
		}
	}
	require.Greater(t, seen, 80, "the answer to the last move")
	require.Equal(t, []int64{192, 48, 48, 48, 29, 16, 16}, []int64{VisitsAt(-2), VisitsAt(0), VisitsAt(5), VisitsAt(Reading), VisitsAt(12), VisitsAt(15), VisitsAt(Weakest)})
}
