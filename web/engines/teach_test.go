package engines

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
	"kosumi/search/thinking"
)

// TestSound: of the moves that a search found, those that lose much are left out; if all lose much,
// Sound returns the best move.
func TestSound(t *testing.T) {
	testshared.Long(t)
	m, err := model.Open("", model.Config{Provider: model.Kernel, Precision: "auto"})
	require.NoError(t, err)
	server, err := nn.NewServer(m, nn.ServerConfig{Sessions: 1, MaxBatch: 8, Seed: 1})
	require.NoError(t, err)
	conf := engine.Defaults()
	conf.Size, conf.Search.Parallel.Workers = board.Square(5), 1
	e, err := engine.New(conf, nn.AsNetwork(server), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() {
		e.Close()
		require.NoError(t, server.Close())
	})
	size := board.Square(5)
	center, corner, edge := size.Point(2, 2), size.Point(0, 0), size.Point(4, 2)
	for _, c := range []struct{ found, want []board.Point }{
		{[]board.Point{corner, center, edge}, []board.Point{center}},
		{[]board.Point{center}, []board.Point{center}},
		{[]board.Point{corner, edge}, []board.Point{center}},
	} {
		g, err := board.NewGame(size, board.Chinese())
		require.NoError(t, err)
		found := &search.Result{}
		for _, p := range c.found {
			found.Moves = append(found.Moves, thinking.Move{Move: p})
		}
		sound, err := Sound(t.Context(), e, g, 0, found, 3, 1.5)
		require.NoError(t, err)
		require.Equal(t, c.want, sound)
	}
}
