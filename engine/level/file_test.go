package level

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// TestFile saves a player's ratings and makes the folder.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "levels.json")
	all, err := ReadPlayerRatings(name)
	require.NoError(t, err)
	require.Empty(t, all, "nothing is known where there is no file")
	require.NoError(t, TryFile(name))
	size := board.Square(9)
	all.On(size).Played(size, 10, 0, 1, 1, time.Unix(1e9, 0).UTC())
	require.NoError(t, all.Write(name))
	back, err := ReadPlayerRatings(name)
	require.NoError(t, err)
	require.Equal(t, all, back)
	require.NoError(t, TryFile(name))

	for _, bad := range []string{"", "{", "[]", `{"9x9":null}`, `{"9x9":{"weights":[1]}}`, `{"9x9":{"weights":"x"}}`} {
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o666))
		_, err = ReadPlayerRatings(name)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, TryFile(name), "not a file of players' levels")
	}
	require.Error(t, TryFile(filepath.Join(name, "below a file")))
}
