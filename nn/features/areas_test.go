package features_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// koMouth is a board on which Black's only liberty is an eye that is not territory under KataGo's
// rules version 3.
const koMouth = `
	X . X O .
	X X X O .
	O O O O .`

// inTerritory returns a game at the board in text, in the given phase, under territory scoring without a tax.
func inTerritory(t *testing.T, text string, phase int, o board.GameOptions) *board.Game {
	t.Helper()
	g := testshared.GameOn(t, testshared.Diagram(t, text), board.Rules{Scoring: board.ScoringTerritory})
	require.NoError(t, g.StartInPhase(phase))
	g.ContinueWith(o)
	return g
}

// TestAreasOfModes: the area planes of V6 and V7 follow the requested mode, or else the game's,
// in the second clean-up phase only; nothing else changes.
func TestAreasOfModes(t *testing.T) {
	on := board.GameOptions{AreaModes: board.AreaModes{ExcludeTerritoryAdjacentToAtari: true}}
	const mouth = 1 // B3, the second point
	for _, e := range []features.Encoding{features.V6, features.V7} {
		for phase := range 3 {
			encode := func(o board.GameOptions, m features.Mode) []float32 {
				g := inTerritory(t, koMouth, phase, o)
				planes, globals := buffers(e, g)
				features.Encode(e, planes, globals, g, features.Options{Areas: features.Areas{ExcludeTerritoryAdjacentToAtari: m}}, features.NewScratch())
				return planes
			}
			plain := encode(board.GameOptions{}, features.Auto)
			require.Equal(t, plain, encode(on, features.Off), "the query overrides the game")
			want := append([]float32(nil), plain...)
			if phase == 2 {
				require.Equal(t, float32(1), want[18*15+mouth])
				want[18*15+mouth] = 0
			}
			require.Equal(t, want, encode(on, features.Auto))
			require.Equal(t, want, encode(board.GameOptions{}, features.On))
		}
	}
}

// TestModes: Areas.Over replaces each Auto by the mode in its argument. It keeps modes that are On
// or Off, as in the result of features.In.
func TestModes(t *testing.T) {
	for i := range 4 {
		m := board.AreaModes{PassAliveUnderSuicide: i&1 != 0, ExcludeTerritoryAdjacentToAtari: i&2 != 0}
		require.Equal(t, m, features.Areas{}.Over(m))
		require.Equal(t, m, features.In(m).Over(board.AreaModes{PassAliveUnderSuicide: i&1 == 0, ExcludeTerritoryAdjacentToAtari: i&2 == 0}))
	}
	a := features.Areas{PassAliveUnderSuicide: features.On, ExcludeTerritoryAdjacentToAtari: features.Off}
	require.Equal(t, board.AreaModes{PassAliveUnderSuicide: true}, a.Over(board.AreaModes{ExcludeTerritoryAdjacentToAtari: true}))
}
