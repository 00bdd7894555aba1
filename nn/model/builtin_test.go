package model

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/models"
	"kosumi/nn"
)

// TestBuiltIn: each board size has its network, which is loaded when a graph is needed. The
// description holds for all of them.
func TestBuiltIn(t *testing.T) {
	b := &builtIn{}
	small, large := board.Square(9), board.Square(19)
	spec, err := b.spec(small)
	require.NoError(t, err)
	other, err := b.spec(large)
	require.NoError(t, err)
	require.Len(t, b.loaded, 1, "what only asks loads no other network")
	require.Equal(t, builtInName, spec.Name)

	for _, size := range []board.Size{small, large, {W: 5, H: 13}} {
		_, err = b.graph(size)
		require.NoError(t, err)
		require.Equal(t, models.For(max(size.W, size.H)).File, b.loaded[min(1, max(size.W, size.H)/12)].net.Source.File)
	}
	require.Len(t, b.loaded, 2)
	for _, s := range b.loaded {
		for size, want := range map[board.Size]nn.Spec{small: spec, large: other} {
			own, err := s.spec(size)
			require.NoError(t, err)
			own.Name = builtInName
			require.Equal(t, want, own, "one spec serves both")
		}
		d := s.describe()
		require.Equal(t, models.Version, d.Version)
		require.Equal(t, b.describe().Areas, d.Areas)
		require.Equal(t, b.describe().TakesProfile, d.TakesProfile)
	}
}

// TestBuiltInByName: --model zero and --model taught use one network for every board.
func TestBuiltInByName(t *testing.T) {
	for _, n := range []*models.Network{models.Zero(), models.Taught()} {
		m, err := Open(n.Name, Config{Provider: Kernel})
		require.NoError(t, err)
		require.Equal(t, n.SHA256, m.Describe().SHA256)
		data, err := n.Data()
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "copy.bin.gz")
		require.NoError(t, os.WriteFile(path, data, 0o644))
		file, err := Open(path, Config{Provider: Kernel})
		require.NoError(t, err)
		require.Equal(t, n.SHA256, file.Describe().SHA256, "a copy of the file is the same network")
		for _, side := range []int{9, 19} {
			require.NoError(t, m.Serves(board.Square(side)))
		}
		info, err := Inspect(n.Name)
		require.NoError(t, err)
		require.Equal(t, n.File, info.File)
		net, err := ReadKataGo(n.Name)
		require.NoError(t, err)
		require.Equal(t, models.Version, net.Header.Version)
	}
}
