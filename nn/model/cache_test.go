package model

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCacheSweepsLeftovers: files that a killed program was writing go, those of
// a program at work and finished ones stay.
func TestCacheSweepsLeftovers(t *testing.T) {
	c := newGraphCache(t.TempDir(), slog.New(slog.DiscardHandler))
	old := time.Now().Add(-2 * leftover)
	for _, name := range []string{"new-1.onnx", "new-2.json", "kept.onnx"} {
		path := filepath.Join(c.dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o644))
		require.NoError(t, os.Chtimes(path, old, old))
	}
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "new-3.onnx"), nil, 0o644))
	c.sweep()
	left, err := filepath.Glob(filepath.Join(c.dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(c.dir, "kept.onnx"), filepath.Join(c.dir, "new-3.onnx")}, left)
}
