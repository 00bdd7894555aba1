package model

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestCacheShrinks fills a cache beyond its limit: what was not used for longest
// goes first, and what was read last stays.
func TestCacheShrinks(t *testing.T) {
	dir := t.TempDir()
	c := newGraphCache(dir, slog.New(slog.DiscardHandler))
	key := func(i int) graphKey {
		return graphKey{sha256: fmt.Sprintf("%064d", i), size: board.Square(9), provider: "cpu", precision: "fp32"}
	}
	old := time.Now().Add(-time.Hour)
	for i := range 5 {
		require.NoError(t, os.WriteFile(c.path(key(i)), make([]byte, 100), 0o600))
		at := old.Add(time.Duration(i) * time.Minute)
		require.NoError(t, os.Chtimes(c.path(key(i)), at, at))
	}
	unfinishedFile := filepath.Join(dir, "new-1.onnx")
	require.NoError(t, os.WriteFile(unfinishedFile, make([]byte, 1000), 0o600))
	_, ok := c.load(key(0)) // the oldest is used again
	require.True(t, ok)
	c.shrink(500)
	use, err := Cache(dir)
	require.NoError(t, err)
	require.Equal(t, CacheUse{Dir: dir, Files: 5, Bytes: 500, Limit: maxCache}, use)
	c.shrink(250)
	for i, want := range []bool{true, false, false, false, true} {
		require.Equal(t, want, c.has(key(i)), "graph %d", i)
	}
	c.shrink(0)
	require.True(t, c.has(key(0)), "the newest stays, however large")
	require.False(t, c.has(key(4)))
	require.FileExists(t, unfinishedFile, "somebody is at it")
}

func TestCleanCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "graphs")
	use, err := CleanCache(dir)
	require.NoError(t, err, "nothing is there yet")
	require.Zero(t, use.Files)
	c := newGraphCache(dir, slog.New(slog.DiscardHandler))
	k := graphKey{sha256: fmt.Sprintf("%064d", 1), size: board.Square(9)}
	held := graphKey{sha256: fmt.Sprintf("%064d", 2), size: board.Square(9)}
	for _, k := range []graphKey{k, held} {
		free, err := c.claim(t.Context(), k, c.log)
		require.NoError(t, err)
		if k == held {
			defer free()
		} else {
			free()
		}
	}
	require.NoError(t, os.WriteFile(c.path(k), make([]byte, 100), 0o600))
	c.judge(k, verdict{Fault: "none"})
	foreign := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(foreign, nil, 0o600))
	use, err = CleanCache(dir)
	require.NoError(t, err)
	require.Equal(t, CacheUse{Dir: dir, Files: 1, Bytes: 100, Limit: maxCache}, use)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the claim of another program, and what is not ours")
}
