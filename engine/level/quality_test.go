package level

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// flat is a rating that knows nothing of its player.
func flat() *PlayerRating {
	f := NewPlayerRating()
	for i := range f.Weights {
		f.Weights[i] = 1
	}
	f.normalise()
	return f
}

// TestQualityOfKnownLevels rates players by the quality of their moves alone, in games of this
// program's levels, whose ranks are known. It bounds the mean error from one game and from five,
// and requires that the rank is often enough within the stated range.
func TestQualityOfKnownLevels(t *testing.T) {
	for _, c := range []struct {
		size, games  int
		most, within float64
	}{{9, 1, 3.8, 0.9}, {9, 5, 2.3, 0.85}, {13, 1, 3, 0.9}, {13, 5, 1.5, 0.85}, {19, 1, 2.6, 0.9}, {19, 5, 1.9, 0.85}} {
		data, err := os.ReadFile(fmt.Sprintf("testdata/quality%d.json", c.size)) // rootLoss of each side of reviewed games, by rank
		require.NoError(t, err)
		sides := map[string][]float64{}
		require.NoError(t, json.Unmarshal(data, &sides))
		on := qualities[board.Square(c.size)]
		require.NotEmpty(t, on)
		sum, n, inside := 0.0, 0.0, 0.0
		for _, name := range slices.Sorted(maps.Keys(sides)) {
			rank, err := ParseRank(name)
			require.NoError(t, err)
			for at := 0; at+c.games <= len(sides[name]); at += c.games {
				f := flat()
				for _, root := range sides[name][at : at+c.games] {
					f.judge(on, root)
				}
				low, _, high := f.Range()
				n++
				sum += math.Abs(f.mean()-eloOf(rank)) / eloARank
				if low <= rank && rank <= high {
					inside++
				}
			}
		}
		t.Logf("%dx%[1]d, %d games: mean error %.2f ranks, %.0f %% within the range, of %.0f players", c.size, c.games, sum/n, 100*inside/n, n)
		require.Less(t, sum/n, c.most)
		require.Greater(t, inside/n, c.within)
	}
}

// TestJudgedBy counts a reviewed game once, on a board where quality was measured.
func TestJudgedBy(t *testing.T) {
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	good, bad := make([]float64, 20), make([]float64, 20)
	for i := range bad {
		good[i], bad[i] = 0.1, 2
	}
	bad[0] = -1 // counts as 0
	f := NewPlayerRating()
	require.False(t, f.JudgedBy(board.Square(7), "a", good, at))
	require.False(t, f.JudgedBy(board.Square(9), "a", good[:leastMoves-1], at))
	require.Equal(t, []board.Size{board.Square(9), board.Square(13), board.Square(19)}, JudgedOn())
	require.True(t, NewPlayerRating().JudgedBy(board.Square(13), "a", good, at))
	before := f.mean()
	require.True(t, f.JudgedBy(board.Square(9), "a", good, at))
	require.Greater(t, f.mean(), before)
	require.False(t, f.JudgedBy(board.Square(9), "a", good, at))
	all := PlayerRatings{"9x9": f}
	all.Begin(board.Square(9), Lowest)
	require.Equal(t, f, all["9x9"], "a game counts by its moves as by its result")
	require.Contains(t, f.Explain(board.Square(9)), "1 game")
	require.Equal(t, 1, f.Judged)
	require.Zero(t, f.Games)
	up := f.mean()
	require.True(t, f.JudgedBy(board.Square(9), "b", bad, at.Add(-time.Hour)), "games need not come in their order")
	require.Less(t, f.mean(), up)
	require.Equal(t, at, f.Last)
	require.Len(t, f.History, 2)
	require.True(t, f.History[1].Judged)
	require.InDelta(t, 1.9, f.History[1].Mark, 1e-9)
	require.True(t, f.valid())

	for i := range judgedKept + historyKept {
		f.JudgedBy(board.Square(9), string(rune('A'+i%26))+time.Duration(i).String(), good, at)
	}
	require.Len(t, f.Reviewed, judgedKept)
	require.Len(t, f.History, historyKept)
}

// TestTakenBack: a game that is judged by other losses, or by none, leaves the rating as if it had never been judged
// by the first; so it is with a file written before and read since.
func TestTakenBack(t *testing.T) {
	size, at := board.Square(9), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	good, bad := slices.Repeat([]float64{0.1}, 20), slices.Repeat([]float64{2}, 20)
	play := func(first []float64, more int) *PlayerRating {
		f := NewPlayerRating()
		f.Played(size, 8, 0, 1, 1, at)
		f.JudgedBy(size, "x", first, at.Add(time.Hour))
		for i := range more {
			f.JudgedBy(size, fmt.Sprint(i), good, at.Add(time.Duration(i+2)*time.Hour))
			f.Played(size, Rank(i%20), 2, float64(i%2), 0.5, at.Add(time.Duration(i+2)*time.Hour))
		}
		data, err := json.Marshal(PlayerRatings{"9x9": f})
		require.NoError(t, err)
		all, err := ParsePlayerRatings(data)
		require.NoError(t, err)
		return all["9x9"]
	}
	for _, more := range []int{0, 3, historyKept/2 - 1} {
		f, want := play(bad, more), play(nil, more)
		require.NotEqual(t, want.Weights, f.Weights)
		require.False(t, f.JudgedBy(size, "x", bad, at))
		require.True(t, f.JudgedBy(size, "x", nil, at))
		back, err := json.Marshal(f)
		require.NoError(t, err)
		never, err := json.Marshal(want)
		require.NoError(t, err)
		require.Equal(t, string(never), string(back))
		require.False(t, f.JudgedBy(size, "x", nil, at))
		require.True(t, f.JudgedBy(size, "x", bad, at), "it can be judged again")
		require.True(t, f.JudgedBy(size, "x", good, at))
		require.Equal(t, want.Judged+1, f.Judged)
	}
	f := play(bad, historyKept)
	require.False(t, f.JudgedBy(size, "x", nil, at), "the history is too short to take it back")
	last := fmt.Sprint(historyKept - 1)
	was := *f
	require.True(t, f.JudgedBy(size, last, nil, at))
	require.Equal(t, was.Judged-1, f.Judged)
	require.Len(t, f.Reviewed, len(was.Reviewed)-1)
	require.Len(t, f.History, historyKept-1)

	old := play(bad, 3) // as written by an earlier program
	old.Base = nil
	for i := range old.History {
		old.History[i].Weight = 0
	}
	weights := old.Weights
	require.False(t, old.JudgedBy(size, "x", nil, at))
	require.True(t, old.JudgedBy(size, "y", bad, at.Add(3*time.Hour)))
	require.True(t, old.JudgedBy(size, "y", nil, at))
	require.Equal(t, weights, old.Weights)
	require.Len(t, old.History, 8)
}

// TestWrongClaim: one reviewed game overrides a claim that is fifteen ranks off, and the ranges of players
// who claimed different ranks before the same game meet.
func TestWrongClaim(t *testing.T) {
	real := Rank(-2)
	root := expected(qualities[board.Square(13)], eloOf(real)).mean
	losses := slices.Repeat([]float64{root * root}, 40)
	for _, claim := range []Rank{Lowest, real, real + 15} {
		all := PlayerRatings{}
		all.Begin(board.Square(13), claim)
		_, at, _ := all["13x13"].Range()
		require.Equal(t, claim, at, "before the game")
		require.True(t, all["13x13"].JudgedBy(board.Square(13), "a", losses, time.Now()))
		low, mid, high := all["13x13"].Range()
		t.Logf("%v: %v to %v, %v", claim, low, high, mid)
		require.True(t, low <= real && real <= high, "%v: %v to %v", claim, low, high)
	}
}

// TestExpectedQuality: the expected loss never rises with strength, and is never negative.
func TestExpectedQuality(t *testing.T) {
	for _, size := range JudgedOn() {
		on := qualities[size]
		for i := 1; i < gridCount; i++ {
			a, b := expected(on, grid(i-1)), expected(on, grid(i))
			require.GreaterOrEqual(t, a.mean, b.mean)
			require.GreaterOrEqual(t, b.mean, 0.0)
			require.GreaterOrEqual(t, b.spread, leastSpread)
		}
		for _, q := range on {
			require.InDelta(t, q.mean, expected(on, q.elo).mean, 1e-9)
		}
	}
}
