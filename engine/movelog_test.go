package engine

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search/thinking"
)

// TestMoveLog: the lines about moves have the configured level, so that they can be hidden at a
// terminal.
func TestMoveLog(t *testing.T) {
	for _, test := range []struct {
		asked slog.Level
		lines int
	}{{slog.LevelInfo, 1}, {slog.LevelDebug, 0}} {
		var log strings.Builder
		server, err := nn.NewServer(nntest.HashModel(3), nn.ServerConfig{Sessions: 1, MaxBatch: 4, Seed: 1})
		require.NoError(t, err)
		c := Defaults()
		c.Size, c.Rules, c.MoveLog = board.Square(5), board.TrompTaylor(), test.asked
		c.Limits.Visits = 8
		e, err := New(c, anySize{server}, slog.New(slog.NewTextHandler(&log, nil)))
		require.NoError(t, err)
		_, err = e.GenMove(t.Context(), thinking.MoveRequest{Color: board.Black})
		require.NoError(t, err)
		e.Close()
		require.NoError(t, server.Close())
		require.Equal(t, test.lines, strings.Count(log.String(), " visits ("), log.String())
	}
}
