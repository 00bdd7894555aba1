package levels

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/level"
	"kosumi/nn"
	"kosumi/web/engines"
	"kosumi/web/hub"
)

// network has no ladder of its own.
type network struct{ engines.Backend }

func (network) Describe() nn.Description { return nn.Description{} }

// TestLevels: the levels go upwards, the one that fits is among them, and a game that
// counted is known afterwards.
func TestLevels(t *testing.T) {
	conf := engine.Defaults()
	conf.LevelFile = filepath.Join(t.TempDir(), "levels.json")
	log := slog.New(slog.DiscardHandler)
	l := New(engines.New(network{}, conf, log), hub.NewWarnings(log))
	all := l.List()
	require.NotEmpty(t, all)
	for i := range all[1:] {
		require.Less(t, all[i].Rank, all[i+1].Rank)
	}
	require.False(t, l.Known("40k"))
	fitting, err := l.Fitting(board.Square(9))
	require.NoError(t, err)
	require.True(t, l.Known(fitting))
	require.Empty(t, l.Fits())
	against, err := level.ParseRank(fitting)
	require.NoError(t, err)
	fit, err := l.Count(board.Square(9), against, 0, 1, 1)
	require.NoError(t, err)
	require.Equal(t, "9x9", fit.Size)
	require.Positive(t, fit.Games)
	fits := l.Fits()
	require.Len(t, fits, 1)
	require.Equal(t, *fit, fits[0])
}
