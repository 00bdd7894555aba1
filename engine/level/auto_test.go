package level

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestRatingFindsThePlayer: after thirty games, a player of any strength is rated within three
// ranks on average.
func TestRatingFindsThePlayer(t *testing.T) {
	for _, truth := range []Rank{-8, 2, 8, 15, 22} {
		rng := rand.New(rand.NewPCG(uint64(truth-Lowest), 9))
		off := 0.0
		const players = 20
		for range players {
			f := NewPlayerRating()
			now := time.Unix(1e9, 0)
			for range 30 {
				against := f.Next()
				p := 1 / (1 + math.Pow(10, (eloOf(against)-eloOf(truth))/400))
				points := 0.0
				if rng.Float64() < p {
					points = 1
				}
				now = now.Add(24 * time.Hour)
				f.Played(board.Square(9), against, 0, points, 1, now)
			}
			off += math.Abs(float64(rankAt(f.mean())-truth)) / players
		}
		require.Less(t, off, 3.0, truth)
	}
}

func TestRatingMovesTheRightWay(t *testing.T) {
	now := time.Unix(1e9, 0)
	f := NewPlayerRating()
	require.Contains(t, f.Explain(board.Square(9)), "no game of yours")
	require.Less(t, f.Next(), Rank(8), "the first games are easy")
	before := f.mean()
	f.Played(board.Square(9), 8, 0, 1, 1, now)
	require.Greater(t, f.mean(), before)
	require.Contains(t, f.Explain(board.Square(9)), "on 9x9")
	won := f.mean()
	f.Played(board.Square(9), 8, 0, 0, 0, now)
	require.InDelta(t, won, f.mean(), 5, "a game that does not count")
	f.Played(board.Square(9), 8, 0, 0, 1, now)
	require.Less(t, f.mean(), won)
	narrow := f.quantile(0.9) - f.quantile(0.1)
	f.drift(now.Add(90 * 24 * time.Hour))
	require.Greater(t, f.quantile(0.9)-f.quantile(0.1), narrow, "after a long time less is sure")
}

func FuzzParsePlayerRatings(f *testing.F) {
	data, err := json.Marshal(PlayerRatings{"9x9": NewPlayerRating()})
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ParsePlayerRatings(data)
		if err != nil {
			return
		}
		for _, one := range all {
			require.NotPanics(t, func() { one.Played(board.Square(9), 5, 0, 1, 1, time.Now()); _ = one.Next() })
		}
	})
}
