package learn

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
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
	return learntest.FreshArch(t, name, side)
}

func gameBatch(t testing.TB, l *Learner, size board.Size, n int) *rows.Batch {
	t.Helper()
	s, err := rows.OpenFolder(rows.Options{Batch: n, Wants: l.Wants(), Encoding: l.Encoding(), Seed: 3}, learntest.WriteGames(t, l.Encoding(), size, 4))
	require.NoError(t, err)
	defer s.Close()
	b := new(rows.Batch)
	require.NoError(t, s.Next(b))
	return b
}
