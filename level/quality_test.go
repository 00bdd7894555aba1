package level

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// flat knows nothing of its player at all.
func flat() *PlayerRating {
	f := NewPlayerRating()
	for i := range f.Weights {
		f.Weights[i] = 1
	}
	f.normalise()
	return f
}

// TestQualityOfKnownLevels judges players by the quality of their moves alone, in games of
// this program's levels, whose ranks are known: the mean error from one game and from
// five, and how often the rank is within the range that is named.
func TestQualityOfKnownLevels(t *testing.T) {
	data, err := os.ReadFile("testdata/quality9.json") // root losses of the sides of reviewed games, by rank
	require.NoError(t, err)
	sides := map[string][]float64{}
	require.NoError(t, json.Unmarshal(data, &sides))
	require.Len(t, sides, len(qualities))
	for _, c := range []struct {
		games        int
		most, within float64
	}{{1, 3.1, 0.85}, {5, 1.9, 0.85}} {
		sum, n, inside := 0.0, 0.0, 0.0
		for _, name := range slices.Sorted(maps.Keys(sides)) {
			rank, err := ParseRank(name)
			require.NoError(t, err)
			for at := 0; at+c.games <= len(sides[name]); at += c.games {
				f := flat()
				for _, root := range sides[name][at : at+c.games] {
					f.judge(root)
				}
				low, _, high := f.Range()
				n++
				sum += math.Abs(f.mean()-EloOf(rank)) / eloARank
				if low <= rank && rank <= high {
					inside++
				}
			}
		}
		t.Logf("%d games: mean error %.2f ranks, %.0f %% within the range, of %.0f players", c.games, sum/n, 100*inside/n, n)
		require.Less(t, sum/n, c.most)
		require.Greater(t, inside/n, c.within)
	}
}

// TestJudgedBy counts a reviewed game once, on the board where quality was measured.
func TestJudgedBy(t *testing.T) {
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	good, bad := make([]float64, 20), make([]float64, 20)
	for i := range bad {
		good[i], bad[i] = 0.1, 2
	}
	bad[0] = -1 // of no meaning; 0 at least
	f := NewPlayerRating()
	require.False(t, f.JudgedBy(board.Square(19), "a", good, at))
	require.False(t, f.JudgedBy(board.Square(9), "a", good[:leastMoves-1], at))
	before := f.mean()
	require.True(t, f.JudgedBy(board.Square(9), "a", good, at))
	require.Greater(t, f.mean(), before)
	require.False(t, f.JudgedBy(board.Square(9), "a", good, at))
	require.Equal(t, 1, f.Judged)
	require.Zero(t, f.Games)
	up := f.mean()
	require.True(t, f.JudgedBy(board.Square(9), "b", bad, at.Add(-time.Hour)), "games need not come in their order")
	require.Less(t, f.mean(), up)
	require.Equal(t, at, f.Last)
	require.Len(t, f.History, 2)
	require.True(t, f.History[1].Judged)
	require.InDelta(t, 1.85, f.History[1].Mark, 0.01)
	require.True(t, f.valid())

	for i := range judgedKept + historyKept {
		f.JudgedBy(board.Square(9), string(rune('A'+i%26))+time.Duration(i).String(), good, at)
	}
	require.Len(t, f.Reviewed, judgedKept)
	require.Len(t, f.History, historyKept)
}

// TestExpectedQuality falls with strength, and never below nothing.
func TestExpectedQuality(t *testing.T) {
	for i := 1; i < gridCount; i++ {
		a, b := expected(grid(i-1)), expected(grid(i))
		require.GreaterOrEqual(t, a.mean, b.mean)
		require.GreaterOrEqual(t, b.mean, 0.0)
		require.GreaterOrEqual(t, b.spread, leastSpread)
	}
	for _, q := range qualities {
		require.InDelta(t, q.mean, expected(q.elo).mean, 1e-9)
	}
}
