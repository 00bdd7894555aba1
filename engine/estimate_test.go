package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/search"
)

// TestLeadMovesWithKomi: a point of komi changes the lead by a point; the lead stays between Low
// and High, within the board, and agrees with the winrate.
func TestLeadMovesWithKomi(t *testing.T) {
	ctx := context.Background()
	for n, rules := range []board.Rules{board.Chinese(), board.Japanese(), board.TrompTaylor()} {
		e := newEngine(t, 7, func(c *Config) { c.Rules = rules })
		rng := rand.New(rand.NewPCG(uint64(n), 5))
		for range 3 {
			require.NoError(t, e.NewGame(board.Square(7)))
			for range 8 {
				if p := board.Point(rng.IntN(49)); e.game.Legal(e.game.ToMove(), p) == nil {
					require.NoError(t, e.Play(e.game.ToMove(), p))
				}
			}
			even := math.NaN() // komi minus lead must be the same for every komi
			for _, komi := range []float32{-60.5, -12.5, 0.5, 6.5, 7.5, 20.5, 60.5} {
				require.NoError(t, e.SetKomi(komi))
				est, err := e.Estimate(ctx)
				require.NoError(t, err)
				white := 1 - est.Winrate
				require.False(t, est.Lead > 0 && white < 0.5 || est.Lead < 0 && white > 0.5, "%+v", est)
				require.True(t, est.Low <= est.Lead && est.Lead <= est.High, "%+v", est)
				low, high := search.Bounds(e.game)
				require.True(t, low <= est.Low && est.High <= high, "%+v", est)
				if est.Lead != 0 && est.Lead != low && est.Lead != high { // not clipped
					if math.IsNaN(even) {
						even = float64(komi) - est.Lead
					}
					require.InDelta(t, even, float64(komi)-est.Lead, 1e-4)
				}
				score := finalScore(t, e)
				require.False(t, score > 0 && white < 0.5 || score < 0 && white > 0.5, "%+v %v", est, score)
			}
		}
	}
}

// TestThoughtsAgree: a move's comment names the same leader by winrate and by points, and writes
// zero without a sign.
func TestThoughtsAgree(t *testing.T) {
	for _, c := range []struct {
		winrate, lead float64
		want          string
	}{
		{0.49, 0.2, "White 51.0 %, +0.0 points, 8 visits"},
		{0.51, -0.2, "Black 51.0 %, +0.0 points, 8 visits"},
		{0.49, 0, "White 51.0 %, +0.0 points, 8 visits"},
		{0.4, -0.04, "White 60.0 %, +0.0 points, 8 visits"},
		{0.4, -1.26, "White 60.0 %, +1.3 points, 8 visits"},
	} {
		thought := moveEval{winrate: c.winrate, lead: c.lead, visits: 8}
		require.Equal(t, c.want, thought.text(board.Square(9)))
	}
}
