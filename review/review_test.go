package review

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/sgf"
)

// server answers with made-up numbers that depend on the position alone.
func server(t testing.TB) *nn.Server {
	t.Helper()
	s, err := nn.NewServer(nntest.HashModel(7), nn.ServerConfig{Sessions: 2, MaxBatch: 4})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func load(t testing.TB, text string) *Game {
	t.Helper()
	roots, err := sgf.Parse([]byte(text))
	require.NoError(t, err)
	g, err := Load(roots[0], board.Chinese())
	require.NoError(t, err)
	return g
}

const short = `(;GM[1]FF[4]SZ[7]KM[7]RU[Chinese]PB[Ada]PW[Bob]DT[2026-01-02]RE[W+2];B[dd]C[mine];W[de](;B[ed];W[ee];B[cd];W[fd];B[fc];W[ge])(;B[aa]))`

// quick is a review of few visits.
func quick() Config {
	c := Defaults()
	c.First, c.Visits, c.Network = 4, 12, "hash"
	return c
}

func asJSON(t testing.TB, r *Result) string {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

// TestReviewIsAFunctionOfGameAndSettings compares a review with one that searches
// another number of positions at once, one that is stopped after each search, and
// one whose store was cut short in the middle of a line.
func TestReviewIsAFunctionOfGameAndSettings(t *testing.T) {
	g, net, conf := load(t, short), server(t), quick()
	want, err := Run(t.Context(), g, net, conf, nil, nil)
	require.NoError(t, err)
	require.True(t, want.Complete)
	require.LessOrEqual(t, want.Visits, int64(12*9))
	require.Greater(t, want.Visits, int64(4*9), "the second pass spends the budget")

	conf.Parallel = 1
	alone, err := Run(t.Context(), g, net, conf, nil, nil)
	require.NoError(t, err)
	require.Equal(t, asJSON(t, want), asJSON(t, alone))

	dir := t.TempDir()
	conf.Parallel = 3
	for range 200 {
		store, err := OpenStore(dir, g, "hash", conf)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		known := len(store.known)
		got, err := Run(ctx, g, net, conf, store, func(Progress) {
			if len(store.known) > known {
				stop()
			}
		})
		stop()
		require.NoError(t, store.Close())
		if err == nil {
			require.Equal(t, asJSON(t, want), asJSON(t, got))
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, got.Complete)
		files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		tear(t, files[0])
	}
	require.Positive(t, mustStore(t, dir, g, conf).Spent()+1)
}
