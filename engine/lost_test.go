package engine

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
)

// TestHangingDeviceCostsNoGame continues a game while a device does not answer. The pending move
// comes within seconds of its time, from the results so far; once the device is known to hang,
// searches do without it.
func TestHangingDeviceCostsNoGame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &nntest.Perishable{Model: nntest.HashModel(1), At: 60, Takes: 20 * time.Millisecond, Hangs: make(chan struct{})}
		server, err := nn.NewServer(m, nn.ServerConfig{Sessions: 2, MaxBatch: 8, OneDevice: 2})
		require.NoError(t, err)
		require.NoError(t, server.Warm(board.Square(9)))
		c := Defaults()
		c.Size = board.Square(9)
		c.Limits.Time, c.Search.Parallel.Workers = 5*time.Second, 16
		c.Limits.Visits = 2000
		e, err := New(c, anySize{server}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		var took []time.Duration
		for _, color := range []board.Color{board.Black, board.White, board.Black, board.White} {
			began := time.Now()
			genmove(t, e, color)
			took = append(took, time.Since(began).Round(time.Millisecond))
		}
		require.NotNil(t, m.Lost.Load())
		require.Less(t, took[0], 9*time.Second, took)
		require.Less(t, took[1], 3*time.Minute, took)
		require.Less(t, took[3], 6*time.Second, took)
		t.Log(took)
		e.Close()
		require.NoError(t, server.Close())
		close(m.Hangs)
		synctest.Wait()
		require.Zero(t, m.Opened.Load())
	})
}
