package rows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn/features"
)

func TestCountMoves(t *testing.T) {
	for text, want := range map[string]int{
		"":                          0,
		"hello":                     0,
		"(;GM[1]SZ[9];B[aa];W[bb])": 2,
		"(;GM[1]AB[aa][bb]PB[B[]PW[W\\](;B[cc])];B[aa]BL[3]C[;W[aa\\];W[bb]];W[])": 2,
		"(;Black[aa];White[bb];B [cc])":                                            3,
		"(;B[aa](;W[bb];B[cc])(;W[dd];B[ee];W[ff]))(;B[aa])":                       4,
		"(;B[aa];W[bb];B[c": 3,
		"(;C[a\\":           0,
		"))))(;B[aa]":       1,
	} {
		require.Equal(t, want, countMoves([]byte(text)), text)
	}
}

// TestEstimateOfRecords: comments do not count as moves; the beginning of a large file gives an estimate of its moves.
func TestEstimateOfRecords(t *testing.T) {
	dir := t.TempDir()
	game := "(;GM[1]SZ[9]" + strings.Repeat(";B[aa]C["+strings.Repeat("a long remark ", 20)+"];W[bb]", 50) + ")\n"
	write := func(name string, games int) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(game, games)), 0o644))
	}
	write("one.sgf", 1)
	require.Equal(t, 100, open(t, options(8), dir).WindowRows())
	write("many.sgf", 3*sampleBytes/len(game))
	require.InEpsilon(t, 100+100*(3*sampleBytes/len(game)), open(t, options(8), dir).WindowRows(), 0.02)
}

// TestRowsOrRecords: a folder of self-play delivers its rows. It delivers the records of the same games
// only if there are no rows, or if the folder of records is named.
func TestRowsOrRecords(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"run/net/tdata", "run/net/sgfs", "other/sgfs", "sgfs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	for _, name := range []string{"run/net/sgfs/a.sgfs", "other/sgfs/b.sgfs", "sgfs/c.sgf"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("(;GM[1])"), 0o644))
	}
	names := func(root string) (found []string) {
		paths, err := ListFolders(filepath.Join(dir, root))()
		require.NoError(t, err)
		for _, p := range paths {
			found = append(found, filepath.Base(p))
		}
		return found
	}
	require.ElementsMatch(t, []string{"a.sgfs", "b.sgfs", "c.sgf"}, names("."), "there are no rows yet")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run/net/tdata/a.npz"), smallFile(t, Layout{features.V7, 5}), 0o644))
	require.ElementsMatch(t, []string{"a.npz", "b.sgfs", "c.sgf"}, names("."))
	require.ElementsMatch(t, []string{"a.sgfs"}, names("run/net/sgfs"))
	net := filepath.Join(dir, "net.onnx")
	require.NoError(t, os.WriteFile(net, nil, 0o644))
	require.NotContains(t, names("."), "net.onnx")
	_, err := ListFolders(net)()
	require.ErrorContains(t, err, "neither rows", "what is named is wanted")
	require.Positive(t, open(t, Options{Batch: 1, Size: board.Square(5)}, filepath.Join(dir, "run")).WindowRows())
}
