package model

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/models"
)

// TestBuiltIn: an empty name and the built-in network's name open the same network as a copy of
// its file does.
func TestBuiltIn(t *testing.T) {
	data, err := models.Data()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "copy.bin.gz")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	for _, name := range []string{"", models.Name, path} {
		m, err := Open(name, Config{Provider: Kernel})
		require.NoError(t, err)
		require.Equal(t, models.SHA256, m.Describe().SHA256)
		require.Equal(t, 15, m.Describe().Version)
		require.Equal(t, name != path, m.Describe().Name == models.Name)
	}
	info, err := Inspect(models.Name)
	require.NoError(t, err)
	require.Equal(t, models.File, info.File)
	net, err := ReadKataGo(models.Name)
	require.NoError(t, err)
	require.Equal(t, 15, net.Header.Version)
}
