package loop

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/train/selfplay"
)

// orientations records the orientations in which positions are evaluated.
type orientations struct {
	nn.Evaluator
	mu    sync.Mutex
	shown map[[2]uint64]int8
	twice bool
}

func (s *orientations) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	h := q.Game.Hash()
	key := [2]uint64{h.Hi, h.Lo}
	s.mu.Lock()
	if old, known := s.shown[key]; known && old != q.Symmetry {
		s.twice = true
	}
	s.shown[key] = q.Symmetry
	s.mu.Unlock()
	return s.Evaluator.Evaluate(ctx, q, out)
}

// TestMatchOrientations: a gating match evaluates positions in all orientations, but the same
// position always in the same orientation.
func TestMatchOrientations(t *testing.T) {
	server := nntest.Server(t, nntest.HashModel(3), nn.ServerConfig{MaxBatch: 4})
	s := &orientations{Evaluator: server, shown: map[[2]uint64]int8{}}
	_, err := playMatch(t.Context(), local(s, s), &Gate{Games: 4, Visits: 8, Temperature: 1, Komi: 7}, []selfplay.BoardShare{{Width: 5, Height: 5, Share: 1}}, 6, new(matchCount))
	require.NoError(t, err)
	used := map[int8]bool{}
	for _, k := range s.shown {
		used[k] = true
	}
	require.False(t, s.twice)
	require.Len(t, used, 8)
	require.False(t, used[nn.SymmetryRandom])
}

// TestMatchBoard: pairs of games are distributed over the boards as in self-play.
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
		want   []int // number of pairs on each board
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
