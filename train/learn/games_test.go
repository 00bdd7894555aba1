package learn

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/arch"
	"kosumi/nn/features"
	"kosumi/nn/nntest"
	"kosumi/train/learn/learntest"
	"kosumi/train/rows"
)

var long = flag.Bool("long", false, "run tests that take minutes")

// network returns the file of a network by its name: an untrained KataGo network, a synthetic one of
// the golden data, or an untrained one of package arch for a square board of the given side.
func network(t testing.TB, name string, side int) string {
	t.Helper()
	switch {
	case strings.HasPrefix(name, "kb"):
		return learntest.FreshKataGo(t, name)
	case strings.HasPrefix(name, "synth"):
		found, err := filepath.Glob(filepath.Join(testshared.Path(t, "golden/katago/synthetic-models"), name+".*"))
		require.NoError(t, err)
		require.Len(t, found, 1)
		return found[0]
	}
	return freshArch(t, name, side)
}

func gameBatch(t testing.TB, l *Learner, size board.Size, n int) *rows.Batch {
	t.Helper()
	s, err := rows.OpenFolder(rows.Options{Batch: n, Wants: l.Wants(), Encoding: l.Encoding(), Seed: 3}, writeGames(t, l.Encoding(), size, 4))
	require.NoError(t, err)
	defer s.Close()
	b := new(rows.Batch)
	require.NoError(t, s.Next(b))
	return b
}

// freshArch writes an untrained network of package arch.
func freshArch(t testing.TB, name string, side int) string {
	t.Helper()
	c, err := arch.Parse(name)
	require.NoError(t, err)
	m, err := arch.Build(c.On(side, side), 1)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name+".onnx")
	require.NoError(t, os.WriteFile(path, nntest.Bytes(t, m), 0o644))
	return path
}

// writeGames writes n random games as files of rows and returns their folder.
func writeGames(t testing.TB, e features.Encoding, size board.Size, n int) string {
	t.Helper()
	dir := t.TempDir()
	layout := rows.Layout{Encoding: e, Side: max(size.W, size.H)}
	b, err := rows.NewBuilder(layout)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		s := rows.NewSet(layout)
		s.Info.Encoding = e.String()
		_, err := b.Append(s, learntest.RandomGame(t, size, uint64(i)), rng)
		require.NoError(t, err)
		require.NoError(t, s.WriteFile(filepath.Join(dir, fmt.Sprintf("%016x.npz", i))))
	}
	return dir
}
