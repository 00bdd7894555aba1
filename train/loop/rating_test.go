package loop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNothingToRate: rating is an error without a loop, without networks, and with one network but no anchor.
func TestNothingToRate(t *testing.T) {
	dir := t.TempDir()
	_, err := Rate(t.Context(), dir, RateOptions{})
	require.ErrorContains(t, err, "no loop in this folder")

	require.NoError(t, os.WriteFile(filepath.Join(dir, RecipeFile), nil, 0o644))
	s := &State{Version: stateVersion, Arch: "kb4c64", Stage: stageSelfplay}
	require.NoError(t, s.save(dir))
	_, err = Rate(t.Context(), dir, RateOptions{})
	require.ErrorContains(t, err, "no network has been promoted yet")

	s.Networks = []Network{{Name: "first", Promoted: true}}
	require.NoError(t, s.save(dir))
	path := modelPath(dir, s.Arch, "first")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	_, err = Rate(t.Context(), dir, RateOptions{})
	require.ErrorContains(t, err, "one network so far")
}
