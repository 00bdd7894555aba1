package level

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCost: a level's log gives the cost of a move in points, and the ladder reads it.
func TestCost(t *testing.T) {
	for _, tc := range []struct {
		loss float64
		text string
		read float64
	}{{0, bestMove, 0}, {0.049, bestMove, 0}, {1.35, "a move that costs 1.4 points", 1.4}, {12, "a move that costs 12.0 points", 12}} {
		require.Equal(t, tc.text, Cost(tc.loss))
		loss, ok := ParseCost("played " + tc.text + ", as an 11k would")
		require.True(t, ok, tc.text)
		require.Equal(t, tc.read, loss)
	}
	require.Equal(t, unknownCost, Cost(math.NaN()))
	for _, line := range []string{"played " + unknownCost + ", as a 10k would", "black D6: 48 visits", ""} {
		_, ok := ParseCost(line)
		require.False(t, ok, line)
	}
}
