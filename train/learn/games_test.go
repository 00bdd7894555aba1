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

// network returns an untrained network by its name: KataGo's, one of package arch for a board of some
// side, or a file of the golden data.
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
