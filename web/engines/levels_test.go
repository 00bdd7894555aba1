package engines

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/level"
	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// newLevels returns the levels of a network that has no ladder.
func newLevels(conf engine.Config) *Levels {
	log := slog.New(slog.DiscardHandler)
	networks := NewNetworks(NetworksConfig{Open: func(string) Network { return &fakeNetwork{name: "other"} }})
	return NewLevels(New(networks, conf, log), wire.NewWarnings(log))
}

// TestLevels: the levels ascend, the level that fits the player is among them, and a counted game
// is stored.
func TestLevels(t *testing.T) {
	conf := engine.Defaults()
	conf.LevelFile = filepath.Join(t.TempDir(), "levels.json")
	l := newLevels(conf)
	all := l.List()
	require.NotEmpty(t, all)
	for i := range all[1:] {
		require.Less(t, all[i].Rank, all[i+1].Rank)
	}
	require.Error(t, l.Check(board.Square(9), "40k"))
	fitting, err := l.Fitting(board.Square(9))
	require.NoError(t, err)
	require.NoError(t, l.Check(board.Square(9), fitting))
	require.Empty(t, l.Fits())
	against, err := level.ParseRank(fitting)
	require.NoError(t, err)
	played := time.Now()
	fit, err := l.Count("a", played, board.Square(9), against, 0, 0, 1)
	require.NoError(t, err)
	require.Equal(t, "9x9", fit.Size)
	require.Positive(t, fit.Games)
	next, err := l.Fitting(board.Square(9))
	require.NoError(t, err)
	require.Equal(t, next, fit.Next)
	fit.Next = "" // [Levels.Fits] leaves the field Next empty
	fits := l.Fits()
	require.Len(t, fits, 1)
	require.Equal(t, *fit, fits[0])

	// A game and its review are one point of the curve, and the curve ends at the present rank; the
	// review of another game is a point of its own.
	_, err = l.Count("b", played.Add(time.Hour), board.Square(9), against, 0, 1, 1)
	require.NoError(t, err)
	for _, game := range []string{"a", "b", "old"} {
		last, err := l.Judge(board.Square(9), game, make([]float64, 30), played.Add(-time.Hour))
		require.NoError(t, err)
		curve := l.Curves()[0].Curve
		at := curve[len(curve)-1]
		require.Equal(t, last.Mid, level.Rank(at.Mid+int(firstDan)).String())
		require.Len(t, curve, map[string]int{"a": 2, "b": 2, "old": 3}[game])
		require.Equal(t, map[string]string{"a": "result", "b": "result", "old": "review"}[game], at.From)
	}
	fits = l.Fits()

	// The claimed rank counts on boards where the player has no game.
	require.Error(t, l.Begin(&api.PlayerRank{Rank: "99k"}))
	require.NoError(t, l.Begin(&api.PlayerRank{Rank: "2k"}))
	require.Equal(t, fits, l.Fits())
	again, err := l.Fitting(board.Square(13))
	require.NoError(t, err)
	strong, err := level.ParseRank(again)
	require.NoError(t, err)
	require.Greater(t, strong, against)
	// The claimed rank does not replace what a review has measured either.
	_, err = l.Judge(board.Square(19), "a game", slices.Repeat([]float64{1}, 60), time.Now())
	require.NoError(t, err)
	fits = l.Fits()
	require.NoError(t, l.Begin(&api.PlayerRank{Rank: "15k"}))
	require.Equal(t, fits, l.Fits())
}

// TestLevelsOfBoards compares the levels of every board size with the ladders.
func TestLevelsOfBoards(t *testing.T) {
	testshared.Long(t)
	l := newLevels(engine.Defaults())
	ladders := level.Ladders()
	for w := 2; w <= board.MaxSize; w++ {
		for h := 2; h <= board.MaxSize; h += 3 {
			size := board.Size{W: w, H: h}
			on := map[string]bool{}
			for _, at := range l.On(size) {
				on[at.ID] = true
			}
			require.NotEmpty(t, on, size)
			for r := level.Lowest; r <= level.Highest; r++ {
				at, err := level.Find(ladders, "", size, r)
				require.NoError(t, err)
				require.Equal(t, at.Served == r, on[r.String()], "%s on %s", r, size)
				require.Equal(t, at.Served == r, l.Check(size, r.String()) == nil)
			}
		}
	}
}
