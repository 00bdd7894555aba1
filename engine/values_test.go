package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// valuesOf returns values for turns from 0 on, Black's and White's alternating.
func valuesOf(pool bool, values ...float64) *ownValues {
	v := &ownValues{cfg: &Config{PoolBothSidesValues: pool}}
	for i, x := range values {
		v.all = append(v.all, ownValue{i, board.Black + board.Color(i%2), x})
	}
	return v
}

// TestOwnValues: in a game in which the engine played both sides, values count only for the side
// that moved, but for both sides if values are pooled.
func TestOwnValues(t *testing.T) {
	v := valuesOf(false, 0.1, -0.95, 0.96, -0.97)
	require.Equal(t, 2, v.hopelessTurns(board.White, -0.9))
	require.Equal(t, 1, v.hopelessTurns(board.White, -0.96), "only the last")
	require.Zero(t, v.hopelessTurns(board.Black, -0.9))
	require.Equal(t, 3, valuesOf(true, 0.1, -0.95, 0.96, -0.97).hopelessTurns(board.White, -0.9), "Black's values count too")
	require.InDelta(t, 0.5, v.sureness(board.Black, 0.9), 1e-9, "the least of three is 0.95")
	require.Zero(t, v.sureness(board.White, -0.9), "it is lost")
	require.Zero(t, valuesOf(false, 1, -1).sureness(board.Black, 0.9), "of two nothing is sure")
	white, known := v.white()
	require.True(t, known)
	require.InDelta(t, -0.97, white, 0)
	white, _ = valuesOf(false, 0.3).white()
	require.InDelta(t, -0.3, white, 0, "Black's, White's view")
	_, known = valuesOf(false).white()
	require.False(t, known)
	_, oneSide := v.side()
	require.False(t, oneSide)
	us, oneSide := valuesOf(false, 0.3).side()
	require.True(t, oneSide)
	require.Equal(t, board.Black, us)
}

// TestOwnValuesAreForgotten: an undo drops the values of later turns, and new rules drop none; with
// pooled values both drop all.
func TestOwnValuesAreForgotten(t *testing.T) {
	v := valuesOf(false, 0.1, 0.2, 0.3)
	v.takeBack(2)
	require.Len(t, v.all, 2)
	v.forget()
	require.Empty(t, v.all)
	v = valuesOf(true, 0.1, 0.2, 0.3)
	v.takeBack(2)
	require.Empty(t, v.all)
	for _, pool := range []bool{false, true} {
		e := newEngine(t, 5, func(c *Config) { c.PoolBothSidesValues = pool })
		e.values.all = valuesOf(pool, 0.1).all
		require.NoError(t, e.SetRules(board.Japanese()))
		require.Equal(t, pool, len(e.values.all) == 0)
	}
}

// TestSeeds: the seed determines all random numbers. Each move has its own stream of them, and the
// delay of the move reads that stream from its beginning.
func TestSeeds(t *testing.T) {
	a, b := seeds{cfg: &Config{Seed: 5}}, seeds{cfg: &Config{Seed: 5}}
	first := a.next().Uint64()
	require.Equal(t, first, b.next().Uint64())
	require.Equal(t, first, a.stream().Uint64())
	require.NotEqual(t, first, a.next().Uint64())
	require.Equal(t, uint64(7), a.seed(), "5, two moves on")
	c := seeds{cfg: &Config{}}
	require.NotEqual(t, c.seed(), c.seed(), "without a seed nothing repeats")
}
