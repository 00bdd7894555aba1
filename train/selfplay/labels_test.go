package selfplay

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/train/rows"
)

// TestLabelledGames: games to be labelled choose moves by the policy alone, some under Japanese
// rules or with handicap stones, and end without a count; other recipes must not ask for any of this.
func TestLabelledGames(t *testing.T) {
	c := small(Policy)
	require.ErrorContains(t, c.Validate(), "engine label")
	c.Search.Method, c.Rules.Territory = PUCT, 0.5
	require.ErrorContains(t, c.Validate(), "counts by area")
	c.Rules.Territory, c.Opening.Handicap = 0, 0.5
	require.ErrorContains(t, c.Validate(), "counts by area")

	c.Search.Method, c.Labels, c.Rules.Territory = Policy, true, 0.5
	c.Boards = []BoardShare{{9, 9, 1}}
	c.Opening.Moves, c.Ending.Resign = 0, -2
	var territory, handicap, passes int
	take := func(f *Finished) (int, error) {
		require.False(t, f.Game.End.Known)
		if rules := f.Game.Start.Rules(); rules.Scoring == board.ScoringTerritory {
			territory++
			require.Equal(t, board.Japanese().Tax, rules.Tax)
		}
		if f.Game.Mode == rows.ModePlain {
			require.Zero(t, f.Game.Start.NumMoves())
			if f.Game.Start.Board().Stones(board.Black) > 0 {
				handicap++
				require.Equal(t, board.White, f.Game.Start.ToMove())
			}
		}
		for _, turn := range f.Game.Turns {
			if turn.Move == board.Pass {
				passes++
			} else {
				require.Nil(t, turn.Policy)
			}
		}
		return 1, nil
	}
	var next atomic.Uint64
	s, err := NewSessionOf(c, 5, func(context.Context) (uint64, bool) { return next.Add(1), true }, take)
	require.NoError(t, err)
	require.NoError(t, s.Play(t.Context(), exactServer(t, 3), Goal{Games: 60}))
	require.InDelta(t, 30, territory, 20)
	require.InDelta(t, 25, handicap, 20)
	require.Positive(t, passes)
}

// TestDecidedGamesWeighLess: also without searches, turns of decided games weigh less, and the first
// turns of a game do not.
func TestDecidedGamesWeighLess(t *testing.T) {
	c := Defaults()
	c.Search.Method, c.Labels = Policy, true
	p := &player{c: &c}
	_, even := p.soften(0, 1)
	p.recent = []float64{0.99, 0.995, 0.99}
	_, decided := p.soften(0, 1)
	require.EqualValues(t, 1, even)
	require.Less(t, decided, 0.4)
}
