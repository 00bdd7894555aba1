package loop

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/train/selfplay"
)

// TestMatchBoard: pairs of games go to the boards by their shares of self-play.
func TestMatchBoard(t *testing.T) {
	on := func(shares ...float64) []selfplay.BoardShare {
		boards := make([]selfplay.BoardShare, len(shares))
		for i, s := range shares {
			boards[i] = selfplay.BoardShare{Width: i, Height: i, Share: s}
		}
		return boards
	}
	for name, c := range map[string]struct {
		boards []selfplay.BoardShare
		want   []int // pairs of each board
	}{
		"one":             {on(3), []int{8}},
		"even":            {on(1, 1, 1, 1), []int{2, 2, 2, 2}},
		"none of a trace": {on(0.94, 0.035, 0.02, 0.005), []int{8, 0, 0, 0}},
		"a quarter":       {on(0.7, 0.25, 0.05), []int{6, 2, 0}},
		"switched off":    {on(0, 1), []int{0, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			got := make([]int, len(c.boards))
			for pair := range 8 {
				got[matchBoard(c.boards, pair, 8).Width]++
			}
			require.Equal(t, c.want, got)
		})
	}
}
